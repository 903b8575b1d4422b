#include "ecc.hpp"

#include "axelram/code.hpp"
#include "key_types.hpp"

namespace axelram::files {
namespace {

/// `key`, which needs a code that is `fit`; `otherwise` completes the message "but CODE ...".
ConfigKey of_code(ConfigKey key, const char* text = "a code", bool (*fit)(const Code&) = {},
                  const std::string& otherwise = "") {
  key.need = {text, [=](const Config& config) -> std::string {
                if (config.ecc.code == "none") return "there is no code; give ecc.code too";
                if (!fit || fit(make_code(config.ecc.code))) return "";
                return config.ecc.code + otherwise;
              }};
  return key;
}

}  // namespace

std::vector<ConfigKey> ecc_keys() {
  return {
      code_name("ecc", "code", MEMBER(ecc.code),
                "code of the stored records; hsiao_N_K is a SECDED code with K <= 64 data bits and "
                "3 to 12 check bits"),
      of_code(
          choice("ecc", "erasure", MEMBER(ecc.erasure),
                 "policy for elements in uncorrectable words; a run-time register in hardware, "
                 "with this reset value"),
          "a code that detects errors", [](const Code& code) { return code.detects_errors(); },
          " corrects every word, so that none is uncorrectable; give another ecc.code"),
      of_code(
          choice("ecc", "decoder", MEMBER(ecc.decoder), "hardware that decodes"), "`golay24`",
          [](const Code& code) { return code.family->decoder == DecoderUnit::golay; },
          " has one decoder; give ecc: {code: golay24}"),
      of_code(integer("ecc", "stages", MEMBER(ecc.stages), {0, 16},
                      "pipeline registers in the encoder, and in the decoder")),
      of_code(integer("ecc", "scrub_interval", MEMBER(ecc.scrub_interval), {0, 1 << 30},
                      "cycles between background scrubs; 0: no scrubber")),
  };
}

}  // namespace axelram::files
