#include "codes/coded_rows.cuh"

namespace axelram::kernels {
namespace {

struct EncodeArguments {
  CodeView code;
  CodedRows cut;
  CodedArray rows, codewords;
};

/// Bytes per row of d = 128, b = 3 under golay24: 50 read, 102 written; memory-bound.
template <class Groups>
AXELRAM_KERNEL void AXELRAM_BOUNDS(kCoderThreads, 8) encode_kernel(EncodeArguments a) {
  auto* const table = shared_memory<std::uint32_t>();
  std::uint32_t* const rows = table + Groups::kTableBytes / 4;
  const Groups groups = Groups::of_block(a.code, table);
  const CodedRows& c = a.cut;
  const unsigned piece = block_y();
  const PieceGroups shape = piece_groups(c, piece, groups.data_bytes());
  const RowArray from = a.rows.piece(c, piece), to = a.codewords.piece(c, piece);
  std::uint32_t* const codewords = rows + from.shared_words(c.rows);
  const int alignment = a.codewords.alignment();
  for (std::uint64_t first = std::uint64_t{block_x()} * c.rows; first < c.count;
       first += std::uint64_t{grid_x()} * c.rows) {
    const auto here = static_cast<unsigned>(c.count - first < c.rows ? c.count - first : c.rows);
    const RowArray source = from.from_row(first), coded = to.from_row(first);
    load_rows(source, here, rows);
    wait_async<0>();
    sync_block();
    for_groups(c, shape, here, [&](unsigned row, unsigned group, const PieceGroups::Size& size) {
      groups.encode(
          {rows, source.shared_offset(row) + group * a.rows.group_bytes}, size.words, size.bits,
          {codewords, coded.shared_offset(row) + group * a.codewords.group_bytes}, alignment);
    });
    sync_block();
    store_rows(coded, here, codewords);
  }
}

}  // namespace

void encode_rows(Stream& stream, const DeviceCode& code, const std::uint8_t* rows,
                 std::size_t count, std::size_t bits, std::size_t row_stride,
                 std::uint8_t* codewords, std::size_t codeword_stride) {
  if (count == 0 || bits == 0) return;
  CodedCall call("encode_rows", code, count, bits);
  EncodeArguments a{};
  a.code = code.view();
  a.rows = call.to_read(rows, row_stride, (bits + 7) / 8, a.code.k);
  a.codewords =
      call.to_write(codewords, codeword_stride, code.code().codeword_bytes(bits), a.code.n);
  a.cut = call.cut();
  visit_groups(a.code.kernel, [&](auto groups) {
    using Groups = decltype(groups);
    launch(stream, call.launch_over(Groups::kTableBytes), encode_kernel<Groups>, a);
  });
}

}  // namespace axelram::kernels
