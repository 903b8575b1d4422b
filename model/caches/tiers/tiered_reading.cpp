#include "tiers/tiered_reading.hpp"

#include <algorithm>

#include "axelram/transformer/product.hpp"
#include "axelram/transformer/rotary_table.hpp"
#include "rows/float_vectors.hpp"

namespace axelram::caches {
namespace {

/// The tokens of a form that a query sees, those before `oldest` left out.
TokenRange seen(const TierForm& form, std::size_t query, std::size_t oldest) {
  const TokenRange range = form.seen(query);
  return {std::max(oldest, range.begin), range.end};
}

}  // namespace

void read_form(const TierForm& form, std::size_t d, std::vector<float>* rows) {
  rows->resize(std::max(rows->size(), form.tokens * d));
  TierCoder* const coder = form.coded.coder;
  if (coder == nullptr) {
    for (std::size_t t = 0, some; t < form.tokens; t += some) {
      some = std::min(form.rows->run(form.row + t), form.tokens - t);
      from_halves(form.rows->at(form.row + t), some * d, rows->data() + t * d);
    }
    return;
  }
  for (std::size_t t = 0, at = 0; t < form.tokens; t += coder->tokens(), at += coder->bytes())
    coder->decode(form.coded.blocks + at, rows->data() + t * d);
}

const float* TieredKeys::score(const TierForm& form, const float* queries, std::size_t begin,
                               std::size_t count) {
  const std::size_t d = rows_.width();
  scores_.resize(std::max(scores_.size(), count * form.tokens));
  const bool turns = turn_.rotary != nullptr || turn_.offset != nullptr;
  if (form.coded.coder != nullptr && !turns) {
    form.coded.coder->score(form.coded.blocks, form.tokens / form.coded.coder->tokens(), begin,
                            count, scores_.data(), form.tokens);
    return scores_.data();
  }
  read_form(form, d, &decoded_);
  for (std::size_t t = 0; t < form.tokens; ++t) {
    float* const key = &decoded_[t * d];
    if (turn_.rotary != nullptr) turn_.rotary->turn(form.first + t, key);
    for (std::size_t i = 0; turn_.offset != nullptr && i < d; ++i) key[i] += turn_.offset[i];
  }
  transformer::multiply_transposed({queries + begin * d, count, d, d},
                                   {decoded_.data(), form.tokens, d, d},
                                   {scores_.data(), count, form.tokens, form.tokens});
  return scores_.data();
}

void TieredKeys::score(const float* queries, std::size_t count, std::size_t first,
                       std::size_t oldest, std::size_t stride, float* scores) {
  for (TierCoder* coder : rows_.coders()) coder->prepare(queries, count, first);
  for (const TierForm& form : rows_.forms(oldest, first, count)) {
    const std::size_t begin = form.first_query - first;
    const float* const all = score(form, queries, begin, form.queries);
    for (std::size_t i = 0; i < form.queries; ++i) {
      const auto [from, end] = seen(form, form.first_query + i, oldest);
      if (from < end)
        std::copy(all + i * form.tokens + (from - form.first),
                  all + i * form.tokens + (end - form.first), scores + (begin + i) * stride + from);
    }
  }
}

void TieredValues::weighted_sum(const float* weights, std::size_t count, std::size_t first,
                                std::size_t oldest, std::size_t stride, float* out) {
  const std::size_t d = rows_.width();
  // A run of sums for each domain: of the model, and that of each coder whose sums are rotated.
  std::vector<TierCoder*> domains = {nullptr};
  for (TierCoder* coder : rows_.coders())
    if (coder->sums_rotated()) domains.push_back(coder);
  sums_.assign(domains.size() * count * d, 0.0);
  for (const TierForm& form : rows_.forms(oldest, first, count)) {
    const std::size_t begin = form.first_query - first, size = form.queries;
    weights_.assign(size * form.tokens, 0.0F);
    for (std::size_t i = 0; i < size; ++i) {
      const auto [from, end] = seen(form, form.first_query + i, oldest);
      const float* const row = weights + (begin + i) * stride;
      if (from < end)
        std::copy(row + from, row + end, &weights_[i * form.tokens + (from - form.first)]);
    }
    TierCoder* const coder = form.coded.coder;
    const bool rotated = coder != nullptr && coder->sums_rotated();
    const auto domain =
        rotated ? std::find(domains.begin(), domains.end(), coder) : domains.begin();
    double* const sums =
        &sums_[(static_cast<std::size_t>(domain - domains.begin()) * count + begin) * d];
    if (coder != nullptr) {
      coder->sum(form.coded.blocks, form.tokens, form.group, weights_.data(), size, form.tokens,
                 sums);
      continue;
    }
    read_form(form, d, &decoded_);
    if (form.group == 1) {
      rows_.units().sum_groups({decoded_.data(), form.tokens, d, 1, true}, weights_.data(), size,
                               form.tokens, sums, d);
      continue;
    }
    piece_.resize(size * d);
    transformer::multiply({weights_.data(), size, form.tokens, form.tokens},
                          {decoded_.data(), form.tokens, d, d}, {piece_.data(), size, d, d});
    for (std::size_t i = 0; i < size * d; ++i) sums[i] += double{piece_[i]};
  }
  for (std::size_t k = 1; k < domains.size(); ++k)
    for (std::size_t i = 0; i < count; ++i) {
      double* const sums = &sums_[(k * count + i) * d];
      domains[k]->rotate_back(sums);
      for (std::size_t c = 0; c < d; ++c) sums_[i * d + c] += sums[c];
    }
  for (std::size_t i = 0; i < count * d; ++i) out[i] = static_cast<float>(sums_[i]);
}

}  // namespace axelram::caches
