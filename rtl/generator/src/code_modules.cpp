#include <algorithm>
#include <stdexcept>

#include "generator_internal.hpp"

namespace axelram::rtl {
namespace {

using Names = std::vector<std::string>;

constexpr CodeDecoder kSyndromeDecoder{"axelram_hamming_decoder", true, false};
constexpr CodeDecoder kGolayAlgebraicDecoder{"axelram_golay_algebraic_decoder", false, false};
constexpr CodeDecoder kGolayRomDecoder{"axelram_golay_rom_decoder", false, true};
constexpr const CodeDecoder* kDecoders[] = {&kSyndromeDecoder, &kGolayAlgebraicDecoder,
                                            &kGolayRomDecoder};

/// Modules that every encoder or decoder needs, instances before their parents.
const Names& shared_modules() {
  static const Names names = {"axelram_pipeline", "axelram_encoder", "axelram_syndrome",
                              "axelram_correction"};
  return names;
}

/// Modules of a protected memory around encoders and decoders.
const Names& store_modules() {
  static const Names names = {"axelram_record_encoder", "axelram_record_decoder",
                              "axelram_inject",         "axelram_code_registers",
                              "axelram_scrubber",       "axelram_code_status",
                              "axelram_interpolate",    "axelram_protected_store"};
  return names;
}

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

const CodeDecoder& decoder_of(const Code& code, files::GolayDecoder golay) {
  if (code.family == nullptr)
    throw std::invalid_argument("code '" + code.name +
                                "' belongs to no family, so no hardware decodes it");
  switch (code.family->decoder) {
    case DecoderUnit::syndrome:
      return kSyndromeDecoder;
    case DecoderUnit::golay:
      switch (golay) {
        case files::GolayDecoder::algebraic:
          return kGolayAlgebraicDecoder;
        case files::GolayDecoder::rom:
          return kGolayRomDecoder;
      }
  }
  throw std::logic_error("code '" + code.name + "' has an unknown decoder unit");
}

Names decoder_modules() {
  Names names;
  for (const CodeDecoder* decoder : kDecoders) names.emplace_back(decoder->module);
  return names;
}

const char* module_text(const std::string& name) {
  for (const Module& module : modules())
    if (module.name == name) return module.text;
  throw std::logic_error("there is no rtl/*/" + name + ".sv");
}

bool is_code_module(const std::string& name) {
  return contains(shared_modules(), name) || contains(store_modules(), name) ||
         contains(decoder_modules(), name);
}

Names code_modules(const Code& code, files::GolayDecoder golay) {
  Names names = shared_modules();
  names.push_back(decoder_of(code, golay).module);
  return names;
}

Names macro_code_modules(const Code& code, files::GolayDecoder golay) {
  Names names = code_modules(code, golay);
  names.insert(names.end(), store_modules().begin(), store_modules().end());
  return names;
}

}  // namespace axelram::rtl
