#pragma once

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "axelram/files/safetensors.hpp"
#include "support.hpp"

namespace test {

/// The tensors of a file: "indices U8 [3, 32]", each on a line.
inline std::string tensors_of(const axelram::files::Safetensors& file) {
  std::string lines;
  for (const axelram::files::Tensor& tensor : file.tensors())
    lines += tensor.name + " " + name_of(tensor.type) + " " +
             axelram::files::to_string(tensor.shape) + "\n";
  return lines;
}

/// The same of a result as the tables of bit-contract.md#result describe it. Extents are those of
/// the axes that the tables name. A tensor "only with" something is there if a feature stands in
/// what follows, one "not with" something if none does; the second table asks for "attention".
inline std::string contract_tensors(const std::map<std::string, int>& extents,
                                    const std::set<std::string>& features) {
  const std::regex row(
      R"(\| `(\w+)` \| (\w+) \| \[(.*)\]( \*)? \| (?:((?:only |not )?with .*?): )?.*)");
  std::istringstream page(content(project() / "docs/reference/bit-contract.md"));
  std::string lines, line;
  bool inside = false;
  while (std::getline(page, line)) {
    if (line == "<!-- result-tensors -->") inside = true;
    if (line == "<!-- attention-tensors -->") inside = features.contains("attention");
    if (line.starts_with("<!-- /")) inside = false;
    std::smatch cells;
    if (!inside || !std::regex_match(line, cells, row)) continue;
    const std::string condition = cells[5];
    const bool with = std::ranges::any_of(
        features, [&](const std::string& feature) { return contains(condition, feature); });
    if (!condition.empty() && with == condition.starts_with("not")) continue;
    std::istringstream axes(cells[3]);
    std::string axis, shape;
    while (std::getline(axes >> std::ws, axis, ','))
      shape += (shape.empty() ? "" : ", ") + std::to_string(extents.at(axis));
    if (cells[4].matched && features.contains("split")) shape += ", 2";
    lines += cells[1].str() + " " + cells[2].str() + " [" + shape + "]\n";
  }
  return lines;
}

}  // namespace test
