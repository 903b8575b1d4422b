#pragma once

namespace axelram::commands {

extern const char* const kVersion;  ///< of the program, such as 0.2.0
/// Commit that the program was built from: 12 digits, and "+" if files differed from it; "" if it
/// is not known.
extern const char* const kCommit;

}  // namespace axelram::commands
