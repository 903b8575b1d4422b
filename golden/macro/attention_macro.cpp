#include "axelram/attention_macro.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "score_tokens.hpp"

namespace axelram {
namespace {

std::uint64_t ones(const std::vector<std::uint8_t>& flags) {
  return static_cast<std::uint64_t>(std::count(flags.begin(), flags.end(), 1));
}

void merge(const std::vector<std::uint8_t>& flags, std::vector<std::uint8_t>* into) {
  for (std::size_t i = 0; i < flags.size(); ++i)
    (*into)[i] = static_cast<std::uint8_t>((*into)[i] | flags[i]);
}

}  // namespace

AttentionMacro::AttentionMacro(const Parameters& parameters, const AttentionParameters& attention,
                               std::vector<RotationRow> rotations, std::size_t segments,
                               std::size_t max_keys, const Protection& protection,
                               const UnitTable& units)
    : parameters_(parameters),
      attention_(attention),
      rom_(std::make_shared<const CodebookRom>(codebook_rom(parameters))),
      segments_(segments, rotations.size(), max_keys),
      arrivals_(segments, ExactStore(parameters)),
      keys_(parameters, max_keys, protection, units),
      values_(parameters.of_values(), max_keys, protection, units),
      units_(&units) {
  check(attention, parameters, max_keys);
  if (segments == 0 || rotations.empty())
    throw std::invalid_argument("a store has a segment and a row of rotations at least");
  for (RotationRow& row : rotations) paths_.push_back(paths_of(std::move(row)));
}

AttentionMacro::Paths AttentionMacro::paths_of(RotationRow row) const {
  std::vector<std::int8_t> signs = row.rotation.signs;
  return {Datapath(parameters_, rom_, row.rotation, std::move(row.center), *units_),
          Datapath(parameters_.of_values(), rom_, row.rotation.of_values(), {}, *units_),
          std::move(signs)};
}

bool AttentionMacro::allocate(std::size_t segment, const Allocation& allocation) {
  if (!segments_.allocate(segment, allocation)) {
    ++counters_.bad_commands;
    return false;
  }
  if (segments_.overlapping(segment, allocation)) {
    segments_.free(segment);
    throw std::invalid_argument("segment " + std::to_string(segment) + " overlaps another one");
  }
  arrivals_[segment].clear();
  return true;
}

bool AttentionMacro::evict(std::size_t segment, std::size_t n) {
  const bool done = segments_.evict(segment, n);
  counters_.bad_commands += done ? 0 : 1;
  return done;
}

bool AttentionMacro::free(std::size_t segment) {
  const bool done = segments_.free(segment);
  counters_.bad_commands += done ? 0 : 1;
  return done;
}

void AttentionMacro::clear() {
  segments_.clear();
  for (ExactStore& arrivals : arrivals_) arrivals.clear();
}

void AttentionMacro::count_vector(const KeyResult& result) {
  counters_.norms_saturated += result.norm_saturated ? 1 : 0;
  counters_.scales_refused += result.scale_refused ? 1 : 0;
}

TokenResult AttentionMacro::append(std::size_t segment, const std::uint16_t* key,
                                   const std::uint16_t* value) {
  TokenResult token;
  const Segment* const of = segments_.find(segment);
  if (of == nullptr) {
    ++counters_.bad_commands;
    token.status = ItemStatus::bad_segment;
    return token;
  }
  Paths& paths = paths_[of->rotation];
  if (!paths.key.write(key, &token.key) || !paths.value.write(value, &token.value)) {
    ++counters_.tokens_nonfinite;
    token = {};
    token.status = ItemStatus::nonfinite;
    return token;
  }
  if (segments_.append(segment, &token.place) == Segments::Append::full) {
    ++counters_.tokens_full;
    token = {};
    token.status = ItemStatus::full;
    return token;
  }
  const auto keep = [&](KeyStore* store, KeyResult* result) {
    store->write_at(token.place, result->record.data());
    if (store->code() != nullptr) {
      const std::uint8_t* const stored = store->stored(token.place);
      result->codeword.assign(stored, stored + store->stored_bytes());
    }
    count_vector(*result);
  };
  keep(&keys_, &token.key);
  keep(&values_, &token.value);
  arrivals_[segment].write(&token.key.copy);
  return token;
}

const KeyCopy* AttentionMacro::copy_of(std::size_t segment, std::uint32_t t) const {
  const ExactStore& arrivals = arrivals_[segment];
  return arrivals.find(segments_.find(segment)->arrival(t, arrivals.size()));
}

void AttentionMacro::set_scale(double scale) {
  AttentionParameters attention = attention_;
  attention.scale = scale;
  check(attention, parameters_, keys_.max_keys());
  attention_ = attention;
}

void AttentionMacro::load_rotation(std::size_t row, RotationRow rotation) {
  if (row >= paths_.size())
    throw std::invalid_argument("there is no row " + std::to_string(row) + " of the rotations");
  paths_[row] = paths_of(std::move(rotation));
}

bool AttentionMacro::load(std::size_t segment, const std::uint16_t* queries, GroupResult* group) {
  const Segment* const of = segments_.find(segment);
  if (of == nullptr) {
    ++counters_.bad_commands;
    group->status = ItemStatus::bad_segment;
    return false;
  }
  const auto heads = static_cast<std::size_t>(attention_.group);
  group->queries.resize(heads);
  for (std::size_t g = 0; g < heads; ++g)
    if (!paths_[of->rotation].key.round(
            queries + g * static_cast<std::size_t>(parameters_.head_dim), &group->queries[g])) {
      ++counters_.groups_nonfinite;
      *group = {};
      group->status = ItemStatus::nonfinite;
      return false;
    }
  for (std::uint32_t t = 0; t < of->count; ++t) group->places.push_back(of->place(t));
  return true;
}

GroupResult AttentionMacro::score(std::size_t segment, const std::uint16_t* queries) {
  GroupResult group;
  if (!load(segment, queries, &group)) return group;
  const Paths& paths = paths_[segments_.find(segment)->rotation];
  const std::size_t count = group.places.size();
  // One read of the memory serves all heads.
  const std::uint8_t* const keys = keys_.read(group.places.data(), count);
  const auto copy = [&](std::size_t token) {
    return copy_of(segment, static_cast<std::uint32_t>(token));
  };
  std::vector<std::uint8_t> saturated(count);
  for (QueryResult& query : group.queries) {
    score_tokens(paths.key, keys, count, copy, &query);
    merge(saturated_tokens(paths.key, keys, copy, query), &saturated);
  }
  counters_.scores_saturated += ones(saturated);
  return group;
}

GroupResult AttentionMacro::attend(std::size_t segment, const std::uint16_t* queries) {
  GroupResult group = score(segment, queries);
  if (group.status != ItemStatus::done) return group;
  const Paths& paths = paths_[segments_.find(segment)->rotation];
  const std::size_t count = group.places.size();
  const std::uint8_t* const values = values_.read(group.places.data(), count);
  std::vector<std::uint8_t> saturated(count);
  group.outputs.resize(group.queries.size());
  for (std::size_t g = 0; g < group.outputs.size(); ++g) {
    AttentionResult& output = group.outputs[g];
    units_->attend(attention_, parameters_, *rom_, paths.signs.data(),
                   group.queries[g].scores.data(), values, count, &output);
    merge(output.logit_saturated, &saturated);
    counters_.outputs_saturated += output.output_saturated ? 1 : 0;
  }
  counters_.logits_saturated += ones(saturated);
  return group;
}

}  // namespace axelram
