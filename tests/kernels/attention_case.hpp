#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "axelram/codewords.hpp"
#include "axelram/datapath.hpp"
#include "axelram/half.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/kernels/attention.hpp"
#include "axelram/record.hpp"
#include "axelram/signs.hpp"
#include "paged.hpp"
#include "tiles.hpp"

/// A cache of keys or values as attention reads it, and what it holds in FP64, both from golden.
namespace test {

/// bits = 0: FP16 rows. Parameters of records.
inline axelram::Parameters parameters_of(int d, int bits) {
  axelram::Parameters p;
  p.head_dim = d;
  p.index_bits = bits == 0 ? 3 : bits;
  return p;
}

/// The elements of token `token` of a sequence, head `head`.
using Elements = std::function<std::vector<double>(std::int32_t sequence, std::int32_t token,
                                                   std::int32_t head)>;

struct CacheSide {
  axelram::Parameters parameters;
  bool records, values;
  const axelram::Code* code;  ///< of records in codewords, or null
  std::shared_ptr<const axelram::CodebookRom> rom;
  std::vector<std::vector<std::int8_t>> signs;  ///< by head
  std::vector<axelram::Datapath> datapaths;     ///< by head
  PagedCache cache;
  std::vector<std::uint8_t> bytes;  ///< of the pages, on the host

  CacheSide(kernels::Stream& stream, const axelram::Parameters& p, bool are_records,
            bool are_values, const axelram::Code* of_code, int heads, int page_tokens,
            const std::vector<std::int32_t>& lengths, std::uint64_t seed)
      : parameters(p),
        records(are_records),
        values(are_values),
        code(are_records ? of_code : nullptr),
        rom(std::make_shared<const axelram::CodebookRom>(axelram::codebook_rom(p))),
        cache(stream,
              code != nullptr
                  ? row_pages(kernels::RowKind::codewords, p.head_dim, string_bytes(p, *code),
                              string_gap(p, *code), heads, page_tokens)
              : are_records ? record_pages(p.head_dim, p.index_bits, heads, page_tokens, are_values)
                            : row_pages(kernels::RowKind::fp16, p.head_dim, 2 * p.head_dim, 16,
                                        heads, page_tokens),
              lengths, seed),
        bytes(cache.memory.download(stream)) {
    for (int head = 0; head < heads; ++head) {
      signs.emplace_back(static_cast<std::size_t>(p.head_dim));
      axelram::sign_vector(42, 3, head, p.head_dim, signs.back().data());
      datapaths.emplace_back(p, rom, signs.back(), std::vector<std::uint16_t>{});
    }
  }

  static int string_bytes(const axelram::Parameters& p, const axelram::Code& of) {
    return static_cast<int>(of.codeword_bytes(static_cast<std::size_t>(p.record_bits())));
  }
  /// To a multiple of 8, and 8 more for few index bits.
  static int string_gap(const axelram::Parameters& p, const axelram::Code& of) {
    return (8 - string_bytes(p, of) % 8) % 8 + (p.index_bits == 2 ? 8 : 0);
  }
  int d() const { return parameters.head_dim; }
  std::uint8_t* tile_at(std::int32_t sequence, std::int32_t token, std::int32_t head) {
    const auto tile = static_cast<std::size_t>(token % cache.pages.page_tokens / 32);
    return &bytes[cache.head_at(sequence, token, head) +
                  tile * kernels::tile_bytes(d(), parameters.index_bits)];
  }
  std::uint8_t* row_at(std::int32_t sequence, std::int32_t token, std::int32_t head) {
    return &bytes[cache.head_at(sequence, token, head) +
                  static_cast<std::size_t>(token % cache.pages.page_tokens *
                                           cache.pages.row_stride)];
  }

