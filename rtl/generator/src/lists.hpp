#pragma once

#include <string>
#include <vector>

namespace axelram::rtl {

// Lists of generated SystemVerilog, as scripts/systemverilog/lists.py lays them out.

/// A port or a parameter of an instance. Without a value it passes on what has its name.
struct Connection {
  std::string name;
  std::string value = {};
};

/// A port of a module. `range`: its bounds, such as 7:0, or nothing.
struct Declaration {
  bool input;
  std::string range;
  std::string name;
  std::string meaning = {};
  bool is_signed = false;
};

/// An instance, indented by `indent` spaces.
std::string instance_text(const std::string& module, const std::string& name,
                          const std::vector<Connection>& parameters,
                          const std::vector<Connection>& ports, std::size_t indent = 2);

/// Header of a module without parameters.
std::string header_text(const std::string& module, const std::vector<Declaration>& ports);

}  // namespace axelram::rtl
