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
  std::ifstream in(path, std::ios::binary);
  return in && std::string(std::istreambuf_iterator<char>(in), {}) == text;
}

}  // namespace

void write_generated(const std::vector<GeneratedFile>& generated, const std::string& directory,
                     bool force) {
  std::vector<const GeneratedFile*> changed;
  for (const GeneratedFile& file : generated) {
    const fs::path path = fs::path(directory) / file.path;
    if (holds(path, file.text)) continue;
    if (!force && fs::exists(path))
      throw files::InputError(path.string() +
                              ": exists with other content; choose another folder or add --force");
    changed.push_back(&file);
  }
  for (const GeneratedFile* file : changed) {
    const fs::path path = fs::path(directory) / file->path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error)
      throw files::InputError(path.parent_path().string() + ": cannot be created (" +
                              error.message() + "); choose a folder that can be written");
    files::write_file(path.string(), file->text, true);
  }
}

}  // namespace axelram::rtl
