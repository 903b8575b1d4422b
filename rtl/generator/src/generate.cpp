#include <algorithm>

#include "axelram/files/errors.hpp"
#include "axelram/files/safetensors.hpp"
#include "generator_internal.hpp"

namespace axelram::rtl {
namespace {

/// Rows of layers 0 .. `layer` and heads 0 .. `head`, each of which is distinct[0]; then the other
/// distinct ones, a head each.
template <typename T>
GeneratedFile tensor_file(const std::string& file, const std::string& name, files::DataType type,
                          const std::vector<std::vector<T>>& distinct, int layer, int head) {
  const auto layers = static_cast<std::size_t>(layer) + 1;
  const auto heads = static_cast<std::size_t>(head) + distinct.size();
  const std::size_t first = layers * heads - distinct.size();
  std::vector<T> rows;
  for (std::size_t i = 0; i < layers * heads; ++i) {
    const std::vector<T>& row = distinct[i > first ? i - first : 0];
    rows.insert(rows.end(), row.begin(), row.end());
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(rows.data());
  const std::size_t size = rows.size() * sizeof(T);
  const files::Tensor tensor{name, type, {layers, heads, distinct.front().size()}, bytes, size};
  return {file, files::safetensors_header({tensor}, {}) +
                    std::string(reinterpret_cast<const char*>(bytes), size)};
}

constexpr std::int64_t kMostRows = 1 << 16;

/// Signs of a rotation, one for each channel of a key.
std::vector<std::int8_t> signs_by_channel(const HeadRotation& rotation, int head_dim) {
  std::vector<std::int8_t> signs = rotation.signs;
  const std::vector<std::uint16_t> order = channel_order(rotation.high_channels, head_dim);
  for (std::size_t i = 0; i < order.size(); ++i) signs[order[i]] = rotation.signs[i];
  return signs;
}

/// Adds config.yaml and the tensors that it names, so that the directory is self-contained.
void add_configuration(const files::Config& config, std::vector<GeneratedFile>* generated) {
  files::Config own = config;
  own.named = true;
  const Parameters& p = own.parameters;
  files::Rotation& rotation = own.rotation;
  const bool tensors =
      !rotation.signs_file.empty() || !own.center.empty() || p.split() || p.balanced;
  // The files have one row each, so seeds and rows of larger files are not needed. But the second
  // sign vector depends on layer and head.
  if (tensors && !p.prod())
    rotation = {files::Rotation::Source::signs_file, 0, 0, 0, "signs.safetensors", ""};
  if (tensors && std::int64_t{rotation.layer + 1} * (rotation.head + 1) > kMostRows)
    throw files::InputError(
        "rotation.layer and rotation.head: with quantizer.kind prod and a file of signs, of a "
        "center or of exponents, (layer + 1) * (head + 1) is at most " +
        std::to_string(kMostRows));
  const auto add = [&](const std::string& file, const char* name, files::DataType type,
                       const auto& rows) {
    generated->push_back(tensor_file(file, name, type, rows, rotation.layer, rotation.head));
  };
  if (!rotation.signs_file.empty()) {
    rotation.signs_file = "signs.safetensors";
    std::vector<std::vector<std::int8_t>> signs;
    for (const RotationRow& row : files::rotation_rows(own))
      signs.push_back(signs_by_channel(row.rotation, p.head_dim));
    add(rotation.signs_file, "signs", files::DataType::i8, signs);
  }
  if (p.split()) {
    own.channels_file = "channels.safetensors";
    const auto& high = own.head_rotation.high_channels;
    add(own.channels_file, "high", files::DataType::i32,
        std::vector<std::vector<std::int32_t>>{{high.begin(), high.end()}});
  }
  if (!own.center.empty()) {
    rotation.center_file = "center.safetensors";
    const bool fp16 = p.element_format == ElementFormat::fp16;
    std::vector<std::vector<std::uint16_t>> centers;
    for (const RotationRow& row : files::rotation_rows(own)) centers.push_back(row.center);
    add(rotation.center_file, "center", fp16 ? files::DataType::f16 : files::DataType::bf16,
        centers);
  }
  if (p.balanced) {
    rotation.balance_file = "balance.safetensors";
    std::vector<std::vector<std::int8_t>> exponents;
    for (const RotationRow& row : files::rotation_rows(own))
      exponents.push_back(row.rotation.balance);
    add(rotation.balance_file, "balance", files::DataType::i8, exponents);
  }
  own.sram = {};  // its files stay where they are, and no RTL depends on them
  generated->push_back({"config.yaml", files::canonical_yaml(own)});
}

std::vector<GeneratedFile> generate(const files::Config& config, bool observe) {
  check_prefix(config);
  const Layout layout(config);
  const Design design{config,  layout,         codebook_rom(config.parameters),
                      observe, prefix(config), memories(config, layout)};
  const auto own = [&](const char* name) { return "rtl/" + design.prefix + name; };

  std::vector<GeneratedFile> files = common_files();
  const std::string common_core = common_core_text(files);
  files.push_back({own("_pkg.sv"), package_text(design)});
  files.push_back({own("_sign_rom.sv"), sign_rom_text(design)});
  files.push_back({own("_codebook_rom.sv"), codebook_rom_text(design)});
  files.push_back({own("_center_rom.sv"), center_rom_text(design)});
  if (config.parameters.balanced)
    files.push_back({own("_balance_rom.sv"), balance_rom_text(design)});
  files.push_back({own("_top.sv"), top_text(design)});

  const CodeDecoder* decoder =
      design.layout.code ? &decoder_of(*design.layout.code, config.ecc.decoder) : nullptr;
  const std::vector<std::string> sources =
      sources_of(design.prefix + "_top", files, modules_without(decoder));
  files.push_back({"axelram.f", file_list_text(sources)});
  files.push_back({"axelram.core", core_text(design, sources)});
  files.push_back({"axelram_common.core", common_core});
  files.push_back({"axelram.sdc", constraints_text(design)});
  files.push_back({"README.md", readme_text(design)});
  for (GeneratedFile& file : view_files(design, sources)) files.push_back(std::move(file));
  for (GeneratedFile& file : test_bench_files(design)) files.push_back(std::move(file));
  if (design.layout.code)
    files.push_back(
        {design.prefix + "_code.h", code_constants_text(*design.layout.code, design.prefix)});
  files.push_back({"axelram.json", manifest_text(design, sources)});
  add_configuration(config, &files);
  std::sort(files.begin(), files.end(),
            [](const GeneratedFile& a, const GeneratedFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace

std::vector<GeneratedFile> generate(const files::Config& config) { return generate(config, false); }

std::vector<GeneratedFile> generate_observed(const files::Config& config) {
  return generate(config, true);
}

}  // namespace axelram::rtl
