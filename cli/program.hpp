#pragma once

namespace axelram::cli {

/// The program from its arguments to its exit code; errors are printed.
int program(int argc, char** argv);

}  // namespace axelram::cli
