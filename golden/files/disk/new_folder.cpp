#include "axelram/files/new_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/places.hpp"

namespace axelram::files {
namespace {

namespace fs = std::filesystem;

bool has_record(const FolderKind& kind, const fs::path& folder) {
  std::ifstream file(folder / kind.record);
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  return json.is_object() && json.contains(kind.key);
}

/// Name of a file in the folder that is not the command's, or "".
std::string foreign(const FolderKind& kind, const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (std::find(kind.files.begin(), kind.files.end(), name) == kind.files.end() ||
        !entry.is_regular_file())
      return in_quotes(name);
  }
  return has_record(kind, folder) ? "" : "a model";
}

void check_target(const FolderKind& kind, const std::string& path, const fs::path& target,
                  bool force) {
  if (!fs::is_directory(target.parent_path()))
    throw InputError(printable(path) + ": the folder " + in_quotes(target.parent_path().string()) +
                     " does not exist; create it first");
  if (!fs::exists(target)) return;
  if (!fs::is_directory(target))
    throw InputError(printable(path) + ": is no folder; name a folder to write");
  if (fs::is_empty(target)) return;
  const std::string other = foreign(kind, target);
  if (!other.empty())
    throw InputError(printable(path) + ": holds " + other + ", which " + kind.command +
                     " did not write; name another folder");
  if (!force)
    throw InputError(printable(path) +
                     ": exists already; give --force to replace it, or another name");
}

/// Runs `work` of the standard library's file system.
template <class Work>
auto in_file_system(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const fs::filesystem_error& error) {
    if (is_wrong_name(error.code()))
      throw InputError(printable(path) + ": " + error.code().message() + "; choose another name");
    throw EnvironmentError(printable(path) + ": " + error.code().message() +
                           "; write to a folder that is yours");
  }
}

/// Creates a new folder beside `target`, under an unused name, watched before it exists.
std::string create_beside(const fs::path& target, std::optional<Unfinished>& unfinished) {
  for (unsigned counter = 0;; ++counter) {
    const fs::path path = target.parent_path() / (".axelram-" + std::to_string(::getpid()) + "-" +
                                                  std::to_string(counter) + ".tmp");
    unfinished.emplace(path.string());
    if (fs::create_directory(path)) return path.string();
  }
}

}  // namespace

void check_folder(const FolderKind& kind, const OutputFolder& output) {
  in_file_system(output.folder, [&] {
    const std::string target = canonical(output.folder);
    for (const std::string& input : output.inputs) {
      const std::string read = canonical(input);
      std::error_code unread;  // told when the input is read
      if (within(read, target) || (fs::is_directory(read, unread) && within(target, read)))
        throw InputError(printable(output.folder) + ": is, holds or lies in an input, " +
                         printable(input) + "; name another folder");
    }
    check_target(kind, output.folder, target, output.force);
    std::optional<Unfinished> unfinished;
    fs::remove(create_beside(target, unfinished));
  });
}

NewFolder::NewFolder(FolderKind kind, const OutputFolder& output)
    : kind_(std::move(kind)), path_(output.folder) {
  check_folder(kind_, output);
  in_file_system(path_, [&] {
    target_ = canonical(path_);
    temporary_ = create_beside(target_, unfinished_);
  });
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

void NewFolder::fill(const std::function<void()>& work) {
  try {
    work();
  } catch (const EnvironmentError& error) {
    std::string text = error.what();
    const std::string shown = printable(temporary_);
    if (text.rfind(shown, 0) == 0) text.replace(0, shown.size(), printable(path_));
    throw EnvironmentError(text);
  }
}

void NewFolder::commit() {
  std::error_code error;
  fs::rename(temporary_, target_, error);  // onto nothing or an empty folder
  if (!error) {
    temporary_.clear();
    unfinished_.reset();
    return;
  }
  in_file_system(path_, [&] {
    if (!fs::is_directory(target_) || !foreign(kind_, target_).empty())
      throw InputError(printable(path_) + ": changed meanwhile; name another folder");
    std::optional<Unfinished> unfinished;
    const std::string aside = create_beside(target_, unfinished);
    unfinished.reset();  // until the new folder has its name, this one holds the only model
    fs::rename(target_, aside);
    fs::rename(temporary_, target_, error);
    if (error) {
      fs::rename(aside, target_);
      throw EnvironmentError(printable(path_) + ": " + error.message());
    }
    temporary_.clear();
    unfinished_.emplace(aside);
    fs::remove_all(aside);
  });
}

}  // namespace axelram::files
