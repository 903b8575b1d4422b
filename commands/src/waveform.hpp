#pragma once

#include <string>

#include "axelram/files/unfinished.hpp"

namespace axelram::commands {

/// A waveform during recording. It has a temporary name in the directory of `path` until commit();
/// without commit() nothing remains, not after a signal either.
class Waveform {
 public:
  Waveform(const std::string& path, bool force);
  ~Waveform();
  Waveform(const Waveform&) = delete;
  Waveform& operator=(const Waveform&) = delete;

  const std::string& recording() const { return temporary_; }
  /// The writer of FST files reports no errors, so the file is checked here. Throws
  /// files::InputError if another file took the name meanwhile, files::EnvironmentError if the file
  /// is not whole or the file system rejects the name.
  void commit();

 private:
  std::string path_;
  std::string target_;  // symbolic links resolved
  std::string temporary_;
  std::string hierarchy_;  // what the writer of FST files keeps beside it until it is closed
  bool force_;
  files::Unfinished unfinished_, unfinished_hierarchy_;
};

}  // namespace axelram::commands
