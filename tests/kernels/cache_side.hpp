#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "axelram/codewords.hpp"
#include "axelram/datapath.hpp"
#include "axelram/half.hpp"
#include "axelram/head_rotation.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/record.hpp"
#include "axelram/trellis.hpp"
#include "paged.hpp"
#include "tiles.hpp"

/// A cache of keys or values as attention reads it, and what it holds in FP64, both from golden.
namespace test {

/// bits = 0: FP16 rows. Parameters of records.
inline axelram::Parameters parameters_of(int d, int bits) {
  return {.head_dim = d, .index_bits = bits == 0 ? 3 : bits};
}

struct CacheSide {
  axelram::Parameters parameters;
  bool records, values;
  const axelram::Code* code;  ///< of records in codewords, or null
  std::shared_ptr<const axelram::CodebookRom> rom;
  std::vector<axelram::HeadRotation> rotations;  ///< by head
  std::vector<axelram::Datapath> datapaths;      ///< by head
  PagedCache cache;
  std::vector<std::uint8_t> bytes;  ///< of the pages, on the host
  /// What a row was given as, by sequence, token and head; the copy of keys with exact tokens; the
  /// record that is stored, if it has two parts.
  struct Given {
    std::vector<std::uint16_t> elements;
    axelram::KeyCopy copy;
    std::vector<std::uint8_t> record{};
  };
  std::map<std::array<std::int32_t, 3>, Given> given;

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
              : are_records && p.two_parts() ? part_pages(p, heads, page_tokens, are_values)
              : are_records ? record_pages(p.head_dim, p.index_bits, heads, page_tokens, are_values)
                            : row_pages(kernels::RowKind::fp16, p.head_dim, 2 * p.head_dim, 16,
                                        heads, page_tokens),
              lengths, seed),
        bytes(cache.memory.download(stream)) {
    for (int head = 0; head < heads; ++head) {
      std::vector<std::uint16_t> high;
      for (int c = head % 2; c < p.head_dim && p.split(); c += 2)
        high.push_back(static_cast<std::uint16_t>(c));
      rotations.push_back(axelram::seeded_rotation(p, 42, 3, head, high));
      datapaths.emplace_back(p, rom, rotations.back(), std::vector<std::uint16_t>{});
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
    return &bytes[cache.head_at(sequence, token, head) + tile * kernels::tile_bytes(cache.pages)];
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
    given[{sequence, token, head}] = {raw, result.copy, result.record};
    if (code != nullptr) {
      axelram::encode_bulk_ref(*code, result.record.data(), record_bits(),
                               row_at(sequence, token, head));
      return;
    }
    put_record(tile_at(sequence, token, head), cache.pages, token % 32, result.record.data());
  }
  std::size_t record_bits() const { return static_cast<std::size_t>(parameters.record_bits()); }
  /// A record of any bits in place of that of a token.
  void put(std::int32_t sequence, std::int32_t token, std::int32_t head,
           const std::uint8_t* record) {
    put_record(tile_at(sequence, token, head), cache.pages, token % 32, record);
    if (parameters.two_parts())
      given[{sequence, token, head}].record.assign(record, record + parameters.record_bytes());
  }
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
    axelram::repair_record_ref(*code, policy, axelram::record_fields(d(), parameters.index_bits),
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
    std::vector<std::uint8_t> levels(x.size());
    std::uint16_t norm;
    if (code != nullptr)
      axelram::unpack_record_ref(repaired(sequence, token, head, policy, visible).data(), d(), b,
                                 levels.data(), &norm);
    else
      norm = unpack_tile(sequence, token, head, levels.data());
    if (parameters.trellis())
      axelram::trellis_level_ref(levels.data(), d(), parameters.states, levels.data());
    const axelram::NormValue value = axelram::decode_norm(norm);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = std::ldexp(value.significand, value.exponent) * rom->centroids[levels[i]];
    return x;
  }

  /// The indices of a record in a tile; returns its norm.
  std::uint16_t unpack_tile(std::int32_t sequence, std::int32_t token, std::int32_t head,
                            std::uint8_t* indices) {
    const int b = parameters.index_bits;
    std::uint16_t norm;
    const std::uint8_t* const tile = tile_at(sequence, token, head);
    std::memcpy(&norm, tile + kernels::tile_norm(d(), b, token % 32), 2);
    const int log2_dim = parameters.log2_dim();
    for (int i = 0; i < d(); ++i) {
      const auto slot = kernels::payload_slot(values, log2_dim, token % 32, i);
      unsigned index = 0;
      for (int bit = 0; bit < b; ++bit) {
        const auto at = kernels::payload_bit(b, slot.index, bit);
        std::uint32_t word;
        std::memcpy(
            &word,
            tile + 4 * kernels::tile_word(kernels::tile_vector_words(d(), b), slot.lane, at.word),
            4);
        index |= (word >> at.bit & 1U) << bit;
      }
      indices[i] = static_cast<std::uint8_t>(index);
    }
    return norm;
  }
};

}  // namespace test
