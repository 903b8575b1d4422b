#include "axelram/sim/waveform.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/rtl/layout.hpp"

namespace axelram::sim {
namespace {

constexpr const char* kHex = "@22\n";
constexpr const char* kBinary = "@28\n";
constexpr const char* kSigned = "@420\n";  // decimal, signed
/// Titles of ports by the beginning of their names; all others are status.
constexpr std::pair<const char*, const char*> kGroups[] = {
    {"vector", "vectors in"},   {"command", "commands"},   {"clear", "commands"},
    {"output", "outputs out"},  {"score", "scores out"},   {"obs", "observation"},
    {"clk", "clock and reset"}, {"rst", "clock and reset"}};
constexpr std::uint64_t kCycleTime = 10;  // ns: two evaluations of 5

/// The name by which GTKWave knows a net of an FST file. A view that lists another name for it
/// shows nothing: a vector has its range, a vector of one bit its index.
std::string shown(const std::string& top, const rtl::Net& net) {
  const std::string high = std::to_string(net.width - 1);
  const std::string range = net.width > 1 ? "[" + high + ":0]" : net.is_vector ? "[0]" : "";
  return top + "." + net.name + range + "\n";
}

std::string group(const std::string& title) { return "@200\n-" + title + "\n"; }

const char* radix(const rtl::Port& port) {
  if (port.width == 1) return kBinary;
  return port.is_signed && port.width <= 64 ? kSigned : kHex;
}

// An FST file is a chain of blocks: a type of one byte, a length of eight bytes that counts itself,
// big endian, and the content. Type 255 is a block that was begun and not ended.
bool is_whole_fst(const std::string& path) {
  constexpr int kHeader = 0, kGeometry = 3, kUnended = 255;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  bool geometry = false, hierarchy = false;
  std::uint64_t at = 0;
  while (file && at < size) {
    file.seekg(static_cast<std::streamoff>(at));
    const int type = file.get();
    std::array<unsigned char, 8> bytes{};
    file.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
    std::uint64_t length = 0;
    for (const unsigned char byte : bytes) length = length << 8 | byte;
    if (!file || (type == kHeader) != (at == 0) || type == kUnended || length < bytes.size() ||
        length >= size - at)
      return false;
    geometry |= type == kGeometry;
    hierarchy |= type == 4 || type == 6 || type == 7;  // three ways to compress it
    at += 1 + length;
  }
  return !error && file && at == size && geometry && hierarchy;
}

}  // namespace

std::string gtkwave_view(const files::Config& config, const std::string& fst_path,
                         std::optional<std::uint64_t> marker_cycle) {
  // Values of a cycle are stable from the falling edge to the rising edge that ends the cycle.
  const std::uint64_t marker = marker_cycle ? *marker_cycle * kCycleTime : 0;
  const std::uint64_t start = marker > 40 * kCycleTime ? marker - 40 * kCycleTime : 0;
  const std::string top = "TOP." + rtl::prefix(config) + "_top";
  std::string text = "[*] axelram: " + config.name + "\n[dumpfile] \"" + fst_path +
                     "\"\n[timestart] " + std::to_string(start) +
                     "\n[size] 1600 900\n[pos] -1 -1\n*-6.000000 " +
                     (marker_cycle ? std::to_string(marker) : "-1");
  for (int i = 0; i < 26; ++i) text += " -1";
  text += "\n[treeopen] TOP.\n[treeopen] " + top + ".\n[sst_width] 220\n[signals_width] 320\n";

  const rtl::Layout layout(config);
  std::string title;
  for (const rtl::Port& port : rtl::observed_top_ports(config, layout)) {
    const std::string prefix = port.name.substr(0, port.name.find('_'));
    const auto known = std::find_if(std::begin(kGroups), std::end(kGroups),
                                    [&](const auto& group) { return prefix == group.first; });
    const std::string now = known == std::end(kGroups) ? "status" : known->second;
    if (now != title) text += group(title = now);
    text += radix(port) + shown(top, {port.name, port.width, port.width > 1});
  }
  text += group("control");
  for (const rtl::Net& net : rtl::control_nets(config, layout)) text += kHex + shown(top, net);
  return text + "[pattern_trace] 1\n[pattern_trace] 0\n";
}

void check_whole_fst(const std::string& path, const std::string& shown) {
  if (!is_whole_fst(path))
    throw files::EnvironmentError(
        shown + ": the waveform could not be written whole; free some space or write elsewhere");
}

}  // namespace axelram::sim
