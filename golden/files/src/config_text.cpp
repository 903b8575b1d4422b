#include "axelram/files/config.hpp"

namespace axelram::files {
namespace {

/// A YAML text in quotation marks, which may hold any character.
std::string quote(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += "\\x";
      quoted += kHex[byte >> 4];
      quoted += kHex[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string sign_source(const Rotation& rotation) {
  switch (rotation.source) {
    case Rotation::Source::signs_file:
      return "signs: " + quote(rotation.signs_file);
    case Rotation::Source::identity:
      return "identity: true";
    default:
      return "seed: " + std::to_string(rotation.seed);
  }
}

}  // namespace

std::string canonical_yaml(const Config& config) {
  const Parameters& p = config.parameters;
  const Rotation& rotation = config.rotation;
  const Microarchitecture& micro = config.microarchitecture;
  const Ecc& ecc = config.ecc;
  const auto key = [](const char* name, int value) {
    return std::string(name) + ": " + std::to_string(value);
  };
  std::string text;
  text += "macro: {" + key("head_dim", p.head_dim) + ", " + key("index_bits", p.index_bits) + ", " +
          key("max_keys", config.max_keys) +
          ", element_format: " + (p.element_format == ElementFormat::fp16 ? "fp16" : "bf16") +
          "}\n";
  text += "numerics: {" + key("significand_bits", p.significand_bits) + ", " +
          key("boundary_fraction_bits", p.boundary_fraction_bits) + ", " +
          key("query_bits", p.query_bits) + ", " + key("centroid_bits", p.centroid_bits) +
          ", codebook: " + (p.codebook == CodebookKind::gaussian ? "gaussian" : "beta") + "}\n";
  text += "rotation: {" + sign_source(rotation) + ", " + key("layer", rotation.layer) + ", " +
          key("head", rotation.head);
  if (!rotation.center_file.empty()) text += ", center: " + quote(rotation.center_file);
  text += "}\n";
  text += "microarchitecture: {" + key("key_lanes", micro.key_lanes) + ", " +
          key("read_lanes", micro.read_lanes) + ", " +
          key("table_multipliers", micro.table_multipliers) + "}\n";
  text += "ecc: {code: " + ecc.code + ", erasure: " + ecc.erasure + ", decoder: " + ecc.decoder +
          ", " + key("stages", ecc.stages) + ", " + key("scrub_interval", ecc.scrub_interval) +
          "}\n";
  return text;
}

}  // namespace axelram::files
