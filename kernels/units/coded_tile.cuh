#pragma once

#include <cstdint>

#include "device/platform.cuh"
#include "units/codewords.cuh"
#include "units/interpolate.cuh"

/// Up to 32 coded records of consecutive tokens, decoded by one warp. Lane i decodes record i to
/// row-major bits in shared memory. The whole warp then repairs the erasures, record by record.
namespace axelram::kernels {

/// Strides are in words. In shared memory, unless said otherwise.
struct CodedTile {
  int bits;    ///< of a record: head_dim * index_bits + 16
  int tokens;  ///< 1..32
  /// Codewords of the tile's tokens, token i's from word i * codeword_stride on; at least two
  /// tokens' space. If kPairs, these must be multiples of 8 bytes. Up to 28 bytes after a
  /// token's last codeword are read, whatever they are. repair_tile() overwrites them. Fastest: an
  /// even stride that is no multiple of 4, with kPairs; an odd one without.
  std::uint32_t* codewords;
  int codeword_stride;
  /// Codewords of the tokens before and after the tile, at a multiple of 4 bytes in any memory;
  /// null at the ends of the sequence. Read only if an erasure needs them, in whole words.
  const std::uint32_t *before, *after;
  /// [34, record_stride]: row i + 1 becomes token i's record, ceil(bits/32) words with zeros after
  /// the record; rows 0 and 33 are scratch. Fastest: an odd stride.
  std::uint32_t* records;
  int record_stride;
  /// [34, status_stride]: statuses as decode_bulk_ref has them, of a record words(bits)/16 words
  /// rounded up; row i + 1 is token i's. If Coder::kSlices, groups of eight words of which none is
  /// uncorrectable are all clean; without Coder::kDetects nothing is written. Fastest: an odd
  /// stride.
  std::uint32_t* statuses;
  int status_stride;

