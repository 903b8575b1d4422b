#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/names.hpp"

namespace axelram::files {

/// Where area, energy and time of the key store's SRAM come from.
enum class SramModel : std::uint8_t { none, table, liberty, openram };

/// Section sram of a configuration. No result depends on it. File names are as written, relative
/// to the directory of the configuration.
struct SramSettings {
  SramModel model = SramModel::none;
  int node = 0;           ///< nanometres; 0: not given
  std::string file;       ///< of a table; empty: the shipped one
  std::string liberty;    ///< a Liberty file with one SRAM
  std::string lef;        ///< its LEF file; empty: none
  std::string folder;     ///< output of OpenRAM
  std::string corner;     ///< of a Liberty file there, such as TT_1p8V_25C; empty: the only one
  int load = 10;          ///< fF at an output
  int slew = 20;          ///< ps, transition time at an input
  std::string read_when;  ///< condition of the internal power of a read; empty: by names of pins
  std::string write_when;
};

/// A figure that a source gives, or nothing. `note`: how it is obtained, or why there is none.
struct SourceFigure {
  std::optional<double> value;
  std::string note;
};

/// An SRAM macro as its files describe it. A zero in a file is a figure that it does not give.
struct SramMacro {
  std::string source;       ///< files, with the beginnings of their digests
  std::string name;         ///< of the cell
  std::string corner;       ///< process, voltage and temperature
  std::string ports;        ///< such as "1rw1r": read and write, read, write
  std::uint64_t words = 0;  ///< 1 .. 2^30
  int bits = 0;             ///< of a word, 1 .. 65536
  SourceFigure area;        ///< mm^2
  SourceFigure read;        ///< pJ of an access
  SourceFigure write;       ///< pJ
  SourceFigure access;      ///< ns from the clock edge to the data
  SourceFigure leakage;     ///< uW
};

/// A published SRAM. What its source does not state is absent; no figure is 0.
struct PublishedPoint {
  std::string name;
  int line = 0;                       ///< in the table, from 1
  int node = 0;                       ///< nm
  double voltage = 0;                 ///< V
  std::uint64_t words = 0;            ///< 1 .. 2^30
  int bits = 0;                       ///< of a word, 1 .. 65536
  std::string ports;                  ///< 1rw, 1rw1r, 1r1w or unstated
  std::optional<double> read, write;  ///< pJ of an access
  std::optional<double> area;         ///< mm^2
  std::optional<double> access;       ///< ns
  std::optional<double> leakage;      ///< uW
  std::string source;                 ///< with page or figure
};

/// The points of one node, which have one voltage and one width; ascending words.
struct PublishedTable {
  std::string source;  ///< the file, with the beginning of its digest
  std::vector<PublishedPoint> points;
};

using SramSource = std::variant<std::monostate, PublishedTable, SramMacro>;

/// Points of a table, a YAML (or JSON) map of points by name: {node, voltage, words, bits, ports,
/// read, write, area, access, leakage, source}. `node`: that is chosen; 0: the only one. Throws
/// InputError ("ORIGIN:LINE: ...").
std::vector<PublishedPoint> parse_sram_table(const std::string& text, const std::string& origin,
                                             int node);

/// The SRAM of a Liberty file. `settings` give load, slew and conditions. The area is that of the
/// file, or none. Throws InputError if it has not one cell with a memory group, or that is
/// incomplete.
SramMacro liberty_sram(const std::string& text, const std::string& origin,
                       const SramSettings& settings);

/// The same of a file of OpenRAM, whose internal_power is a mean power in mW over the shortest
/// period, and not an energy.
SramMacro openram_sram(const std::string& text, const std::string& origin,
                       const SramSettings& settings);

/// What `settings` name. Relative paths start at `folder`. Throws InputError, beginning with the
/// file and the line if there is one; EnvironmentError if the shipped table is missing.
SramSource read_sram(const SramSettings& settings, const std::string& folder);

}  // namespace axelram::files

namespace axelram {

template <>
struct EnumNames<files::SramModel> {
  static constexpr EnumRow<files::SramModel> rows[] = {
      {files::SramModel::none, "none", "no figures of the SRAM"},
      {files::SramModel::table, "table", "between published points"},
      {files::SramModel::liberty, "liberty", "a macro by its Liberty and LEF files"},
      {files::SramModel::openram, "openram", "a macro by the output of OpenRAM"}};
};

}  // namespace axelram
