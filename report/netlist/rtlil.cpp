#include "netlist/rtlil.hpp"

#include <algorithm>
#include <cstdlib>

namespace axelram::report::rtlil {
namespace {

const std::string& named(const std::vector<std::pair<std::string, std::string>>& values,
                         const std::string& wanted) {
  static const std::string none;
  for (const auto& [name, value] : values)
    if (name == wanted) return value;
  return none;
}

}  // namespace

const std::string& Cell::parameter(const std::string& wanted) const {
  return named(parameters, wanted);
}

const std::string& Cell::port(const std::string& wanted) const { return named(ports, wanted); }

int Cell::width(const std::string& wanted) const {
  const std::string& text = parameter(wanted);
  const auto quote = text.find('\'');
  if (quote == std::string::npos) return std::atoi(text.c_str());
  return static_cast<int>(std::strtol(text.c_str() + quote + 1, nullptr, 2));
}

bool Cell::instance() const { return type[0] != '$' || type.rfind("$paramod", 0) == 0; }

std::vector<std::string> signals_of(const std::string& expression) {
  std::vector<std::string> signals;
  for (std::size_t at = 0; at < expression.size();) {
    const std::size_t end = std::min(expression.find(' ', at), expression.size());
    if (expression[at] == '\\' || expression[at] == '$') {
      std::string signal = expression.substr(at, end - at);
      if (signals.empty() || signals.back() != signal) signals.push_back(std::move(signal));
    }
    at = end + 1;
  }
  return signals;
}

std::string last_part(const std::string& name) {
  if (name.empty() || name[0] != '\\') return "";
  const auto dot = name.rfind('.');
  return name.substr(dot == std::string::npos ? 1 : dot + 1);
}

std::string source_name(const std::string& module) {
  const auto first = module.find('\\');
  if (first == std::string::npos) return module;
  const auto end = module.find('\\', first + 1);
  return module.substr(first + 1, end == std::string::npos ? end : end - first - 1);
}

}  // namespace axelram::report::rtlil
