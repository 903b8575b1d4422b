#include "axelram/group_scale.hpp"
#include "axelram/half.hpp"
#include "axelram/int4.hpp"

namespace axelram {
namespace {

/// The rows as decoded, but for erased values, and the statuses of their words.
struct DecodedRows {
  const Code& code;
  const Int4Rows& rows;
  const std::vector<std::uint8_t>& statuses;

  bool erased(std::size_t token, int channel) const {
    const std::size_t size = status_bytes(code.words(rows.row_bits()));
    return erased_ref(code, &statuses[token * size], static_cast<std::size_t>(channel) * 4, 4);
  }
  bool usable(std::size_t token, int channel) const {
    return token < rows.tokens && !erased(token, channel);  // also the one before token 0
  }

  int zero(std::size_t token, int channel) const {
    if (rows.format.mode == Int4Mode::symmetric) return 0;
    const std::size_t group = rows.group_of(token, channel);
    return group_steps_ref(0, half_to_double(rows.minima[group]),
                           half_to_double(rows.scales[group]), 15);
  }
  int interpolated(std::size_t token, int channel) const {
    const bool left = usable(token - 1, channel), right = usable(token + 1, channel);
    if (left && right)
      return mean_ref(rows.value(token - 1, channel), rows.value(token + 1, channel));
    if (left) return rows.value(token - 1, channel);
    if (right) return rows.value(token + 1, channel);
    return rows.value(token, channel);
  }
};

}  // namespace

std::vector<std::uint8_t> encode_int4_ref(const Code& code, const Int4Rows& rows) {
  const std::size_t bytes = code.codeword_bytes(rows.row_bits());
  std::vector<std::uint8_t> codewords(rows.tokens * bytes);
  for (std::size_t token = 0; token < rows.tokens; ++token)
    encode_bulk_ref(code, &rows.rows[token * rows.row_bytes()], rows.row_bits(),
                    &codewords[token * bytes]);
  return codewords;
}

void corrupt_rows_ref(const FaultSite& site, std::uint64_t threshold, std::size_t rows,
                      std::size_t bits, std::uint8_t* stored) {
  std::vector<std::uint8_t> mask((bits + 7) / 8);
  for (std::size_t row = 0; row < rows; ++row) {
    FaultSite here = site;
    here.token += static_cast<std::uint32_t>(row);
    fault_mask_ref(here, bits, threshold, mask.data());
    for (const std::uint8_t flips : mask) {
      *stored = static_cast<std::uint8_t>(*stored ^ flips);
      ++stored;
    }
  }
}

DecodeCounts decode_int4_ref(const Code& code, const std::uint8_t* codewords, ErasurePolicy policy,
                             Int4Rows* rows) {
  const std::size_t bits = rows->row_bits(), bytes = code.codeword_bytes(bits);
  const std::size_t size = status_bytes(code.words(bits));
  std::vector<std::uint8_t> statuses(rows->tokens * size);
  DecodeCounts counts;
  for (std::size_t token = 0; token < rows->tokens; ++token)
    counts += decode_bulk_ref(code, codewords + token * bytes, bits,
                              &rows->rows[token * rows->row_bytes()], &statuses[token * size]);
  if (policy == ErasurePolicy::keep || counts.detected == 0) return counts;
  // In place: repaired values are erased ones, which are never read.
  const DecodedRows source{code, *rows, statuses};
  for (std::size_t token = 0; token < rows->tokens; ++token)
    for (int channel = 0; channel < rows->d; ++channel)
      if (source.erased(token, channel))
        rows->set_value(token, channel,
                        policy == ErasurePolicy::zero ? source.zero(token, channel)
                                                      : source.interpolated(token, channel));
  return counts;
}

}  // namespace axelram
