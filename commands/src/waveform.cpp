#include "waveform.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "axelram/files/errors.hpp"

namespace axelram::commands {

Waveform::Waveform(std::string path, bool force)
    : path_(std::move(path)),
      temporary_(path_ + ".part" + std::to_string(::getpid())),
      force_(force) {}

Waveform::~Waveform() {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void Waveform::commit() {
  // link(2) fails if the name exists, so that nothing is overwritten without `force`.
  const int status = force_ ? ::rename(temporary_.c_str(), path_.c_str())
                            : ::link(temporary_.c_str(), path_.c_str());
  if (status == 0) return;
  if (errno == EEXIST)
    throw files::InputError(path_ + ": exists by now; choose another name or add --force");
  throw files::EnvironmentError(path_ + ": cannot be written (" + std::strerror(errno) +
                                "); choose another directory");
}

}  // namespace axelram::commands
