#include <fstream>
#include <sstream>
#include <unordered_map>

#include "axelram/files/errors.hpp"
#include "axelram/report/activity.hpp"

namespace axelram::report {
namespace {

/// The clock, in front of a clock gate and behind it, and what names inputs that a kind of module
/// does not use, the clock among them: no cell is made of it.
constexpr const char *kClock = "clk_i", *kGatedClock = "clk";
constexpr const char* kUnused = "unused";

/// A variable of the file: scopes may share one.
struct Signal {
  std::vector<Toggles*> owners;
  std::string value;  ///< without leading zeros; "": none yet
};

std::uint64_t changed_bits(const std::string& before, const std::string& now) {
  const std::size_t length = std::max(before.size(), now.size());
  const auto bit = [length](const std::string& text, std::size_t at) {
    const std::size_t missing = length - text.size();
    return at < missing ? '0' : text[at - missing];
  };
  std::uint64_t changed = 0;
  for (std::size_t at = 0; at < length; ++at) changed += bit(before, at) != bit(now, at) ? 1 : 0;
  return changed;
}

class Reader {
 public:
  Reader(const std::string& path, const std::vector<Window>& windows)
      : path_(path), in_(path), windows_(windows) {}

  std::map<std::string, Toggles> read() {
    std::string line;
    while (std::getline(in_, line) && line.rfind("$enddefinitions", 0) != 0) declare(line);
    if (!in_ || signals_.empty()) fail("no signals are declared");
    while (std::getline(in_, line)) {
      if (line.empty() || line[0] == '$') continue;
      if (line[0] == '#') {
        pass(std::stoull(line.substr(1)));
        continue;
      }
      const bool vector = line[0] == 'b';
      const std::size_t blank = vector ? line.find(' ') : 1;
      if (blank == std::string::npos) fail("'" + line + "' is no change");
      change(vector ? line.substr(1, blank - 1) : line.substr(0, 1),
             line.substr(vector ? blank + 1 : 1));
    }
    return std::move(scopes_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw files::EnvironmentError(path_ + ": no VCD file of Verilator, " + why);
  }

  void declare(const std::string& line) {
    std::istringstream words(line);
    std::string kind, type, name, code;
    words >> kind >> type;
    if (kind == "$scope") {
      words >> name;
      scope_.push_back(name);
    } else if (kind == "$upscope") {
      if (scope_.empty()) fail("a scope ends that did not begin");
      scope_.pop_back();
    } else if (kind == "$var" && scope_.size() >= 2) {
      std::uint64_t bits = 0;
      words >> bits >> code >> name;
      if (name == kClock || name == kGatedClock || name == kUnused) return;
      std::string path;
      for (std::size_t i = 2; i < scope_.size(); ++i) path += (i > 2 ? "." : "") + scope_[i];
      Toggles& owner = scopes_[path];
      owner.bits += bits;
      signals_[code].owners.push_back(&owner);
    }
  }

  void pass(std::uint64_t time) {
    while (window_ < windows_.size() && time >= windows_[window_].end) ++window_;
    const bool inside = window_ < windows_.size() && time >= windows_[window_].begin;
    counts_ = inside ? windows_[window_].counts : nullptr;
  }

  void change(std::string value, const std::string& code) {
    const auto found = signals_.find(code);
    if (found == signals_.end()) return;  // not counted
    Signal& signal = found->second;
    const std::size_t first = std::min(value.find_first_not_of('0'), value.size() - 1);
    value.erase(0, first);
    if (counts_ != nullptr && !signal.value.empty()) {
      const std::uint64_t changed = changed_bits(signal.value, value);
      for (Toggles* owner : signal.owners) owner->*counts_ += changed;
    }
    signal.value = std::move(value);
  }

  const std::string path_;
  std::ifstream in_;
  const std::vector<Window>& windows_;
  std::size_t window_ = 0;
  std::uint64_t Toggles::*counts_ = nullptr;
  std::vector<std::string> scope_;
  std::map<std::string, Toggles> scopes_;
  std::unordered_map<std::string, Signal> signals_;
};

}  // namespace

std::map<std::string, Toggles> toggles_of_vcd(const std::string& path,
                                              const std::vector<Window>& windows) {
  return Reader(path, windows).read();
}

}  // namespace axelram::report
