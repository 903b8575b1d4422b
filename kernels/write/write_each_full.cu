#include "write/write_feedback.cuh"

namespace axelram::kernels {

void write_each_full(Stream& stream, const FedArguments& arguments) {
  const auto run = arguments.c.head_dim == 32    ? launch_fed<EachFull<32>>
                   : arguments.c.head_dim == 64  ? launch_fed<EachFull<64>>
                   : arguments.c.head_dim == 128 ? launch_fed<EachFull<128>>
                                                 : launch_fed<EachFull<256>>;
  run(stream, arguments);
}

}  // namespace axelram::kernels
