#include "unfinished_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "../outputs.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/json.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/places.hpp"
#include "recipes.hpp"

namespace axelram::commands::tunes {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlanKey = "axelram_tune_plan";
/// Folders in the unfinished one: DIR before it has its name, and the DIR that it replaces.
constexpr const char *kMade = "made", *kReplaced = "replaced";

/// DIR without '/' at its end.
std::string without_slash(std::string output) {
  while (output.size() > 1 && output.back() == '/') output.pop_back();
  return output;
}

std::string beside(const std::string& output) { return output + ".unfinished"; }

bool is_mount_point(const std::string& folder) {
  struct stat own {
  }, above{};
  return ::stat(folder.c_str(), &own) == 0 && ::stat((folder + "/..").c_str(), &above) == 0 &&
         (own.st_dev != above.st_dev || own.st_ino == above.st_ino);
}

bool is_own(const std::string& name) {
  const std::vector<std::string> files = tuned_files();
  const auto ends = [&](const char* ending) { return name.ends_with(ending); };
  return ends(".done.json") || ends(".tmp") || name == UnfinishedFolder::kPlan || name == kMade ||
         name == kReplaced || std::find(files.begin(), files.end(), name) != files.end();
}

/// The first entry, or the first within it, in which two plans differ.
std::string difference(const nlohmann::json& found, const nlohmann::json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    const nlohmann::json other = found.value(key, nlohmann::json());
    if (other == value) continue;
    if (other.is_object() && value.is_object()) return difference(other, value);
    return key + " is " + other.dump() + " there and " + value.dump() + " here";
  }
  return "another plan";
}

template <class Work>
void in_file_system_of(const std::string& path, const Work& work) {
  try {
    work();
  } catch (const fs::filesystem_error& error) {
    throw files::EnvironmentError(files::printable(path) + ": " + error.code().message() +
                                  "; write to a folder that is yours");
  }
}

}  // namespace

void check_tuned_output(const std::string& output, bool force) {
  in_file_system_of(output, [&] {
    check_directory(output, force);
    if (fs::exists(output) && is_mount_point(output))
      throw files::InputError(files::printable(output) +
                              ": is a mount point, which cannot be replaced; name a folder in it");
    if (!fs::exists(output) || fs::is_empty(output)) return;
    for (const fs::directory_entry& entry : fs::directory_iterator(output))
      if (const std::string name = entry.path().filename().string(); !is_own(name))
        throw files::InputError(files::printable(output) + ": holds " + files::in_quotes(name) +
                                ", which tune did not write; name another -o");
  });
}

void check_outside(const std::string& option, const std::string& file, const std::string& output) {
  const std::string folder = files::canonical(output), written = files::canonical(file);
  if (files::within(written, folder) || files::within(written, beside(folder)))
    throw files::InputError(option + " " + files::printable(file) + ": lies in -o " +
                            files::printable(output) +
                            ", which is replaced as a whole; name a file beside it");
}

UnfinishedFolder::UnfinishedFolder(const std::string& output, Json plan, bool force)
    : output_(files::canonical(output)),
      path_(beside(output_) + "/"),
      shown_(files::printable(
          beside(fs::path(output_).filename() == fs::path(without_slash(output)).filename()
                     ? without_slash(output)
                     : output_))),
      plan_(std::move(plan)),
      force_(force) {
  plan_[kPlanKey] = 1;
  in_file_system_of(path_, [&] { check(); });
}

void UnfinishedFolder::check() {
  const fs::path folder(path_);
  if (!fs::exists(folder.parent_path())) return;
  if (!fs::is_directory(folder))
    throw files::InputError(shown_ +
                            ": is no folder; what is done of a run is kept there: remove "
                            "it, or name another -o");
  if (fs::is_empty(folder)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!is_own(name))
      throw files::InputError(shown_ + ": holds " + files::in_quotes(name) +
                              ", which tune did not write; remove the folder, or name another -o");
  }
  nlohmann::json found;
  try {
    found = files::read_json(at(kPlan));
  } catch (const files::InputError&) {
  }
  const bool own = found.is_object() && found.contains(kPlanKey);
  const nlohmann::json wanted = nlohmann::json::parse(plan_.dump());
  resumed_ = own && found == wanted;
  if (resumed_ || force_) return;
  const std::string what =
      own ? "left by a run that differs: " + difference(found, wanted) : "has no plan of tune";
  throw files::InputError(shown_ + ": " + what +
                          "; give the same arguments to go on, --force to begin anew, or another "
                          "-o");
}

void UnfinishedFolder::create() const {
  if (resumed_) return;
  in_file_system_of(path_, [&] {
    fs::remove_all(fs::path(path_).parent_path());
    fs::create_directories(fs::path(path_).parent_path());
  });
  files::write_file(at(kPlan), text_of(plan_), false);
}

std::optional<nlohmann::json> UnfinishedFolder::record(const std::string& step) const {
  std::error_code unknown;
  const std::string file = at(step + ".done.json");
  if (!fs::exists(file, unknown)) return {};
  try {
    return files::read_json(file);
  } catch (const files::InputError&) {
    return {};
  }
}

void UnfinishedFolder::write_record(const std::string& step, const Json& record) const {
  write(step + ".done.json", text_of(record));
}

void UnfinishedFolder::write(const std::string& name, const std::string& content) const {
  files::write_file(at(name), content, true);
}

void UnfinishedFolder::publish(const std::vector<std::string>& names) const {
  in_file_system_of(output_, [&] {
    const fs::path made(at(kMade)), replaced(at(kReplaced)), folder(output_);
    for (const fs::path& path : {made, replaced}) fs::remove_all(path);
    fs::create_directory(made);
    for (const std::string& name : names) fs::copy_file(at(name), made / name);
    check_tuned_output(output_, force_);  // somebody may have written there meanwhile
    if (fs::exists(folder)) fs::rename(folder, replaced);
    std::error_code error;
    fs::rename(made, folder, error);
    if (!error) return;
    if (fs::exists(replaced)) fs::rename(replaced, folder);
    throw fs::filesystem_error("rename", folder, error);
  });
  std::error_code ignored;  // a folder that stays costs space alone
  fs::remove_all(fs::path(path_).parent_path(), ignored);
}

}  // namespace axelram::commands::tunes
