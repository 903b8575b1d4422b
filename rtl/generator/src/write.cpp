#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/rtl/generator.hpp"

namespace axelram::rtl {
namespace {

namespace fs = std::filesystem;

bool holds(const fs::path& path, const std::string& text) {
  if (fs::is_directory(path))
    throw files::InputError(path.string() +
                            ": is a directory, not a file; choose another output directory");
  std::ifstream in(path, std::ios::binary);
  return in && std::string(std::istreambuf_iterator<char>(in), {}) == text;
}

/// Removes what an earlier configuration had and this one has not: sources of its file list, its
/// test bench with vectors, the constants of its code, and the views of its SRAMs.
void remove_stale(const std::vector<GeneratedFile>& generated, const fs::path& directory) {
  std::ifstream list(directory / "axelram.f");
  std::vector<std::string> earlier;
  for (std::string source; std::getline(list, source);)
    if (source.rfind("rtl/", 0) == 0 && source.find("..") == std::string::npos)
      earlier.push_back(source);
  const std::string top = earlier.empty() ? "" : fs::path(earlier.back()).stem().string();
  if (const std::size_t end = top.rfind("_top"); end != std::string::npos) {
    const std::string name = top.substr(0, end);
    for (const std::string& file :
         {"tb/" + name + "_tb.sv", "vectors/" + name + "_beats.hex",
          "vectors/" + name + "_scores.hex", "vectors/" + name + "_operations.hex",
          "vectors/" + name + "_outputs.hex", name + "_code.h"})
      earlier.push_back(file);
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory / "views", none))
      if (const std::string file = entry.path().filename().string();
          file.rfind(name + "_sram_", 0) == 0)
        earlier.push_back("views/" + file);
  }
  for (const std::string& source : earlier) {
    const bool kept = std::any_of(generated.begin(), generated.end(),
                                  [&](const GeneratedFile& file) { return file.path == source; });
    std::error_code ignored;
    if (!kept) fs::remove(directory / source, ignored);
  }
}

}  // namespace

void write_generated(const std::vector<GeneratedFile>& generated, const std::string& directory,
                     bool force) {
  if (fs::exists(directory) && !fs::is_directory(directory))
    throw files::InputError(directory + ": is not a directory; name a directory");
  std::vector<const GeneratedFile*> changed;
  for (const GeneratedFile& file : generated) {
    const fs::path path = fs::path(directory) / file.path;
    if (holds(path, file.text)) continue;
    if (!force && fs::exists(path))
      throw files::InputError(
          path.string() + ": exists with other content; choose another directory or add --force");
    changed.push_back(&file);
  }
  if (force) remove_stale(generated, directory);
  for (const GeneratedFile* file : changed) {
    const fs::path path = fs::path(directory) / file->path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error)
      throw files::EnvironmentError(path.parent_path().string() + ": cannot be created (" +
                                    error.message() + "); choose a writable directory");
    files::write_file(path.string(), file->text, force);
  }
}

}  // namespace axelram::rtl
