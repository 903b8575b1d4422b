#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "generator_internal.hpp"

namespace axelram::rtl {
namespace {

constexpr CodeDecoder kSyndromeDecoder{nullptr, 0};
constexpr CodeDecoder kGolayAlgebraicDecoder{"axelram_golay_algebraic_decoder", 1};
constexpr CodeDecoder kGolayRomDecoder{"axelram_golay_rom", 2};
constexpr const CodeDecoder* kDecoders[] = {&kSyndromeDecoder, &kGolayAlgebraicDecoder,
                                            &kGolayRomDecoder};

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

std::vector<std::string> modules_without(const CodeDecoder* decoder) {
  if (decoder == nullptr) return {"axelram_protected_store", "axelram_code_registers"};
  std::vector<std::string> names;
  for (const CodeDecoder* other : kDecoders)
    if (other != decoder && other->module != nullptr) names.emplace_back(other->module);
  return names;
}

}  // namespace axelram::rtl
