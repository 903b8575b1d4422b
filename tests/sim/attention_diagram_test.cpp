// The timing diagrams of a macro with attention in docs/interfaces.md are what its RTL does.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "check.hpp"
#include "driven_top.hpp"

namespace axelram::sim {
namespace {

using Row = std::vector<std::string>;

/// Signals by cycle. Columns that stay the same for five cycles and more are left out.
class Diagram {
 public:
  explicit Diagram(std::vector<std::string> names) : names_(std::move(names)) {}

  void add(DrivenTop& top, const std::map<std::string, std::string>& labels) {
    Row column;
    for (const std::string& name : names_) {
      const auto label = labels.find(name);
      column.push_back(label != labels.end() ? label->second : std::to_string(top.get(name)));
    }
    columns_.push_back(std::move(column));
  }

  std::string text() const {
    std::size_t width = 0;
    for (const std::string& name : names_) width = std::max(width, name.size());
    std::vector<std::string> lines(names_.size() + 1);
    const auto put = [&](std::size_t line, const std::string& value) {
      lines[line] += std::string(6 - std::min<std::size_t>(5, value.size()), ' ') + value;
    };
    lines[0] = "cycle" + std::string(width - 5, ' ');
    for (std::size_t i = 0; i < names_.size(); ++i)
      lines[i + 1] = names_[i] + std::string(width - names_[i].size(), ' ');
    for (std::size_t c = 0; c < columns_.size();) {
      put(0, std::to_string(c));
      for (std::size_t i = 0; i < names_.size(); ++i) put(i + 1, columns_[c][i]);
      std::size_t same = c;
      while (same + 1 < columns_.size() && columns_[same + 1] == columns_[c]) ++same;
      if (same < c + 4) {
        ++c;
        continue;
      }
      lines[0] += "  ...";
      for (std::size_t i = 0; i < names_.size(); ++i) lines[i + 1] += "     ";
      c = same;
      put(0, std::to_string(c));
      for (std::size_t i = 0; i < names_.size(); ++i) put(i + 1, columns_[c][i]);
      ++c;
    }
    std::string all;
    for (std::string& line : lines) {
      line.erase(line.find_last_not_of(' ') + 1);
      all += line + "\n";
    }
    return all;
  }

 private:
  std::vector<std::string> names_;
  std::vector<Row> columns_;
};

/// A beat of an item, by the name of its vector. Vectors are zeros: no cycle depends on them.
struct Beat {
  std::string name;
  unsigned kind, segment;
};

struct Command {
  unsigned kind, segment, capacity, n;
};

/// Offers beats and a command, each until it is taken, and plays `cycles` cycles.
std::string play(DrivenTop& top, std::vector<std::string> names, std::vector<Beat> beats,
                 std::optional<Command> command, int cycles) {
  Diagram diagram(std::move(names));
  int outputs = 0;
  std::reverse(beats.begin(), beats.end());
  for (int cycle = 0; cycle < cycles; ++cycle) {
    CASE(cycle);
    std::map<std::string, std::string> labels;
    top.set("vector_valid_i", beats.empty() ? 0 : 1);
    labels["vector_data_i"] = beats.empty() ? "-" : beats.back().name;
    if (!beats.empty()) {
      top.set("vector_kind_i", beats.back().kind);
      top.set("vector_segment_i", beats.back().segment);
    } else {
      labels["vector_kind_i"] = "-";
    }
    top.set("command_valid_i", command ? 1 : 0);
    if (command) {
      top.set("command_kind_i", command->kind);
      top.set("command_segment_i", command->segment);
      top.set("command_capacity_i", command->capacity);
      top.set("command_n_i", command->n);
    } else {
      labels["command_kind_i"] = "-";
    }
    labels["output_data_o"] = "-";
    if (top.get("output_valid_o") != 0) labels["output_data_o"] = "o" + std::to_string(outputs++);
    diagram.add(top, labels);
    if (!beats.empty() && top.get("vector_ready_o") != 0) beats.pop_back();
    if (command && top.get("command_ready_o") != 0) command.reset();
    top.step();
  }
  CHECK(beats.empty());
  CHECK(!command);
  CHECK(top.get("busy_o") == 0);
  return diagram.text();
}

constexpr unsigned kAppend = 0, kAttend = 1;

Beat key(int token) { return {"k" + std::to_string(token), kAppend, 0}; }
Beat value(int token) { return {"v" + std::to_string(token), kAppend, 0}; }

}  // namespace

TEST_CASE("timing diagrams of a macro with attention are what the RTL does") {
  std::ifstream in(AXELRAM_SOURCE "/docs/reference/interfaces.md");
  const std::string document(std::istreambuf_iterator<char>(in), {});
  DrivenTop top(files::read_config(AXELRAM_SOURCE "/configs/d32-b3-attention-segments.yaml"));
  const auto check = [&](const std::string& diagram) {
    CHECK_MESSAGE(document.find("```\n" + diagram + "```\n") != std::string::npos, diagram);
  };
  play(top, {"obs_state_o"}, {}, Command{0, 0, 8, 0}, 8);
  check(play(top,
             {"vector_valid_i", "vector_ready_o", "vector_kind_i", "vector_data_i", "obs_stored_o",
              "busy_o"},
             {key(0), value(0), key(1), value(1), key(2), value(2)}, std::nullopt, 45));
  check(play(
      top,
      {"vector_valid_i", "vector_ready_o", "vector_kind_i", "vector_data_i", "obs_state_o",
       "obs_read_o", "query_done_o", "output_valid_o", "output_data_o", "output_last_o", "busy_o"},
      {{"q0", kAttend, 0}, {"q1", kAttend, 0}, key(3), value(3)}, std::nullopt, 168));
  check(play(top,
             {"command_valid_i", "command_ready_o", "command_kind_i", "vector_valid_i",
              "vector_ready_o", "vector_data_i", "obs_state_o", "obs_stored_o", "busy_o"},
             {key(4), value(4)}, Command{1, 0, 0, 2}, 44));
}

}  // namespace axelram::sim
