#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "axelram/commands/progress.hpp"
#include "axelram/commands/synthesis.hpp"
#include "axelram/report/accuracy.hpp"
#include "axelram/report/report.hpp"
#include "axelram/sim/timing_diagram.hpp"

namespace axelram::commands {

struct DatasheetOptions {
  std::string config, trace;         ///< trace: may be empty
  std::string html, json, markdown;  ///< at least one; html needs python3 with matplotlib
  SynthesisOptions synthesis = {};   ///< as that of a report
  bool force = false;
};

/// Parts of a datasheet: facts, without their looks.
namespace sheet {

/// A line of the report, and the one of the netlist that counts the same, if there is one.
struct Figure {
  report::Line line;
  std::optional<report::Line> netlist;
};

struct Figures {
  std::string title;
  std::vector<Figure> figures;
  bool netlist = false;  ///< the netlist stands beside them, even where nothing was counted
};

/// Figures of the same names for several things, such as codes.
struct Matrix {
  struct Row {
    std::string name;
    std::vector<report::Line> figures;  ///< one for each column
  };
  std::string title, what;  ///< what: heading of the names
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

struct Table {
  struct Column {
    std::string title;
    bool number = false;  ///< right-aligned
    bool code = false;    ///< names of ports, keys and files
  };
  std::string title;
  std::optional<report::Method> method;  ///< of its numbers
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A unit, a memory or a port of the macro.
struct Block {
  enum class Kind { port, unit, memory };
  std::string id, name;
  std::vector<std::string> lines;
  Kind kind = Kind::unit;
  int instances = 1;  ///< of sub-vectors
};

struct Link {
  enum class Flow { both, key, query, constant };
  std::string from, to, label;  ///< ids; what is on the wires
  Flow flow = Flow::both;
};

struct BlockDiagram {
  std::vector<Block> blocks;
  std::vector<Link> links;
};

/// Errors of scores; `theory` is their standard deviation for queries that do not depend on keys.
struct Histogram {
  report::ScoreErrors errors;
  std::optional<double> theory;
};

/// Figures of one unit on a common axis.
struct Levels {
  std::vector<report::Line> figures;
};

/// Figures of one unit that add up to a whole, or stand side by side.
struct Shares {
  std::string unit;
  bool add_up = true;
  std::vector<std::pair<std::string, double>> shares;
};

/// Lines over a rate, both on logarithmic axes.
struct Curves {
  struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;
  };
  std::string x, y;
  std::vector<Series> series;
};

struct Diagram {
  std::string title;
  std::string text;  ///< what it shows, for those who do not see it too
  report::Method method = report::Method::counted;
  std::variant<BlockDiagram, sim::TimingDiagram, Histogram, Levels, Shares, Curves> data;
};

using Part = std::variant<Figures, Matrix, Table, Diagram>;

struct Section {
  std::string id;  ///< of links
  std::string title, text;
  std::vector<Part> parts;
};

/// A figure at the head of the page, under a name for people.
struct Highlight {
  std::string label;
  report::Line line;
};

/// A file that the figures depend on.
struct Input {
  std::string role, name;  ///< without its directory
  std::string sha256;
};

}  // namespace sheet

struct DatasheetResult {
  std::string configuration, top;
  std::string summary;  ///< a paragraph
  std::vector<sheet::Highlight> highlights;
  std::vector<sheet::Section> sections;
  std::string version, commit;  ///< of the program; commit: "" if it is not known
  std::vector<sheet::Input> inputs;
  report::Synthesis synthesis = report::Synthesis::none;
  std::vector<std::string> disagreements;      ///< of the netlist with the closed forms
  std::optional<report::Provenance> measured;  ///< of figures in a cell library
};

/// Everything known about one macro. Nothing in it depends on the time or the machine.
DatasheetResult datasheet(const DatasheetOptions& options, const Progress& progress = {},
                          const Show<DatasheetResult>& show = {});

std::string to_json(const DatasheetResult& result);
std::string to_markdown(const DatasheetResult& result);

}  // namespace axelram::commands
