#include "codes/coded_rows.cuh"

namespace axelram::kernels {
namespace {

struct DecodeArguments {
  CodeView code;
  CodedRows cut;
  CodedArray codewords, rows, statuses;  ///< statuses.rows.data may be null
  CodeCounts* counts;
};

/// Bytes per row of d = 128, b = 3 under golay24: 102 read, 50 + 9 written. Eight words without an
/// error take some 170 instructions of a thread under golay24, 100 under Hamming codes, a third of
/// them for words that begin anywhere: about as long as memory does.
template <class Groups>
AXELRAM_KERNEL void AXELRAM_BOUNDS(kCoderThreads, 8) decode_kernel(DecodeArguments a) {
  auto* const table = shared_memory<std::uint32_t>();
  std::uint32_t* const codewords = table + Groups::kTableBytes / 4;
  const Groups groups = Groups::of_block(a.code, table);
  const CodedRows& c = a.cut;
  const unsigned piece = block_y();
  const PieceGroups shape = piece_groups(c, piece, groups.data_bytes());
  const RowArray from = a.codewords.piece(c, piece), to = a.rows.piece(c, piece),
                 states = a.statuses.piece(c, piece);
  const bool keeps = a.statuses.rows.data != nullptr;
  std::uint32_t* const rows = codewords + from.shared_words(c.rows);
  std::uint32_t* const statuses = rows + to.shared_words(c.rows);
  const int alignment = a.rows.alignment();
  StatusCounts counted;
  for (std::uint64_t first = std::uint64_t{block_x()} * c.rows; first < c.count;
       first += std::uint64_t{grid_x()} * c.rows) {
    const auto here = static_cast<unsigned>(c.count - first < c.rows ? c.count - first : c.rows);
    const RowArray source = from.from_row(first), data = to.from_row(first),
                   state = states.from_row(first);
    load_rows(source, here, codewords);
    wait_async<0>();
    sync_block();
    for_groups(c, shape, here, [&](unsigned row, unsigned group, const PieceGroups::Size& size) {
      const std::uint32_t found = groups.decode(
          {codewords,
           source.shared_offset(row) + group * static_cast<unsigned>(groups.codeword_bytes())},
          size.words, size.bits,
          {rows, data.shared_offset(row) + group * static_cast<unsigned>(groups.data_bytes())},
          alignment);
      counted.add(found);
      if (keeps)
        write_bytes(
            reinterpret_cast<std::uint8_t*>(statuses) + state.shared_offset(row) + 2 * group,
            (size.words + 3) / 4, 1, {found});
    });
    sync_block();
    store_rows(data, here, rows);
    if (keeps) store_rows(state, here, statuses);
  }
  if (a.counts != nullptr) add_counts(c, counted, a.counts);
}

}  // namespace

void decode_rows(Stream& stream, const DeviceCode& code, const std::uint8_t* codewords,
                 std::size_t count, std::size_t bits, std::size_t codeword_stride,
                 std::uint8_t* rows, std::size_t row_stride, std::uint8_t* statuses,
                 CodeCounts* counts) {
  if (count == 0 || bits == 0) return;
  CodedCall call("decode_rows", code, count, bits);
  const std::size_t state_bytes = status_bytes(code.code().words(bits));
  DecodeArguments a{};
  a.code = code.view();
  a.codewords =
      call.to_read(codewords, codeword_stride, code.code().codeword_bytes(bits), a.code.n);
  a.rows = call.to_write(rows, row_stride, (bits + 7) / 8, a.code.k);
  a.statuses = call.to_write(statuses, state_bytes, state_bytes, 2);
  a.cut = call.cut();
  a.counts = counts;
  visit_groups(a.code.kernel, [&](auto groups) {
    using Groups = decltype(groups);
    launch(stream, call.launch_over(Groups::kTableBytes), decode_kernel<Groups>, a);
  });
}

}  // namespace axelram::kernels
