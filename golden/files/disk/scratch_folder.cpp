#include "axelram/files/scratch_folder.hpp"

#include <cstdlib>
#include <filesystem>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::files {

ScratchFolder::ScratchFolder()
    : path_((std::filesystem::temp_directory_path() / "axelram-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr)
    throw EnvironmentError(printable(path_) +
                           ": cannot be created; set TMPDIR to a writable directory");
  watch_.emplace(path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace axelram::files
