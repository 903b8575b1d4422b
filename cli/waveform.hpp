#pragma once

#include <string>

namespace axelram::cli {

/// A waveform while it is being recorded: under a temporary name in the folder of `path`, which it
/// gets at the end. Without commit() nothing remains.
class Waveform {
 public:
  Waveform(std::string path, bool force);
  ~Waveform();
  Waveform(const Waveform&) = delete;
  Waveform& operator=(const Waveform&) = delete;

  const std::string& recording() const { return temporary_; }
  /// Throws files::InputError where another file took the name meanwhile, EnvironmentError where
  /// the file system rejects.
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  bool force_;
};

}  // namespace axelram::cli
