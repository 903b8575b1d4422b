#include "codes/coded_rows.cuh"

namespace axelram::kernels {
namespace {

struct CorrectArguments {
  CodeView code;
  CodedRows cut;
  CodedArray codewords;
  CodeCounts* counts;
};

/// Reads every codeword once, from device memory, and writes only groups that had an error, so that
/// it is bound by reading.
template <class Groups>
AXELRAM_KERNEL void AXELRAM_BOUNDS(kCoderThreads, 8) correct_kernel(CorrectArguments a) {
  auto* const table = shared_memory<std::uint32_t>();
  std::uint32_t* const codewords = table + Groups::kTableBytes / 4;
  const Groups groups = Groups::of_block(a.code, table);
  const CodedRows& c = a.cut;
  const unsigned piece = block_y();
  const PieceGroups shape = piece_groups(c, piece, groups.data_bytes());
  const RowArray from = a.codewords.piece(c, piece);
  StatusCounts counted;
  for (std::uint64_t first = std::uint64_t{block_x()} * c.rows; first < c.count;
       first += std::uint64_t{grid_x()} * c.rows) {
    const auto here = static_cast<unsigned>(c.count - first < c.rows ? c.count - first : c.rows);
    const RowArray source = from.from_row(first);
    load_rows(source, here, codewords);
    wait_async<0>();
    sync_block();
    for_groups(c, shape, here, [&](unsigned row, unsigned group, const PieceGroups::Size& size) {
      const unsigned place = group * a.codewords.group_bytes;
      counted.add(groups.correct({codewords, source.shared_offset(row) + place}, size.words,
                                 source.data + row * source.stride + place));
    });
    sync_block();
  }
  if (a.counts != nullptr) add_counts(c, counted, a.counts);
}

}  // namespace

void correct_rows(Stream& stream, const DeviceCode& code, std::uint8_t* codewords,
                  std::size_t count, std::size_t bits, std::size_t codeword_stride,
                  CodeCounts* counts) {
  if (count == 0 || bits == 0) return;
  CodedCall call("correct_rows", code, count, bits);
  CorrectArguments a{};
  a.code = code.view();
  a.codewords =
      call.to_read(codewords, codeword_stride, code.code().codeword_bytes(bits), a.code.n);
  a.cut = call.cut();
  a.counts = counts;
  visit_groups(a.code.kernel, [&](auto groups) {
    using Groups = decltype(groups);
    launch(stream, call.launch_over(Groups::kTableBytes), correct_kernel<Groups>, a);
  });
}

}  // namespace axelram::kernels
