#include "write/write_feedback.cuh"

namespace axelram::kernels {
namespace {

template <int kDim>
void write(Stream& stream, const FedArguments& arguments) {
  const auto run = arguments.c.states == 4   ? launch_fed<PathFull<kDim, 4>>
                   : arguments.c.states == 8 ? launch_fed<PathFull<kDim, 8>>
                                             : launch_fed<PathFull<kDim, 16>>;
  run(stream, arguments);
}

}  // namespace

void write_path_full(Stream& stream, const FedArguments& arguments) {
  const auto run = arguments.c.head_dim == 32    ? write<32>
                   : arguments.c.head_dim == 64  ? write<64>
                   : arguments.c.head_dim == 128 ? write<128>
                                                 : write<256>;
  run(stream, arguments);
}

}  // namespace axelram::kernels
