#include "netlist/rtlil_reader.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "axelram/files/errors.hpp"

namespace axelram::report::rtlil {
namespace {

/// "\NAME VALUE", the name without its backslash.
std::pair<std::string, std::string> pair(const std::string& text) {
  const auto space = std::min(text.find(' '), text.size());
  return {text.substr(1, space - 1), text.substr(std::min(space + 1, text.size()))};
}

class Reader {
 public:
  explicit Reader(const std::function<void(const Module&)>& module) : done_(module) {}

  void take(const std::string& line) {
    const auto space = std::min(line.find(' '), line.size());
    const std::string word = line.substr(0, space);
    const std::string rest = line.substr(std::min(space + 1, line.size()));
    if (word == "attribute")
      attribute(rest);
    else if (word == "end")
      end();
    else if (word == "module" && !module_)
      begin(rest);
    else if (word == "cell" && module_ && !cell_)
      cell(rest);
    else if (word == "parameter" && cell_)
      cell_->parameters.push_back(pair(rest.rfind("signed ", 0) == 0 ? rest.substr(7) : rest));
    else if (word == "connect" && cell_)
      cell_->ports.push_back(pair(rest));
    else if (word == "connect" && module_)
      connection(rest);
    else if (word == "memory" && module_)
      memory(rest);
    else if (word == "wire" && module_)
      wire(rest);
    else if (word != "autoidx" && word != "parameter")
      throw files::EnvironmentError("a netlist of yosys has a line that begins with " + word);
  }

  void finish() const {
    if (module_) throw files::EnvironmentError("a netlist of yosys ends within " + module_->name);
  }

 private:
  void attribute(const std::string& text) {
    const auto [name, value] = pair(text);
    if (name == "src" && value.size() >= 2) source_ = value.substr(1, value.size() - 2);
    if (name == "top") top_ = true;
  }

  void begin(const std::string& name) {
    module_.emplace();
    module_->name = name;
    module_->top = top_;
    forget();
  }

  void cell(const std::string& text) {
    const auto space = std::min(text.find(' '), text.size());
    cell_.emplace();
    cell_->type = text.substr(0, space);
    cell_->name = text.substr(std::min(space + 1, text.size()));
    cell_->source = source_;
    forget();
  }

  /// "DRIVEN DRIVER", where DRIVEN may be a concatenation in braces or have a range in brackets.
  void connection(const std::string& text) {
    const bool many = text[0] == '{';
    auto at = text.find(many ? '}' : ' ');
    if (many && at != std::string::npos) ++at;
    if (!many && at != std::string::npos && text[at + 1] == '[') at = text.find(']', at) + 1;
    if (at == std::string::npos || at >= text.size())
      throw files::EnvironmentError("a netlist of yosys has a connection without a driver");
    module_->connections.emplace_back(text.substr(0, at), text.substr(at + 1));
  }

  void memory(const std::string& text) {
    std::istringstream words(text);
    Memory memory;
    for (std::string word; words >> word;)
      if (word == "width")
        words >> memory.width;
      else if (word == "size")
        words >> memory.words;
      else if (word[0] == '\\' || word[0] == '$')
        memory.name = word;
    module_->memories.push_back(memory);
    forget();
  }

  void wire(const std::string& text) {
    if (text.find("output ") != std::string::npos || text.find("inout ") != std::string::npos)
      module_->outputs.insert(text.substr(text.rfind(' ') + 1));
    forget();
  }

  void end() {
    if (cell_) {
      module_->cells.push_back(std::move(*cell_));
      cell_.reset();
    } else if (module_) {
      done_(*module_);
      module_.reset();
    } else {
      throw files::EnvironmentError("a netlist of yosys has an end without a begin");
    }
    forget();
  }

  void forget() {
    source_.clear();
    top_ = false;
  }

  const std::function<void(const Module&)>& done_;
  std::optional<Module> module_;
  std::optional<Cell> cell_;
  std::string source_;
  bool top_ = false;
};

}  // namespace

void read(std::istream& text, const std::function<void(const Module&)>& module) {
  Reader reader(module);
  for (std::string line; std::getline(text, line);) {
    const auto from = line.find_first_not_of(' ');
    if (from != std::string::npos && line[from] != '#') reader.take(line.substr(from));
  }
  reader.finish();
}

}  // namespace axelram::report::rtlil
