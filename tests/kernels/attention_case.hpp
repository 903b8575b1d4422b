#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "axelram/kernels/attend_in_order.hpp"
#include "axelram/kernels/attention.hpp"
#include "cache_side.hpp"
#include "exact_side.hpp"
#include "two_parts.hpp"

namespace test {

/// The elements of token `token` of a sequence, head `head`.
using Elements = std::function<std::vector<double>(std::int32_t sequence, std::int32_t token,
                                                   std::int32_t head)>;

/// One launch of attention: shapes, data, and the reference.
struct AttentionCase {
  kernels::Stream& stream;
  kernels::AttentionShape shape;
  CacheSide keys, values;
  std::unique_ptr<kernels::DeviceCode> code;
  axelram::ErasurePolicy policy = axelram::ErasurePolicy::keep;
  kernels::CodeCounts counts{};  ///< of the last attend()
  std::vector<std::int32_t> sequence, visible;
  std::vector<std::uint16_t> query;  ///< [count, heads * group, d]
  std::vector<std::int8_t> u8, v8;
  std::vector<std::int32_t> u, exponents, v, residual_exponents;
  ExactSide exact_keys, exact_values;  ///< or none

  AttentionCase(kernels::Stream& s, int group, int heads, const axelram::Parameters& key_parameters,
                bool key_records, const axelram::Parameters& value_parameters, bool value_records,
                int page_tokens, const std::vector<std::int32_t>& lengths, std::uint64_t seed,
                const axelram::Code* of_code = nullptr)
      : stream(s),
        shape{heads, group, key_parameters.head_dim,
              static_cast<float>(1 / std::sqrt(key_parameters.head_dim)), 0},
        keys(s, key_parameters, key_records, false, of_code, heads, page_tokens, lengths, seed),
        values(s, value_parameters, value_records, true, of_code, heads, page_tokens, lengths,
               seed) {
    if (of_code != nullptr) code = std::make_unique<kernels::DeviceCode>(s, *of_code);
  }

  void fill(const std::vector<std::int32_t>& lengths, const Elements& key, const Elements& value) {
    for (std::size_t i = 0; i < lengths.size(); ++i)
      for (std::int32_t token = 0; token < lengths[i]; ++token)
        for (std::int32_t head = 0; head < shape.heads; ++head) {
          const auto from = static_cast<std::int32_t>(i);
          keys.write(from, token, head, key(from, token, head));
          values.write(from, token, head, value(from, token, head));
        }
  }

  /// A query token: the elements of query head h.
  void ask(std::int32_t of, std::int32_t tokens,
           const std::function<std::vector<double>(std::int32_t head)>& elements) {
    sequence.push_back(of);
    visible.push_back(tokens);
    for (std::int32_t h = 0; h < shape.heads * shape.group; ++h) {
      const std::size_t at = query.size();
      for (const double x : elements(h)) query.push_back(axelram::double_to_half(x));
      axelram::QueryResult rounded;
      keys.datapaths[static_cast<std::size_t>(h / shape.group)].round(&query[at], &rounded);
      for (const std::int32_t x : rounded.u) u8.push_back(static_cast<std::int8_t>(x));
      u.insert(u.end(), rounded.u.begin(), rounded.u.end());
      exponents.push_back(rounded.exponent);
      for (const std::int32_t x : rounded.v) v8.push_back(static_cast<std::int8_t>(x));
      v.insert(v.end(), rounded.v.begin(), rounded.v.end());
      residual_exponents.push_back(rounded.residual_exponent);
    }
  }

