#include "tables.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <utility>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

/// An index of a table, and the share of its upper neighbour at a point.
struct TableAxis {
  std::vector<double> index = {0};
  std::size_t below = 0;
  double share = 0;  ///< of below + 1
  bool inside = true;
};

TableAxis axis_at(std::vector<double> index, double place) {
  TableAxis axis;
  axis.index = std::move(index);
  const std::size_t last = axis.index.size() - 1;
  axis.inside = place >= axis.index.front() && place <= axis.index.back();
  if (place <= axis.index.front()) return axis;
  if (place >= axis.index.back()) {
    axis.below = last;
    return axis;
  }
  while (axis.index[axis.below + 1] <= place) ++axis.below;
  const double low = axis.index[axis.below];
  axis.share = (place - low) / (axis.index[axis.below + 1] - low);
  return axis;
}

/// The coordinate that a variable of a template asks for, or nothing.
std::optional<double> coordinate(const std::string& variable, const TablePoint& point) {
  for (const char* slew :
       {"input_net_transition", "input_transition_time", "related_pin_transition"})
    if (variable == slew) return point.slew;
  if (variable == "total_output_net_capacitance") return point.load;
  return std::nullopt;
}

std::vector<double> index_of(const LibertyGroup& table, const LibertyGroup& shape,
                             const std::string& name, const std::string& origin) {
  const LibertyAttribute* attribute = table.find(name);
  if (attribute == nullptr) attribute = shape.find(name);
  if (attribute == nullptr)
    fail_at(origin, table.line,
            in_quotes(table.kind) + " has no " + name + "; its template lists it");
  std::vector<double> index = liberty_numbers(*attribute, origin);
  if (index.empty() ||
      std::adjacent_find(index.begin(), index.end(), std::greater_equal<>()) != index.end())
    fail_at(origin, attribute->line, name + " does not ascend; list its entries in order");
  return index;
}

}  // namespace

std::optional<double> liberty_unit(const LibertyGroup& library, const std::string& name,
                                   const std::string& base, const std::string& origin) {
  const LibertyAttribute* const attribute = library.find(name);
  if (attribute == nullptr) return std::nullopt;
  std::string text;
  for (const std::string& value : attribute->values)
    for (const char c : value)
      if (c != ' ') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  double factor = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  const std::string unit(stop, static_cast<const char*>(text.data() + text.size()));
  constexpr std::array<std::pair<const char*, double>, 7> kPrefixes = {
      {{"", 1}, {"k", 1e3}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15}}};
  for (const auto& [prefix, scale] : kPrefixes)
    if (error == std::errc() && factor > 0 && factor <= 1e6 && unit == prefix + base)
      return factor * scale;
  fail_at(origin, attribute->line,
          name + " is " + in_quotes(text) + "; it must be a number and a unit, such as 1n" + base);
}

std::optional<TableValue> table_value(const LibertyGroup& library, const LibertyGroup& table,
                                      const TablePoint& point, const std::string& origin) {
  const LibertyAttribute* const attribute = table.find("values");
  if (attribute == nullptr)
    fail_at(origin, table.line, in_quotes(table.kind) + " has no values; a table lists them");
  const std::vector<double> values = liberty_numbers(*attribute, origin);

  std::array<TableAxis, 2> axes;
  const std::string name = table.arguments.empty() ? "scalar" : table.arguments.front();
  if (name != "scalar") {
    const LibertyGroup* shape = library.group("lu_table_template", name);
    if (shape == nullptr) shape = library.group("power_lut_template", name);
    if (shape == nullptr)
      fail_at(origin, table.line,
              "no template " + in_quotes(name) + "; the library defines it in a lu_table_template");
    if (!shape->text("variable_3").empty()) return std::nullopt;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      const std::string variable = shape->text("variable_" + number);
      if (variable.empty()) break;
      const std::optional<double> place = coordinate(variable, point);
      if (!place) return std::nullopt;
      axes[i] = axis_at(index_of(table, *shape, "index_" + number, origin), *place);
    }
  }
  const std::size_t columns = axes[1].index.size();
  if (values.size() != axes[0].index.size() * columns)
    fail_at(origin, attribute->line,
            std::to_string(values.size()) + " values; the indices ask for " +
                std::to_string(axes[0].index.size() * columns));
  double sum = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      const double share = (i == 0 ? 1 - axes[0].share : axes[0].share) *
                           (j == 0 ? 1 - axes[1].share : axes[1].share);
      if (share != 0) sum += share * values[(axes[0].below + i) * columns + axes[1].below + j];
    }
  return TableValue{sum, axes[0].inside && axes[1].inside};
}

}  // namespace axelram::files
