#include <filesystem>
#include <sstream>

#include "axelram/rtl/generator.hpp"

namespace axelram::rtl {

std::vector<std::string> sources_of(const std::vector<GeneratedFile>& generated) {
  std::vector<std::string> sources;
  for (const GeneratedFile& file : generated) {
    if (file.path != "axelram.f") continue;
    std::istringstream words(file.text);
    for (std::string word; words >> word;)
      if (word.front() != '+') sources.push_back(word);
  }
  return sources;
}

std::string top_of(const std::vector<std::string>& sources) {
  return std::filesystem::path(sources.back()).stem().string();
}

}  // namespace axelram::rtl
