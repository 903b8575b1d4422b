#pragma once

#include <sys/types.h>

#include <string>

namespace axelram::files {

/// A temporary file, a folder of temporary files, or a group of processes. A signal that ends the
/// program removes it. The destructor ends this watch and removes nothing.
class Unfinished {
 public:
  explicit Unfinished(const std::string& path);
  explicit Unfinished(pid_t group);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  int slot_;  ///< negative: too many at once; not watched, like a path that is too long
};

/// Signals of a program, set once at its start. HUP, INT and TERM remove all that is unfinished and
/// then end the program as by default. BUS (a mapped file was cut, or a disk is full) also prints a
/// line and ends with exit code 3. PIPE and XFSZ are ignored, so that the write itself fails.
void handle_signals();

}  // namespace axelram::files
