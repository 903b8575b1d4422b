#include "conditions.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace axelram::files {
namespace {

enum class PinRole { enables, writes };

struct ControlPin {
  std::string_view name;
  PinRole role;
  bool active_low;
};

constexpr std::array<ControlPin, 19> kControlPins = {{{"csb", PinRole::enables, true},
                                                      {"cs_b", PinRole::enables, true},
                                                      {"csn", PinRole::enables, true},
                                                      {"cs_n", PinRole::enables, true},
                                                      {"ceb", PinRole::enables, true},
                                                      {"ce_b", PinRole::enables, true},
                                                      {"cen", PinRole::enables, true},
                                                      {"ce_n", PinRole::enables, true},
                                                      {"cs", PinRole::enables, false},
                                                      {"ce", PinRole::enables, false},
                                                      {"me", PinRole::enables, false},
                                                      {"web", PinRole::writes, true},
                                                      {"we_b", PinRole::writes, true},
                                                      {"wen", PinRole::writes, true},
                                                      {"we_n", PinRole::writes, true},
                                                      {"gwen", PinRole::writes, true},
                                                      {"gweb", PinRole::writes, true},
                                                      {"we", PinRole::writes, false},
                                                      {"gwe", PinRole::writes, false}}};

const ControlPin* control_pin(std::string name) {
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.pop_back();
  for (const bool with_port : {false, true}) {
    if (with_port) {
      if (name.empty() || (name.back() != 'a' && name.back() != 'b')) return nullptr;
      name.pop_back();
    }
    for (const ControlPin& pin : kControlPins)
      if (pin.name == name) return &pin;
  }
  return nullptr;
}

}  // namespace

std::string without_blanks(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') result += c;
  return result;
}

PinState pin_state(const std::string& when) {
  const std::string text = without_blanks(when);
  if (text.empty()) return PinState::enabled;
  if (text.find_first_of("|^+()") != std::string::npos) return PinState::unknown;
  PinState state = PinState::enabled;
  bool idle = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of("&*", at);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(text.find_first_of("&*", begin), text.size());
    std::string name = text.substr(begin, end - begin);
    bool high = true;
    if (name.front() == '!') {
      high = false;
      name.erase(0, 1);
    }
    if (!name.empty() && name.back() == '\'') {
      high = !high;
      name.pop_back();
    }
    at = end;
    const ControlPin* const pin = control_pin(name);
    if (pin == nullptr) return PinState::unknown;
    const bool active = high != pin->active_low;
    if (pin->role == PinRole::writes) state = active ? PinState::write : PinState::read;
    if (pin->role == PinRole::enables && !active) idle = true;
  }
  return idle ? PinState::idle : state;
}

}  // namespace axelram::files