  void write(std::int32_t sequence, std::int32_t token, std::int32_t head,
             const std::vector<double>& elements) {
    std::vector<std::uint16_t> raw;
    for (const double x : elements) raw.push_back(axelram::double_to_half(x));
    if (!records) {
      std::memcpy(row_at(sequence, token, head), raw.data(), 2 * raw.size());
      return;
    }
    axelram::KeyResult result;
    datapaths[static_cast<std::size_t>(head)].write(raw.data(), &result);
    if (code != nullptr) {
      axelram::encode_bulk_ref(*code, result.record.data(), record_bits(),
                               row_at(sequence, token, head));
      return;
    }
    put_record(tile_at(sequence, token, head), values, d(), parameters.index_bits, token % 32,
               result.record.data());
  }
  std::size_t record_bits() const { return static_cast<std::size_t>(parameters.record_bits()); }
  /// Flips every bit of the codewords of a token with probability p.
  void flip(std::int32_t sequence, std::int32_t token, std::int32_t head, double p,
            std::mt19937_64& random) {
    std::bernoulli_distribution hit(p);
    for (int bit = 0; bit < 8 * string_bytes(parameters, *code); ++bit)
      if (hit(random))
        row_at(sequence, token, head)[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
  }
  struct Decoded {
    std::vector<std::uint8_t> record, statuses;
    axelram::DecodeCounts counts;
    axelram::DecodedRecord view() const { return {record.data(), statuses.data()}; }
  };
  Decoded decode(std::int32_t sequence, std::int32_t token, std::int32_t head) {
    Decoded result{std::vector<std::uint8_t>(static_cast<std::size_t>(parameters.record_bytes())),
                   std::vector<std::uint8_t>(axelram::status_bytes(code->words(record_bits()))),
                   {}};
    result.counts = axelram::decode_bulk_ref(*code, row_at(sequence, token, head), record_bits(),
                                             result.record.data(), result.statuses.data());
    return result;
  }
  /// The record of a token, decoded and repaired for a query that sees `visible` tokens.
  std::vector<std::uint8_t> repaired(std::int32_t sequence, std::int32_t token, std::int32_t head,
                                     axelram::ErasurePolicy policy, std::int32_t visible) {
    Decoded before, after;
    const Decoded current = decode(sequence, token, head);
    if (token > 0) before = decode(sequence, token - 1, head);
    if (token + 1 < visible) after = decode(sequence, token + 1, head);
    std::vector<std::uint8_t> record(current.record.size());
    axelram::repair_record_ref(*code, policy, d(), parameters.index_bits,
                               token > 0 ? before.view() : axelram::DecodedRecord{}, current.view(),
                               token + 1 < visible ? after.view() : axelram::DecodedRecord{},
                               record.data());
    return record;
  }
  /// Another norm for a record.
  void set_norm(std::int32_t sequence, std::int32_t token, std::int32_t head, std::uint16_t norm) {
    std::memcpy(
        tile_at(sequence, token, head) + kernels::tile_norm(d(), parameters.index_bits, token % 32),
        &norm, 2);
  }
  void upload(kernels::Stream& stream) {
    cache.memory.upload(stream, std::span<const std::uint8_t>(bytes));
    cache.device_table.upload(stream, std::span<const std::int32_t>(cache.table));
  }

  /// norm * C[index] of a record, or the elements of an FP16 row, as a query finds them that sees
  /// `visible` tokens.
  std::vector<double> stored(std::int32_t sequence, std::int32_t token, std::int32_t head,
                             axelram::ErasurePolicy policy, std::int32_t visible) {
    std::vector<double> x(static_cast<std::size_t>(d()));
    if (!records) {
      std::vector<std::uint16_t> raw(x.size());
      std::memcpy(raw.data(), row_at(sequence, token, head), 2 * raw.size());
      std::transform(raw.begin(), raw.end(), x.begin(), axelram::half_to_double);
      return x;
    }
    const int b = parameters.index_bits;
    std::uint16_t norm;
    if (code != nullptr) {
      std::vector<std::uint8_t> indices(x.size());
      axelram::unpack_record_ref(repaired(sequence, token, head, policy, visible).data(), d(), b,
                                 indices.data(), &norm);
      const axelram::NormValue value = axelram::decode_norm(norm);
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = std::ldexp(value.significand, value.exponent) * rom->centroids[indices[i]];
      return x;
    }
    const std::uint8_t* const tile = tile_at(sequence, token, head);
    std::memcpy(&norm, tile + kernels::tile_norm(d(), b, token % 32), 2);
    const axelram::NormValue value = axelram::decode_norm(norm);
    int log2_dim = parameters.log2_dim();
    for (int i = 0; i < d(); ++i) {
      const auto place = kernels::payload_place(values, log2_dim, token % 32, i);
      unsigned index = 0;
      for (int bit = 0; bit < b; ++bit) {
        const auto at = kernels::payload_bit(b, place.index, bit);
        std::uint32_t word;
        std::memcpy(
            &word,
            tile + 4 * kernels::tile_word(kernels::tile_vector_words(d(), b), place.lane, at.word),
            4);
        index |= (word >> at.bit & 1U) << bit;
      }
      x[static_cast<std::size_t>(i)] =
          std::ldexp(value.significand, value.exponent) * rom->centroids[index];
    }
    return x;
  }
};

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
  std::vector<std::int8_t> u8;
  std::vector<std::int32_t> u, exponents;

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
    }
  }

  /// [count, heads * group, d]
  std::vector<float> attend(std::int32_t splits, bool general = false) {
    keys.upload(stream);
    values.upload(stream);
    std::vector<std::int8_t> signs;
    for (const auto& row : values.signs) signs.insert(signs.end(), row.begin(), row.end());
    const kernels::Buffer<std::int8_t> device_signs(stream, signs), device_u8(stream, u8);
    const kernels::Buffer<std::int32_t> device_sequence(stream, sequence),
        device_visible(stream, visible), device_u(stream, u), device_exponents(stream, exponents);
    const kernels::Buffer<std::uint16_t> device_query(stream, query);
    const kernels::Buffer<float> out(query.size());
    kernels::AttentionCache cache;
    cache.keys = keys.cache.pages;
    cache.values = values.cache.pages;
    cache.table = keys.cache.block_table;
    if (keys.records) cache.key_constants = kernels::macro_constants(keys.parameters, *keys.rom);
    if (values.records)
      cache.value_constants = kernels::macro_constants(values.parameters, *values.rom);
    cache.value_signs = device_signs.data();
    kernels::Buffer<kernels::CodeCounts> device_counts(1);
    device_counts.fill(stream, 0);
    cache.code = code.get();
    cache.erasure = policy;
    cache.counts = device_counts.data();
    kernels::AttentionQueries queries;
    queries.count = sequence.size();
    queries.sequence = device_sequence.data();
    queries.visible = device_visible.data();
    queries.fp16 = device_query.data();
    queries.u8 = device_u8.data();
    if (general || keys.parameters.query_bits > 8) queries.u = device_u.data();
    queries.exponents = device_exponents.data();
    kernels::AttentionShape split_shape = shape;
    split_shape.splits = splits;
    const std::int32_t longest =
        visible.empty() ? 0 : *std::max_element(visible.begin(), visible.end());
    if (general) {
      kernels::attend_general(stream, shape, cache, queries, out.data());
      return out.download(stream);
    }
    const kernels::Buffer<std::uint8_t> workspace(
        kernels::attention_workspace(split_shape, cache, queries, longest));
    fast = kernels::has_fast_attention(split_shape, cache, queries);
    kernels::attend(stream, split_shape, cache, queries, longest, workspace.data(), out.data());
    counts = device_counts.download(stream)[0];
    return out.download(stream);
  }
  bool fast = false;  ///< the last attend() took the kernel of tensor cores

  /// The same in FP64.
  std::vector<double> reference();
};

