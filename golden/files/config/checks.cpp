#include "checks.hpp"

#include <algorithm>

#include "attention.hpp"
#include "axelram/names.hpp"
#include "sram.hpp"
#include "table.hpp"

namespace axelram::files {
namespace {

using axelram::name_of;

/// Rejects a rotation with two sources of signs.
void check_rotation(const Document& document, const std::string& origin) {
  const DocumentValue* given = nullptr;
  for (const char* key : {"seed", "signs", "identity"}) {
    const DocumentValue* const value = document.find("rotation", key);
    if (value && given)
      fail_at(origin, std::max(given->line, value->line),
              "rotation has both " + given->key + " and " + key +
                  "; give one of seed, signs and identity");
    if (value) given = value;
  }
}

/// Rejects repairs of indices that several levels depend on.
void check_trellis(const Document& document, const std::string& origin, const Config& config) {
  const DocumentValue* const erasure = document.find("ecc", "erasure");
  if (erasure && config.parameters.trellis() && config.ecc.erasure != ErasurePolicy::keep)
    fail_at(origin, erasure->line,
            "erasure is " + erasure->text +
                ", but several levels depend on an index of a trellis; it must be keep");
}

/// Rejects exact tokens with a scale whose scores have another unit.
void check_exact(const Document& document, const std::string& origin, const Config& config) {
  const DocumentSection* const section = document.find("exact");
  if (!section) return;
  for (const DocumentValue& value : section->values)
    if (value.key != "bits" && value.text != "0" && config.parameters.scale != ScaleKind::unbiased)
      fail_at(origin, value.line,
              value.key + " is " + value.text + ", but the scale is " +
                  name_of(config.parameters.scale) +
                  "; exact tokens need quantizer: {scale: unbiased}");
}

/// Rejects what the inner-product quantizer and a split exclude (bit-contract.md#two-parts).
void check_two_parts(const Document& document, const std::string& origin, const Config& config) {
  const Parameters& p = config.parameters;
  const auto fail = [&](const char* section, const char* key, const std::string& what) {
    const DocumentValue* const value = document.find(section, key);
    const int line = value ? value->line : document.find(section)->line;
    fail_at(origin, line, (value ? value->key + " is " + value->text : section) + what);
  };
  if (const DocumentSection* const split = document.find("split"))
    for (const char* key : {"bits", "channels"})
      if (!split->find(key))
        fail_at(origin, split->line,
                std::string("split has no ") + key +
                    "; it needs both: split: {bits: [4, 2], channels: FILE}");
  if (p.prod() && p.scale != ScaleKind::norm)
    fail("quantizer", "scale", ", but the kind is prod; it needs the scale norm");
  if (p.split() && p.prod())
    fail("split", "bits", ", but the kind is prod; a split needs mse or trellis");
  if (p.split() && p.scale != ScaleKind::unbiased)
    fail("split", "bits",
         std::string(", but the scale is ") + name_of(p.scale) +
             "; a split needs quantizer: {scale: unbiased}");
  if (p.two_parts() && p.copies() != 0)
    fail("exact", p.exact_first != 0 ? "first" : "last",
         std::string(", but ") + (p.prod() ? "the kind is prod" : "the key is split") +
             "; exact tokens need records of one part");
  if (!p.split()) return;
  const Microarchitecture& lanes = config.microarchitecture;
  if (lanes.key_lanes < 2)
    fail("microarchitecture", "key_lanes", "; with a split it is 2 or more, one for each half");
  if (lanes.read_lanes < 2)
    fail("microarchitecture", "read_lanes", "; with a split it is 2 or more, one for each half");
  if (config.rotation.head >= kMaxSplitHeads)
    fail("rotation", "head",
         "; with a split it must lie in 0.." + std::to_string(kMaxSplitHeads - 1));
}

/// Rejects exact tokens without a score table.
void check_score_lane(const Document& document, const std::string& origin, const Config& config) {
  const Microarchitecture& m = config.microarchitecture;
  if (m.score_lane != ScoreLane::multiplier) return;
  const int line = document.find("microarchitecture", "score_lane")->line;
  if (config.parameters.copies() != 0)
    fail_at(origin, line,
            "score_lane is multiplier, but the multipliers of a table serve exact tokens; it must "
            "be table or half_table");
}

}  // namespace

void check_combinations(const Document& document, const std::string& origin, const Config& config) {
  check_rotation(document, origin);
  check_effects(document, origin, config);
  check_two_parts(document, origin, config);
  check_exact(document, origin, config);
  check_score_lane(document, origin, config);
  check_trellis(document, origin, config);
  check_attention(document, origin, config);
  check_sram(document, origin, config);
}

}  // namespace axelram::files
