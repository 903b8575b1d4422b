#pragma once

#include <string>

#include "axelram/files/liberty.hpp"

namespace axelram::files {

/// The ports of an SRAM by which records are read and written.
struct SramPorts {
  std::string label;                        ///< such as "1rw1r", or "unstated"
  const LibertyGroup* read_bus = nullptr;   ///< of the output data; null: none is described
  const LibertyGroup* read_edge = nullptr;  ///< its timing from a clock edge
  std::string read_clock;                   ///< "": none
  std::string write_clock;
};

/// A port is what buses with one address have in common (memory_read, memory_write). Records are
/// read by a port that only reads, if there is one, and written by one that only writes, likewise;
/// otherwise by the first that does. Throws InputError for more than 64 buses.
SramPorts sram_ports(const LibertyGroup& cell, const std::string& origin);

}  // namespace axelram::files
