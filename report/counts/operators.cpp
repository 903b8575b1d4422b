#include "counts/counts.hpp"

namespace axelram::report {

void add_operators(const files::Config& config, Lines* lines) {
  add_operations(config, lines);
  add_multiplications(config, lines);
  add_hardware(config, lines);
  add_trellis(config, lines);
  add_residual(config, lines);
  add_split(config, lines);
  add_scale(config, lines);
  add_exact(config, lines);
}

}  // namespace axelram::report
