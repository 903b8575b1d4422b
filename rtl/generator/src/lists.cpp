#include "lists.hpp"

#include <algorithm>
#include <sstream>

namespace axelram::rtl {
namespace {

constexpr std::size_t kWidth = 100;  // of a line
constexpr std::size_t kFew = 3;      // connections that may stand on the line of their instance

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

/// One connection a line, their values in a column; those that pass a name on share lines.
std::string lines_of(const std::vector<Connection>& list, std::size_t indent) {
  std::size_t width = 0;
  for (const Connection& one : list)
    if (!one.value.empty()) width = std::max(width, one.name.size());
  std::vector<std::string> lines;
  bool shares = false;
  for (const Connection& one : list) {
    const bool passes_on = one.value.empty();
    const std::string text =
        "." + (passes_on ? one.name : padded(one.name, width) + "(" + one.value + ")");
    if (passes_on && shares && indent + lines.back().size() + 3 + text.size() <= kWidth)
      lines.back() += ", " + text;
    else
      lines.push_back(text);
    shares = passes_on;
  }
  std::string text;
  for (const std::string& line : lines)
    text += std::string(indent, ' ') + line + (&line == &lines.back() ? "\n" : ",\n");
  return text;
}

/// All connections on one line.
std::string line_of(const std::vector<Connection>& list) {
  std::string text;
  for (const Connection& one : list)
    text +=
        (text.empty() ? "." : ", .") + one.name + (one.value.empty() ? "" : "(" + one.value + ")");
  return text;
}

/// A comment of as many lines as it takes.
std::string comment_lines(const std::string& meaning) {
  std::istringstream words(meaning);
  std::string text, line = "    //";
  for (std::string word; words >> word; line += " " + word)
    if (line.size() + 1 + word.size() > kWidth) {
      text += line + "\n";
      line = "    //";
    }
  return text + line + "\n";
}

}  // namespace

std::string instance_text(const std::string& module, const std::string& name,
                          const std::vector<Connection>& parameters,
                          const std::vector<Connection>& ports, std::size_t indent) {
  const std::string spaces(indent, ' ');
  std::string head = spaces + module;
  const std::string few = head + " #(" + line_of(parameters) + ") " + name + " (";
  const bool broken = !parameters.empty() && (parameters.size() > kFew || few.size() > kWidth);
  if (broken)
    head += " #(\n" + lines_of(parameters, indent + 4) + spaces + ") " + name + " (";
  else
    head = parameters.empty() ? head + " " + name + " (" : few;
  const std::string line = head + line_of(ports) + ");";
  if (!broken && ports.size() <= kFew && line.size() <= kWidth) return line + "\n";
  return head + "\n" + lines_of(ports, indent + 4) + spaces + ");\n";
}

std::string header_text(const std::string& module, const std::vector<Declaration>& ports) {
  std::size_t range = 0;
  bool inputs = false, signs = false;
  for (const Declaration& port : ports) {
    range = std::max(range, port.range.size());
    inputs = inputs || port.input;
    signs = signs || port.is_signed;
  }
  std::string text = "module " + module + " (\n";
  for (const Declaration& port : ports) {
    std::string line =
        "    " + padded(port.input ? "input  wire logic" : "output logic", inputs ? 17 : 12) + " ";
    if (signs) line += port.is_signed ? "signed " : "       ";
    const std::string bounds = std::string(range - port.range.size(), ' ') + port.range;
    if (range > 0) line += port.range.empty() ? std::string(range + 3, ' ') : "[" + bounds + "] ";
    line += port.name + (&port == &ports.back() ? "" : ",");
    const bool beside = line.size() + 5 + port.meaning.size() <= kWidth;
    if (!beside && !port.meaning.empty()) text += comment_lines(port.meaning);
    text += line + (beside && !port.meaning.empty() ? "  // " + port.meaning : "") + "\n";
  }
  return text + ");\n";
}

}  // namespace axelram::rtl