  AXELRAM_HD std::uint32_t* record(int token) const {
    return records + (token + 1) * record_stride;
  }
  AXELRAM_HD std::uint32_t* status(int token) const {
    return statuses + (token + 1) * status_stride;
  }
};

/// The codewords of group `group` of a string.
template <class Coder, bool kPairs>
AXELRAM_DEVICE void read_group(const std::uint32_t* codewords, int group,
                               std::uint32_t (&r)[Coder::kCodewordRegisters]) {
  if constexpr (Coder::kCodewordBytes % 4 != 0) {
    read_bytes(codewords, static_cast<unsigned>(group * Coder::kCodewordBytes), r);
  } else {
    const std::uint32_t* const from = codewords + group * (Coder::kCodewordBytes / 4);
    AXELRAM_UNROLL
    for (int i = 0; i < Coder::kCodewordRegisters; i += 2) {
      if constexpr (kPairs) {
        const Words2 pair = *reinterpret_cast<const Words2*>(from + i);
        r[i] = pair.w[0];
        r[i + 1] = pair.w[1];
      } else {
        r[i] = from[i];
        r[i + 1] = from[i + 1];
      }
    }
  }
}

/// Data of the last words of a record, fewer than a group: `left` bits, and zeros after them.
template <class Coder>
AXELRAM_DEVICE void put_last(const std::uint32_t (&data)[Coder::kDataRegisters], int left,
                             std::uint32_t* to) {
  AXELRAM_UNROLL
  for (int i = 0; i < Coder::kDataRegisters; ++i)
    if (left > 32 * i) to[i] = data[i] & low_bits(left - 32 * i);
}
/// The codewords of these last words, and zeros after them.
template <class Coder, bool kPairs>
AXELRAM_DEVICE void read_last(const std::uint32_t* codewords, int group, int left,
                              std::uint32_t (&r)[Coder::kCodewordRegisters]) {
  read_group<Coder, kPairs>(codewords, group, r);
  keep_bits(r, (left + Coder::kDataBytes - 1) / Coder::kDataBytes * Coder::kCodewordBytes);
}

/// One thread decodes one record of `bits` bits: 32 words at a time, then eight. Returns whether a
/// word is uncorrectable. For Hamming codes.
template <class Coder, bool kPairs>
AXELRAM_DEVICE bool decode_slices(const Coder& coder, const std::uint32_t* codewords, int bits,
                                  std::uint32_t* record, std::uint32_t* statuses,
                                  StatusCounts* counts) {
  auto* const states = reinterpret_cast<std::uint16_t*>(statuses);
  const int groups = bits / 32, left = bits % 32;
  bool detected = false;
  std::uint32_t r[2], data[1];
  WordTally tally;
  const auto decode_group = [&](int group) {
    const std::uint32_t found = coder.decode(r, data, &tally);
    if constexpr (Coder::kDetects) {
      detected = detected || found != 0;
      states[group] = static_cast<std::uint16_t>(found);
    }
  };
  int group = 0;
  for (; group + 4 <= groups; group += 4) {
    std::uint32_t sliced[Coder::kCodewordBytes], joined[4];
    AXELRAM_UNROLL
    for (int i = 0; i < Coder::kCodewordBytes; ++i)
      sliced[i] = codewords[group / 4 * Coder::kCodewordBytes + i];
    const bool erased = coder.decode_slices(sliced, joined, counts);
    AXELRAM_UNROLL
    for (int i = 0; i < 4; ++i) record[group + i] = joined[i];
    if constexpr (Coder::kDetects) {
      statuses[group / 2] = statuses[group / 2 + 1] = 0;
      for (int i = group; erased && i < group + 4; ++i) {
        read_group<Coder, kPairs>(codewords, i, r);
        decode_group(i);
      }
      if (erased) tally = {};  // these errors are counted already
    }
  }
  for (; group < groups; ++group) {
    read_group<Coder, kPairs>(codewords, group, r);
    decode_group(group);
    record[group] = data[0];
  }
  if (left > 0) {
    read_last<Coder, kPairs>(codewords, group, left, r);
    decode_group(group);
    put_last<Coder>(data, left, record + group);
  }
  add_tally(&tally, counts);
  return detected;
}

/// The same for Golay(24,12), eight words at a time.
template <class Coder, bool kPairs>
AXELRAM_DEVICE bool decode_words(const Coder& coder, const std::uint32_t* codewords, int bits,
                                 std::uint32_t* record, std::uint32_t* statuses,
                                 StatusCounts* counts) {
  constexpr int kDataBits = 8 * Coder::kDataBytes;
  auto* const states = reinterpret_cast<std::uint16_t*>(statuses);
  const int groups = bits / kDataBits, left = bits - groups * kDataBits;
  std::uint32_t detected = 0, found = 0;
  std::uint32_t r[Coder::kCodewordRegisters], data[Coder::kDataRegisters];
  const auto on_error = [&](std::uint32_t statuses_of_group) {
    found = statuses_of_group;
    counts->add(found);
  };
  const auto keep_status = [&](int group) {
    detected |= found & found >> 1 & 0x5555U;
    states[group] = static_cast<std::uint16_t>(found);
    found = 0;
  };
  AXELRAM_UNROLL_BY_4
  for (int group = 0; group < groups; ++group) {
    read_group<Coder, kPairs>(codewords, group, r);
    coder.decode(r, data, on_error);
    keep_status(group);
    AXELRAM_UNROLL
    for (int i = 0; i < Coder::kDataRegisters; ++i)
      record[group * Coder::kDataRegisters + i] = data[i];
  }
  if (left > 0) {
    read_last<Coder, kPairs>(codewords, groups, left, r);
    if (left <= kDataBits / 2)
      coder.template decode<4>(r, data, on_error);
    else
      coder.decode(r, data, on_error);
    keep_status(groups);
    put_last<Coder>(data, left, record + groups * Coder::kDataRegisters);
  }
  return detected != 0;
}

template <class Coder, bool kPairs>
AXELRAM_DEVICE bool decode_record(const Coder& coder, const std::uint32_t* codewords, int bits,
                                  std::uint32_t* record, std::uint32_t* statuses,
                                  StatusCounts* counts) {
  if constexpr (Coder::kSlices)
    return decode_slices<Coder, kPairs>(coder, codewords, bits, record, statuses, counts);
  else
    return decode_words<Coder, kPairs>(coder, codewords, bits, record, statuses, counts);
}

/// Decodes the tile's records, their erasures as received. Bit i of the result: token i has an
/// uncorrectable word. counts: of the lane's record. Call sync_warp() before other lanes read the
/// records. There is nothing to repair if the result is 0 or the policy is keep.
template <class Coder, bool kPairs>
AXELRAM_DEVICE std::uint32_t decode_tile(const Coder& coder, const CodedTile& tile,
                                         StatusCounts* counts) {
  const auto token = static_cast<int>(lane_index());
  bool detected = false;
  if (token < tile.tokens)
    detected =
        decode_record<Coder, kPairs>(coder, tile.codewords + token * tile.codeword_stride,
                                     tile.bits, tile.record(token), tile.status(token), counts);
  return ballot(detected);
}

/// After decode_tile: repairs the tokens that `detected` names, as golden's repair_record_ref does.
/// Ends with sync_warp().
template <class Coder, bool kPairs>
AXELRAM_DEVICE void repair_tile(const Coder& coder, const CodedTile& tile, ErasurePolicy policy,
                                int head_dim, int index_bits, std::uint32_t detected) {
  if (detected == 0 || policy == ErasurePolicy::keep) return;
  const auto lane = static_cast<int>(lane_index());
  if (policy == ErasurePolicy::interpolate) {
    const int words = (tile.bits + Coder::kDataBytes - 1) / Coder::kDataBytes;
    for (int i = lane; 32 * i < words * Coder::kCodewordBytes; i += 32) {
      if (tile.before != nullptr) tile.codewords[i] = tile.before[i];
      if (tile.after != nullptr) tile.codewords[tile.codeword_stride + i] = tile.after[i];
    }
    sync_warp();
    StatusCounts unused;
    if ((lane == 0 && tile.before != nullptr) || (lane == 1 && tile.after != nullptr)) {
      const int token = lane == 0 ? -1 : tile.tokens;
      decode_record<Coder, kPairs>(coder, tile.codewords + lane * tile.codeword_stride, tile.bits,
                                   tile.record(token), tile.status(token), &unused);
    }
  }
  sync_warp();
  const auto row = [&](int token) {
    const bool missing =
        (token < 0 && tile.before == nullptr) || (token == tile.tokens && tile.after == nullptr);
    return missing ? DecodedRecord{}
                   : DecodedRecord{reinterpret_cast<const std::uint8_t*>(tile.record(token)),
                                   reinterpret_cast<const std::uint8_t*>(tile.status(token))};
  };
  AXELRAM_ROLLED
  for (int token = 0; token < tile.tokens; ++token) {
    if ((detected >> token & 1) == 0) continue;
    const RowRepair repair{policy,         Coder::kDataBytes, false,
                           row(token - 1), row(token),        row(token + 1)};
    auto* const record = reinterpret_cast<std::uint8_t*>(tile.record(token));
    const auto put = [&](int byte, int bytes, std::uint32_t value) {
      for (int i = 0; i < bytes; ++i)
        record[byte + i] = static_cast<std::uint8_t>(value >> (8 * i));
    };
    // A lane keeps to its bytes of all rows: they need no barrier between tokens.
    AXELRAM_ROLLED
    for (int group = lane; group <= head_dim / 8; group += 32) {
      if (group < head_dim / 8)
        put(group * index_bits, index_bits,
            repair.elements(8 * group * index_bits, index_bits,
                            [&](int) { return zero_index(index_bits); }));
      else
        put(head_dim / 8 * index_bits, 2, repair.norm(head_dim * index_bits));
    }
  }
  sync_warp();
}

}  // namespace axelram::kernels
