#include <axelram/commands/list.hpp>

/// The tables of the program are there without the program.
int main() {
  axelram::commands::ListOptions options;
  options.kind = axelram::ListKind::engines;
  const auto engines = axelram::commands::list(options);
  return engines.rows.size() == 4 && engines.rows[0][0] == "golden" ? 0 : 1;
}