  /// [count, heads * group, d]. in_order: by the integers of the contract.
  std::vector<float> attend(std::int32_t splits, bool general = false,
                            const kernels::AttentionConstants* in_order = nullptr) {
    keys.upload(stream);
    values.upload(stream);
    std::vector<std::int8_t> signs, residual_signs;
    std::vector<std::uint16_t> channels;
    for (const axelram::HeadRotation& of : values.rotations) {
      const auto order = axelram::channel_order(of.high_channels, shape.head_dim);
      signs.insert(signs.end(), of.signs.begin(), of.signs.end());
      residual_signs.insert(residual_signs.end(), of.residual_signs.begin(),
                            of.residual_signs.end());
      channels.insert(channels.end(), order.begin(), order.end());
    }
    const kernels::Buffer<std::int8_t> device_signs(stream, signs), device_u8(stream, u8),
        device_v8(stream, v8), device_residual_signs(stream, residual_signs);
    const kernels::Buffer<std::uint16_t> device_channels(stream, channels);
    const kernels::Buffer<std::int32_t> device_sequence(stream, sequence),
        device_visible(stream, visible), device_u(stream, u), device_exponents(stream, exponents),
        device_v(stream, v), device_residual_exponents(stream, residual_exponents);
    const kernels::Buffer<std::uint16_t> device_query(stream, query);
    const kernels::Buffer<float> out(query.size());
    kernels::AttentionCache cache;
    cache.keys = keys.cache.pages;
    cache.values = values.cache.pages;
    cache.table = keys.cache.block_table;
    if (keys.records) cache.key_constants = kernels::macro_constants(keys.parameters, *keys.rom);
    if (values.records)
      cache.value_constants = kernels::macro_constants(values.parameters, *values.rom);
    cache.value_rotations = {device_signs.data(), device_residual_signs.data(),
                             device_channels.data()};
    kernels::Buffer<kernels::CodeCounts> device_counts(1);
    device_counts.fill(stream, 0);
    cache.code = code.get();
    cache.erasure = policy;
    cache.counts = device_counts.data();
    cache.exact_keys = exact_keys.rows;
    cache.exact_values = exact_values.rows;
    kernels::AttentionQueries queries{.count = sequence.size(),
                                      .sequence = device_sequence.data(),
                                      .visible = device_visible.data(),
                                      .fp16 = device_query.data(),
                                      .u8 = device_u8.data()};
    if (general || keys.parameters.query_bits > 8) queries.u = device_u.data();
    queries.exponents = device_exponents.data();
    if (keys.parameters.prod()) {
      if (queries.u == nullptr) queries.v8 = device_v8.data();
      if (queries.u != nullptr) queries.v = device_v.data();
      queries.residual_exponents = device_residual_exponents.data();
    }
    kernels::AttentionShape split_shape = shape;
    split_shape.splits = splits;
    const std::int32_t max_visible =
        visible.empty() ? 0 : *std::max_element(visible.begin(), visible.end());
    if (in_order != nullptr) {
      kernels::attend_pages_in_order(stream, shape, cache, queries, *in_order, out.data());
      return out.download(stream);
    }
    if (general) {
      kernels::attend_general(stream, shape, cache, queries, out.data());
      return out.download(stream);
    }
    kernels::Buffer<std::uint8_t> workspace(
        kernels::attention_workspace(split_shape, cache, queries, max_visible));
    workspace.fill(stream, 0xFF);  // NaN, so that no part is read that was not written
    fast = kernels::has_fast_attention(split_shape, cache, queries);
    kernels::attend(stream, split_shape, cache, queries, max_visible, workspace.data(), out.data());
    counts = device_counts.download(stream)[0];
    return out.download(stream);
  }
  bool fast = false;  ///< the last attend() took the kernel of tensor cores

  /// The same in FP64.
  std::vector<double> reference();

