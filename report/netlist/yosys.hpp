#pragma once

#include <functional>
#include <string>
#include <vector>

#include "axelram/rtl/generator.hpp"

namespace axelram::report {

struct YosysRun {
  std::string folder;
  std::string script;
  std::string subject;                                ///< what a message names
  std::function<void(const std::string&)> line = {};  ///< receives each line of the output
  std::vector<std::string> writes = {};               ///< files that the script writes
};

/// Throws files::EnvironmentError if Yosys is missing, too old, fails, prints nothing, or leaves
/// out a file that it is to write.
void run_yosys(const YosysRun& run);

/// Command of Yosys that reads generated sources, with `options` such as "-Irtl/common".
std::string read_sources(const std::vector<rtl::GeneratedFile>& generated,
                         const std::string& options);

}  // namespace axelram::report
