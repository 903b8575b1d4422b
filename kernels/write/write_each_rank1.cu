#include "write/feedback_rank1.cuh"
#include "write/write_feedback.cuh"

namespace axelram::kernels {
namespace {

template <int kDim>
void write(Stream& stream, const FedArguments& arguments) {
  const auto run = arguments.c.index_bits == 2   ? launch_fed<EachRank1<kDim, 2>>
                   : arguments.c.index_bits == 3 ? launch_fed<EachRank1<kDim, 3>>
                                                 : launch_fed<EachRank1<kDim, 4>>;
  run(stream, arguments);
}

}  // namespace

void write_each_rank1(Stream& stream, const FedArguments& arguments) {
  const auto run = arguments.c.head_dim == 32    ? write<32>
                   : arguments.c.head_dim == 64  ? write<64>
                   : arguments.c.head_dim == 128 ? write<128>
                                                 : write<256>;
  run(stream, arguments);
}

}  // namespace axelram::kernels