 private:
  static bool is_exact(const ExactSide& side, std::int32_t token, std::int32_t tokens) {
    return token < side.rows.first || token >= tokens - side.rows.last;
  }
  /// <q, k> * scale of row `row` of the queries.
  double score(std::size_t row, std::int32_t token);
};

inline double AttentionCase::score(std::size_t row, std::int32_t token) {
  const auto d = static_cast<std::size_t>(shape.head_dim);
  const auto heads = static_cast<std::size_t>(shape.heads * shape.group);
  const std::int32_t head = static_cast<std::int32_t>(row % heads) / shape.group;
  const std::int32_t of = sequence[row / heads], tokens = visible[row / heads];
  double score = 0;
  if (keys.records && keys.parameters.two_parts()) {
    const auto parts =
        score_parts_of(keys.parameters, *keys.rom, &u[row * d], exponents[row],
                       keys.parameters.prod() ? &v[row * d] : nullptr, residual_exponents[row]);
    float rounded = 0;
    axelram::score_parts_ref(parts[0], parts[1], keys.given.at({of, token, head}).record.data(), 1,
                             &rounded, nullptr, nullptr);
    return static_cast<double>(rounded) * keys.rom->score_scale * static_cast<double>(shape.scale);
  }
  if (is_exact(exact_keys, token, tokens)) {
    const axelram::KeyCopy& copy = keys.given.at({of, token, head}).copy;
    for (std::size_t i = 0; i < d; ++i)
      score += static_cast<double>(u[row * d + i]) * copy.elements[i];
    score = std::ldexp(score, copy.exponent + keys.parameters.centroid_bits - 2);
  } else {
    const std::vector<double> key = keys.stored(of, token, head, policy, tokens);
    for (std::size_t i = 0; i < d; ++i)
      score +=
          key[i] * (keys.records ? u[row * d + i] : axelram::half_to_double(query[row * d + i]));
  }
  if (keys.records) score *= std::ldexp(keys.rom->score_scale, exponents[row]);
  return score * static_cast<double>(shape.scale);
}

inline std::vector<double> AttentionCase::reference() {
  const auto d = static_cast<std::size_t>(shape.head_dim);
  const auto heads = static_cast<std::size_t>(shape.heads * shape.group);
  std::vector<double> out(query.size());
  for (std::size_t row = 0; row < sequence.size() * heads; ++row) {
    const std::int32_t head = static_cast<std::int32_t>(row % heads) / shape.group;
    const std::int32_t of = sequence[row / heads], tokens = visible[row / heads];
    std::vector<double> scores, sums(d), exact(d);
    for (std::int32_t token = 0; token < tokens; ++token) scores.push_back(score(row, token));
    if (tokens == 0) continue;
    const double most = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    for (std::int32_t token = 0; token < tokens; ++token) {
      const double weight = std::exp(scores[static_cast<std::size_t>(token)] - most);
      total += weight;
      if (is_exact(exact_values, token, tokens)) {
        const std::vector<std::uint16_t>& value = values.given.at({of, token, head}).elements;
        for (std::size_t i = 0; i < d; ++i) exact[i] += weight * axelram::half_to_double(value[i]);
        continue;
      }
      if (values.records && values.parameters.two_parts()) {
        const std::vector<double> value = vector_of_parts(
            values.parameters, *values.rom, values.rotations[static_cast<std::size_t>(head)],
            values.given.at({of, token, head}).record.data());
        for (std::size_t i = 0; i < d; ++i) exact[i] += weight * value[i];
        continue;
      }
      const std::vector<double> value = values.stored(of, token, head, policy, tokens);
      for (std::size_t i = 0; i < d; ++i) sums[i] += weight * value[i];
    }
    if (values.records) {
      hadamard_in_place(sums.data(), d);
      for (std::size_t i = 0; i < d; ++i)
        sums[i] *=
            values.rotations[static_cast<std::size_t>(head)].signs[i] * values.rom->score_scale;
    }
    for (std::size_t i = 0; i < d; ++i) out[row * d + i] = (sums[i] + exact[i]) / total;
  }
  return out;
}

/// The largest relative error, norm of the difference over norm, of a query head; a head of zeros
/// must be zeros.
inline double worst_error(const std::vector<float>& out, const std::vector<double>& reference,
                          int head_dim) {
  const auto d = static_cast<std::size_t>(head_dim);
  double worst = 0;
  for (std::size_t row = 0; row < reference.size(); row += d) {
    double difference = 0, norm = 0;
    for (std::size_t i = row; i < row + d; ++i) {
      const double error = static_cast<double>(out[i]) - reference[i];
      difference += error * error;
      norm += reference[i] * reference[i];
    }
    const double error = difference == 0 ? 0 : std::sqrt(difference / norm);
    if (!(error <= worst)) worst = error;
    if (std::isnan(error)) return error;
  }
  return worst;
}

}  // namespace test
