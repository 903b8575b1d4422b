#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// Tensors of trace files for tests of units, which link no reader of files.
namespace test {

/// All rows of the tensor `name`, F16 [rows, width], of a trace, as FP16 bits.
inline std::vector<std::vector<std::uint16_t>> trace_tensor(const std::string& path,
                                                            const std::string& name,
                                                            std::size_t width) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes.at(i)); };
  // The length of the header, of whose eight bytes the others are 0.
  const auto header = static_cast<std::size_t>(byte(0) | byte(1) << 8);
  const std::size_t offsets = bytes.find("data_offsets", bytes.find("\"" + name + "\""));
  const std::size_t at = bytes.find('[', offsets) + 1;
  const std::size_t begin = 8 + header + std::stoul(bytes.substr(at));
  const std::size_t end = 8 + header + std::stoul(bytes.substr(bytes.find(',', at) + 1));
  std::vector<std::vector<std::uint16_t>> rows;
  for (std::size_t place = begin; place < end; place += 2) {
    if ((place - begin) % (2 * width) == 0) rows.emplace_back();
    rows.back().push_back(static_cast<std::uint16_t>(byte(place) | byte(place + 1) << 8));
  }
  return rows;
}

inline std::string bundled_trace(const std::string& name) {
  return std::string(AXELRAM_SOURCE) + "/traces/" + name + ".safetensors";
}

}  // namespace test
