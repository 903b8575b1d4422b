#include "program.hpp"

#ifdef AXELRAM_PROVIDE_CUDA
#include "axelram/engines/engine.hpp"
#endif

int main(int argc, char** argv) {
#ifdef AXELRAM_PROVIDE_CUDA
  axelram::engines::provide(axelram::engines::cuda_engine());
#endif
  return axelram::cli::program(argc, argv);
}
