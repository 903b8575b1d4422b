#pragma once

#include <string>

namespace axelram::commands {

/// A waveform during recording. It has a temporary name in the directory of `path` until commit();
/// without commit() nothing remains.
class Waveform {
 public:
  Waveform(std::string path, bool force);
  ~Waveform();
  Waveform(const Waveform&) = delete;
  Waveform& operator=(const Waveform&) = delete;

  const std::string& recording() const { return temporary_; }
  /// Throws files::InputError if another file took the name meanwhile, EnvironmentError if the file
  /// system rejects the name.
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  bool force_;
};

}  // namespace axelram::commands
