#include "axelram/record.hpp"
#include "codes/coded_rows.cuh"
#include "units/int4_zero.cuh"
#include "units/interpolate.cuh"

namespace axelram::kernels {
namespace {

constexpr std::size_t kMostFields = 3;  ///< of a record
constexpr int kMostElements = 4096;     ///< of a field

struct RepairArguments {
  ErasurePolicy policy;
  std::int32_t k, fields;
  RecordField field[kMostFields];
  bool is_int4;
  Int4Zeros zeros;
  TokenRows shape;
  std::uint64_t count;
  RowArray decoded, repaired, statuses;  ///< decoded.data: also if repaired is in place
  const std::uint8_t* states;            ///< [count, statuses.bytes]
  unsigned rows;                         ///< of a block
  bool in_place, shifted;                ///< shifted: decoded and repaired differ modulo 16
};

AXELRAM_DEVICE bool has_detected(const std::uint32_t* shared, unsigned byte, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i += 4) {
    std::uint32_t word[1];
    read_bytes(shared, byte + i, word);
    word[0] &= low_bits(static_cast<int>(8 * (bytes - i)));
    if ((word[0] & word[0] >> 1 & 0x55555555U) != 0) return true;
  }
  return false;
}

/// A warp repairs one row.
AXELRAM_DEVICE void repair_row(const RepairArguments& a, std::uint64_t row) {
  const std::uint64_t token = row / a.shape.heads % a.shape.tokens;
  const auto decoded = [&](bool exists, std::uint64_t number) {
    return exists ? DecodedRecord{a.decoded.data + number * a.decoded.stride,
                                  a.states + number * a.statuses.bytes}
                  : DecodedRecord{};
  };
  const RowRepair repair{
      a.policy,
      a.k,
      a.is_int4 && !a.zeros.asymmetric,
      decoded(token > 0, row - a.shape.heads),
      decoded(true, row),
      decoded(!a.shape.each_last && token + 1 < a.shape.tokens, row + a.shape.heads)};
  std::uint8_t* const to = a.repaired.data + row * a.repaired.stride;
  const auto put = [&](int byte, int bytes, std::uint32_t value) {
    AXELRAM_ROLLED
    for (int i = 0; i < bytes; ++i) to[byte + i] = static_cast<std::uint8_t>(value >> (8 * i));
  };
  AXELRAM_ROLLED
  for (int f = 0; f < a.fields; ++f) {
    const RecordField field = a.field[f];
    const int first = static_cast<int>(field.first), lane = static_cast<int>(lane_index());
    if (field.kind == RecordField::Kind::norm && lane < field.count)
      put(first / 8 + 2 * lane, 2, repair.norm(first + 16 * lane));
    if (field.kind != RecordField::Kind::index) continue;  // residual signs stay as received
    AXELRAM_ROLLED
    for (int group = lane; group < field.count / 8; group += 32) {
      const auto zero = [&](int i) {
        return a.is_int4 ? a.zeros.value(token, 8 * group + i, field.count)
                         : zero_index(field.bits);
      };
      const int bit = first + 8 * group * field.bits;
      put(bit / 8, field.bits, repair.elements(bit, field.bits, zero));
    }
  }
}

/// Copies staged rows to addresses that differ modulo 16.
AXELRAM_DEVICE void store_shifted(const RowArray& from, const RowArray& to, unsigned rows,
                                  const std::uint32_t* shared) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(shared);
  for (unsigned row = warp_index(); row < rows; row += kCoderThreads / 32)
    for (unsigned i = lane_index(); i < to.bytes; i += 32)
      to.data[row * to.stride + i] = bytes[from.shared_offset(row) + i];
}

/// Reads every row's statuses, and copies rows unless in place; rows with erasures, few at error
/// rates worth a code, are then repaired by a warp each. In place, the bytes of a row's neighbours
/// may be under repair: only those of erased elements change, and these are not used.
AXELRAM_KERNEL void AXELRAM_BOUNDS(kCoderThreads, 8) repair_kernel(RepairArguments a) {
  auto* const found = shared_memory<std::uint32_t>();  // their number, then the rows with erasures
  std::uint32_t* const statuses = found + (a.rows + 4) / 4 * 4;
  std::uint32_t* const rows = statuses + a.statuses.shared_words(a.rows);
  for (std::uint64_t first = std::uint64_t{block_x()} * a.rows; first < a.count;
       first += std::uint64_t{grid_x()} * a.rows) {
    const auto here = static_cast<unsigned>(a.count - first < a.rows ? a.count - first : a.rows);
    const RowArray states = a.statuses.from_row(first);
    load_rows(states, here, statuses);
    if (!a.in_place) load_rows(a.decoded.from_row(first), here, rows);
    if (thread_index() == 0) found[0] = 0;
    wait_async<0>();
    sync_block();
    for (unsigned row = thread_index(); row < here; row += kCoderThreads)
      if (has_detected(statuses, states.shared_offset(row), states.bytes))
        found[1 + atomic_add(found, 1U)] = row;
    if (!a.in_place && a.shifted)
      store_shifted(a.decoded.from_row(first), a.repaired.from_row(first), here, rows);
    else if (!a.in_place)
      store_rows(a.repaired.from_row(first), here, rows);
    sync_block();
    const unsigned erased = found[0];
    for (unsigned i = warp_index(); i < erased; i += kCoderThreads / 32)
      repair_row(a, first + found[1 + i]);
    sync_block();
  }
}