inline std::vector<double> AttentionCase::reference() {
  const auto d = static_cast<std::size_t>(shape.head_dim);
  const auto heads = static_cast<std::size_t>(shape.heads * shape.group);
  std::vector<double> out(query.size());
  for (std::size_t row = 0; row < sequence.size() * heads; ++row) {
    const std::int32_t head = static_cast<std::int32_t>(row % heads) / shape.group;
    const std::int32_t of = sequence[row / heads], tokens = visible[row / heads];
    std::vector<double> scores, sums(d);
    for (std::int32_t token = 0; token < tokens; ++token) {
      const std::vector<double> key = keys.stored(of, token, head, policy, tokens);
      double score = 0;
      for (std::size_t i = 0; i < d; ++i)
        score +=
            key[i] * (keys.records ? u[row * d + i] : axelram::half_to_double(query[row * d + i]));
      if (keys.records) score *= std::ldexp(keys.rom->score_scale, exponents[row]);
      scores.push_back(score * static_cast<double>(shape.scale));
    }
    if (tokens == 0) continue;
    const double most = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    for (std::int32_t token = 0; token < tokens; ++token) {
      const double weight = std::exp(scores[static_cast<std::size_t>(token)] - most);
      const std::vector<double> value = values.stored(of, token, head, policy, tokens);
      total += weight;
      for (std::size_t i = 0; i < d; ++i) sums[i] += weight * value[i];
    }
    for (double& x : sums) x /= total;
    if (values.records) {
      for (std::size_t half = 1; half < d; half *= 2)
        for (std::size_t i = 0; i < d; ++i) {
          if ((i & half) != 0) continue;
          const double a = sums[i], b = sums[i + half];
          sums[i] = a + b;
          sums[i + half] = a - b;
        }
      for (std::size_t i = 0; i < d; ++i)
        sums[i] *= values.signs[static_cast<std::size_t>(head)][i] * values.rom->score_scale;
    }
    std::copy(sums.begin(), sums.end(), out.begin() + static_cast<std::ptrdiff_t>(row * d));
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
