#include "axelram/sim/waveform_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "axelram/files/errors.hpp"
#include "axelram/sim/waveform.hpp"

namespace axelram::sim {
namespace {

namespace fs = std::filesystem;

std::string resolved(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

WaveformFile::WaveformFile(const std::string& path, bool force)
    : path_(path),
      target_(resolved(path)),
      temporary_(target_ + ".part" + std::to_string(::getpid())),
      hierarchy_(temporary_ + ".hier"),
      force_(force),
      unfinished_(temporary_),
      unfinished_hierarchy_(hierarchy_) {}

WaveformFile::~WaveformFile() {
  std::error_code ignored;
  fs::remove(temporary_, ignored);
  fs::remove(hierarchy_, ignored);
}

void WaveformFile::commit() {
  check_whole_fst(temporary_, path_);
  // link(2) fails if the name exists, so that nothing is overwritten without `force`.
  const int status = force_ ? ::rename(temporary_.c_str(), target_.c_str())
                            : ::link(temporary_.c_str(), target_.c_str());
  if (status == 0) return;
  if (errno == EEXIST)
    throw files::InputError(path_ + ": exists by now; choose another name or add --force");
  throw files::EnvironmentError(path_ + ": cannot be written (" + std::strerror(errno) +
                                "); choose another directory");
}

}  // namespace axelram::sim
