#include "axelram/caches/tiered_run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "axelram/files/errors.hpp"
#include "axelram/transformer/product.hpp"
#include "axelram/transformer/rotary_table.hpp"
#include "rows/float_vectors.hpp"
#include "tiers/tier_files.hpp"
#include "tiers/tiered_reading.hpp"

namespace axelram::caches {
namespace {

/// What runs rows without tiers: for records their macro.
std::string macro_text(const RowSpecification& row) {
  const auto* const records = std::get_if<Axelram>(&row);
  if (records == nullptr) return "";
  std::string command = "axelram run " + records->config + " TRACE";
  if (!records->feedback.empty()) command += " --encoder feedback:" + records->feedback;
  return ", or run the macro of its records: " + files::in_quotes(command);
}

TierSettings require_tiers(const Specification& specification, const RowSpecification& row) {
  const std::optional<TierSettings> tiers = tiers_of(row);
  if (!tiers)
    throw files::InputError("cache " + files::in_quotes(to_string(specification)) +
                            " has no tiers; give kivi or tiered" + macro_text(row));
  return *tiers;
}

std::vector<float> floats(const std::vector<std::uint16_t>& halves) {
  std::vector<float> x(halves.size());
  from_halves(halves.data(), halves.size(), x.data());
  return x;
}

/// The blocks of groups of a tier, a row of the tensor for the blocks of `row` tokens.
files::TierBlocks blocks_of(const std::vector<TierGroup>& groups, std::size_t step, std::size_t row,
                            std::size_t bytes_without) {
  files::TierBlocks all;
  const auto bytes = [row](const TierCoder& coder) { return row / coder.tokens() * coder.bytes(); };
  all.bytes = groups.empty() ? bytes_without : 0;
  for (const TierGroup& group : groups) all.bytes = std::max(all.bytes, bytes(*group.coder));
  for (const TierGroup& group : groups) {
    const std::uint8_t* block = group.blocks;
    for (std::size_t t = 0; t < step; t += row, block += bytes(*group.coder)) {
      all.data.insert(all.data.end(), block, block + bytes(*group.coder));
      all.data.resize(all.data.size() + all.bytes - bytes(*group.coder));
    }
  }
  return all;
}

files::TierHalf half_of(const TierSettings& settings, TierPart part, const TieredRows& rows) {
  files::TierHalf half;
  const std::size_t d = rows.width(), tokens = rows.tokens();
  for (std::size_t n = 1; n <= tokens; ++n) {
    const TierBounds bounds = tier_bounds_ref(settings.sizes, n);
    half.bounds.push_back(static_cast<std::int32_t>(bounds.warm_end));
    half.bounds.push_back(static_cast<std::int32_t>(bounds.archive_end));
  }
  const std::size_t size = part == TierPart::keys ? settings.group : 1;
  const std::size_t step = settings.sizes.step;
  std::vector<TierGroup> warm, archive;
  for (std::size_t g = 0; g < rows.warm_groups(); ++g) warm.push_back(rows.warm_group(g));
  for (std::size_t g = 0; g < rows.archived_groups(); ++g) {
    archive.push_back(rows.archived_group(g));
    half.kinds.insert(half.kinds.end(), step / size, archive.back().coder->store().code());
  }
  const auto bytes = [&](const TierStore& store) {
    return block_bytes_ref(part, store, rows.shape()).total();
  };
  half.warm = blocks_of(warm, step, size, settings.sizes.warm == 0 ? 0 : bytes(settings.warm));
  half.archive = blocks_of(archive, step, size, settings.archive ? bytes(*settings.archive) : 0);
  half.decoded.resize(tokens * d);
  std::vector<float> decoded;
  if (tokens != 0)
    for (const TierForm& form : rows.forms(0, tokens - 1, 1)) {
      const auto [begin, end] = form.seen(tokens - 1);
      if (begin >= end) continue;
      read_form(form, d, &decoded);
      std::copy_n(&decoded[(begin - form.first) * d], (end - begin) * d, &half.decoded[begin * d]);
    }
  return half;
}

void attend(const files::TierTrace& trace, TieredKeys* keys, TieredValues* values,
            files::TierResult* result) {
  const std::size_t tokens = trace.tokens(), d = trace.d;
  const std::vector<float> queries = floats(trace.queries);
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(d)));
  std::vector<float> weights(tokens);
  result->scores.resize(result->queries * tokens);
  result->outputs.resize(result->queries * d);
  for (std::size_t i = 0; i < result->queries; ++i) {
    const auto token = static_cast<std::size_t>(trace.query_tokens[i]);
    float* const scores = &result->scores[i * tokens];
    keys->score(&queries[i * d], 1, token, 0, tokens, scores);
    std::copy_n(scores, token + 1, weights.data());
    transformer::softmax(weights.data(), token + 1, scale);
    values->weighted_sum(weights.data(), 1, token, 0, tokens, &result->outputs[i * d]);
  }
}

}  // namespace

bool stores_keys_before_rotary(const Specification& specification) {
  return require_tiers(specification, specification.keys).rope == files::Rope::pre;
}

files::TierResult run_tiers(const Specification& specification, const files::TierTrace& trace,
                            const UnitTable& units) {
  const TierSettings of_keys = require_tiers(specification, specification.keys);
  const TierSettings of_values = require_tiers(specification, specification.values);
  const CacheSite key_site{trace.layer, trace.head, false};
  const CacheSite value_site{trace.layer, trace.head, true};
  const auto key_files = head_tier_files(of_keys, trace.d, key_site);
  const auto value_files = head_tier_files(of_values, trace.d, value_site);
  TieredKeys keys({of_keys, trace.d, key_site, *key_files, units});
  TieredValues values({of_values, trace.d, value_site, *value_files, units});
  const bool before = of_keys.rope == files::Rope::pre;
  const transformer::RotaryTable rotary(trace.cosines, trace.sines, trace.d / 2, trace.interleaved);
  if (before) keys.turn_by({&rotary, trace.key_offset.empty() ? nullptr : trace.key_offset.data()});

  files::TierResult result;
  result.tokens = trace.tokens();
  result.queries = trace.query_tokens.size();
  result.d = trace.d;
  keys.write(floats(trace.keys).data(), result.tokens);
  values.write(floats(trace.values).data(), result.tokens);
  result.keys = half_of(of_keys, TierPart::keys, keys.rows());
  result.values = half_of(of_values, TierPart::values, values.rows());
  attend(trace, &keys, &values, &result);
  keys.settle();
  values.settle();
  for (const TieredRows* rows : {&keys.rows(), &values.rows()}) {
    const StoreBytes bytes = rows->live();
    result.bytes_fp16 += bytes.fp16.total();
    result.bytes_warm += bytes.warm.total();
    result.bytes_archive += bytes.archive.total();
  }
  return result;
}

}  // namespace axelram::caches
