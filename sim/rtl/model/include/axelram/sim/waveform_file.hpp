#pragma once

#include <string>

#include "axelram/files/unfinished.hpp"

namespace axelram::sim {

/// A waveform during recording. It has a temporary name in the directory of `path` until commit();
/// without commit() nothing remains, not after a signal either.
class WaveformFile {
 public:
  WaveformFile(const std::string& path, bool force);
  ~WaveformFile();
  WaveformFile(const WaveformFile&) = delete;
  WaveformFile& operator=(const WaveformFile&) = delete;

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

}  // namespace axelram::sim
