#include "axelram/commands/progress.hpp"

namespace axelram::commands {

void tell(const Progress& progress, const Step& step) {
  if (progress) progress(step);
}

std::function<void(const std::string&)> lines_of(const Progress& progress) {
  return [&progress](const std::string& line) { tell(progress, {line, 0, 0, ""}); };
}

}  // namespace axelram::commands