void repair(Stream& stream, const char* kernel, const DeviceCode& code, RepairArguments a,
            const std::vector<RecordField>& fields, const std::uint8_t* decoded,
            std::size_t row_stride, const std::uint8_t* statuses, std::uint8_t* repaired) {
  a.count = a.shape.count();
  if (a.count == 0) return;
  a.k = code.view().k;
  const std::size_t row_bytes = fields.empty() ? 0 : fields.back().end() / 8;
  const std::string shapes = code.code().name + " [" + std::to_string(a.shape.sequences) + ", " +
                             std::to_string(a.shape.tokens) + ", " + std::to_string(a.shape.heads) +
                             "] of " + std::to_string(row_bytes) + " bytes";
  const std::string call = std::string(kernel) + "(" + shapes + "): ";
  if (fields.size() > kMostFields)
    throw DeviceError(call + "at most " + std::to_string(kMostFields) + " fields of a record fit");
  for (const RecordField& field : fields) {
    if (field.kind == RecordField::Kind::index &&
        (field.count < 8 || field.count % 8 != 0 || field.count > kMostElements || field.bits < 1 ||
         field.bits > 4))
      throw DeviceError(call + "rows must have a multiple of 8 elements up to " +
                        std::to_string(kMostElements) + ", of 1 to 4 bits");
    a.field[a.fields++] = field;
  }
  if (a.count > 1 && row_stride < row_bytes)
    throw DeviceError(call + "a stride of " + std::to_string(row_stride) + " bytes");
  if (a.zeros.asymmetric && a.policy == ErasurePolicy::zero &&
      (a.shape.sequences != 1 || a.shape.heads != 1))
    throw DeviceError(call + "the scales are those of one sequence and head");
  const std::size_t state_bytes = status_bytes(code.code().words(8 * row_bytes));
  a.in_place = decoded == repaired;
  a.shifted =
      (reinterpret_cast<std::uintptr_t>(decoded) - reinterpret_cast<std::uintptr_t>(repaired)) %
          16 !=
      0;
  if (a.in_place && a.policy == ErasurePolicy::keep) return;
  a.decoded = row_array(const_cast<std::uint8_t*>(decoded), row_stride, row_bytes, 16);
  a.repaired = row_array(repaired, row_stride, row_bytes, 1);
  a.decoded.pitch = a.repaired.pitch;
  a.decoded.together = a.repaired.together;
  a.statuses = row_array(const_cast<std::uint8_t*>(statuses), state_bytes, state_bytes, 1);
  a.states = statuses;
  const std::size_t pitches =
      a.statuses.pitch + sizeof(std::uint32_t) + (a.in_place ? 0 : a.decoded.pitch);
  a.rows = static_cast<unsigned>(std::clamp<std::size_t>(16384 / pitches / 16 * 16, 16, 1024));
  const std::size_t blocks = (a.count + a.rows - 1) / a.rows;
  const auto working = static_cast<std::size_t>(code.multiprocessors()) * 16;
  launch(stream,
         {kernel, shapes, std::min(blocks, working), 1, 1, kCoderThreads,
          a.rows * pitches + 32 + 2 * RowArray::kMargin},
         repair_kernel, a);
}

}  // namespace

void repair_rows(Stream& stream, const DeviceCode& code, ErasurePolicy policy,
                 const std::vector<RecordField>& fields, const TokenRows& rows,
                 const std::uint8_t* decoded, std::size_t row_stride, const std::uint8_t* statuses,
                 std::uint8_t* repaired) {
  RepairArguments a{};
  a.policy = policy;
  a.shape = rows;
  repair(stream, "repair_rows", code, a, fields, decoded, row_stride, statuses, repaired);
}

void repair_int4_rows(Stream& stream, const DeviceCode& code, ErasurePolicy policy, int d,
                      const Int4Scales& scales, const TokenRows& rows, const std::uint8_t* decoded,
                      std::size_t row_stride, const std::uint8_t* statuses,
                      std::uint8_t* repaired) {
  RepairArguments a{};
  a.policy = policy;
  a.is_int4 = true;
  a.shape = rows;
  const Int4Format& format = scales.format;
  const bool channels = format.groups == Int4Groups::channel;
  const std::size_t all = channels ? rows.tokens : static_cast<std::size_t>(d);
  a.zeros = {format.mode == Int4Mode::asymmetric, channels,
             format.group > 0 ? static_cast<std::uint64_t>(format.group) : all, scales.scales,
             scales.minima};
  repair(stream, "repair_int4_rows", code, a, {{RecordField::Kind::index, 0, d, 4}}, decoded,
         row_stride, statuses, repaired);
}

}  // namespace axelram::kernels
