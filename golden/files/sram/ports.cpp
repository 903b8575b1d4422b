#include "ports.hpp"

#include <algorithm>
#include <vector>

namespace axelram::files {
namespace {

constexpr std::size_t kMostBuses = 64;

/// A bus of data, and the address that it belongs to.
struct SramBus {
  const LibertyGroup* group;
  std::string address;
  std::string clock;
};

std::string first_word(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find(' ', begin) - begin);
}

/// The first group of this kind in a bus or in a pin of it.
const LibertyGroup* within(const LibertyGroup& bus, std::string_view kind) {
  if (const LibertyGroup* const found = bus.group(kind)) return found;
  for (const LibertyGroup& pin : bus.groups)
    if (const LibertyGroup* const found = pin.kind == "pin" ? pin.group(kind) : nullptr)
      return found;
  return nullptr;
}

/// The first timing from an edge of a clock to the data.
const LibertyGroup* edge_of(const LibertyGroup& bus) {
  for (const LibertyGroup& inner : bus.groups) {
    const std::string type = inner.kind == "timing" ? inner.text("timing_type") : "";
    if (type == "rising_edge" || type == "falling_edge") return &inner;
    if (inner.kind != "pin") continue;
    if (const LibertyGroup* const found = edge_of(inner)) return found;
  }
  return nullptr;
}

bool has_address(const std::vector<SramBus>& buses, const std::string& address) {
  return std::any_of(buses.begin(), buses.end(),
                     [&](const SramBus& bus) { return bus.address == address; });
}

/// The first bus whose port does nothing else, or the first.
const SramBus* best(const std::vector<SramBus>& buses, const std::vector<SramBus>& others) {
  for (const SramBus& bus : buses)
    if (!has_address(others, bus.address)) return &bus;
  return buses.empty() ? nullptr : &buses.front();
}

/// Addresses of `buses`, with or without a bus among `others`.
std::size_t addresses(const std::vector<SramBus>& buses, const std::vector<SramBus>& others,
                      bool with) {
  std::vector<std::string> list;
  for (const SramBus& bus : buses)
    if (has_address(others, bus.address) == with) list.push_back(bus.address);
  std::sort(list.begin(), list.end());
  return static_cast<std::size_t>(std::unique(list.begin(), list.end()) - list.begin());
}

}  // namespace

SramPorts sram_ports(const LibertyGroup& cell, const std::string& origin) {
  std::vector<SramBus> reads, writes;
  for (const LibertyGroup& bus : cell.groups) {
    if (std::max(reads.size(), writes.size()) > kMostBuses)
      fail_at(origin, bus.line, "too many buses of data; an SRAM has a few");
    if (bus.kind != "bus" && bus.kind != "bundle" && bus.kind != "pin") continue;
    if (const LibertyGroup* const read = within(bus, "memory_read")) {
      const LibertyGroup* const edge = edge_of(bus);
      reads.push_back({&bus, read->text("address"),
                       edge == nullptr ? "" : first_word(edge->text("related_pin"))});
    }
    if (const LibertyGroup* const write = within(bus, "memory_write"))
      writes.push_back({&bus, write->text("address"), first_word(write->text("clocked_on"))});
  }
  SramPorts ports;
  const auto add = [&](std::size_t number, const char* kind) {
    if (number != 0) ports.label += std::to_string(number) + kind;
  };
  add(addresses(reads, writes, true), "rw");
  add(addresses(reads, writes, false), "r");
  add(addresses(writes, reads, false), "w");
  if (ports.label.empty()) ports.label = "unstated";
  if (const SramBus* const read = best(reads, writes)) {
    ports.read_bus = read->group;
    ports.read_edge = edge_of(*read->group);
    ports.read_clock = read->clock;
  }
  if (const SramBus* const write = best(writes, reads)) ports.write_clock = write->clock;
  return ports;
}

}  // namespace axelram::files
