#include "axelram/sim/waveform_file.hpp"

#include <unistd.h>

#include <filesystem>

#include "axelram/files/atomic_file.hpp"
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
  files::publish(temporary_, target_, path_, force_);
}

}  // namespace axelram::sim
