#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "axelram/files/config.hpp"
#include "axelram/files/safetensors.hpp"
#include "require.hpp"

using namespace axelram;
using namespace axelram::files;

namespace {

/// A directory with files that configurations can name: s (signs), c (center, F16), b (center,
/// BF16), x (exponents), h (channels of a split), l, e, t (Liberty, LEF and table of a memory).
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "axelram-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "a temporary folder");
    path = name;
    const std::vector<std::int8_t> signs(2 * 128, -1);
    const std::vector<std::uint16_t> center(128, 0x3c00);
    write_safetensors(path + "/s", {view("signs", DataType::i8, {2, 1, 128}, signs)}, {}, false);
    write_safetensors(path + "/c", {view("center", DataType::f16, {1, 1, 128}, center)}, {}, false);
    write_safetensors(path + "/b", {view("center", DataType::bf16, {1, 1, 128}, center)}, {},
                      false);
    std::vector<std::int8_t> exponents(2 * 128);
    for (std::size_t i = 0; i < exponents.size(); ++i)
      exponents[i] = static_cast<std::int8_t>(static_cast<int>(i % 16) - 8);
    write_safetensors(path + "/x", {view("balance", DataType::i8, {2, 1, 128}, exponents)}, {},
                      false);
    std::vector<std::int32_t> high(64);
    for (std::size_t i = 0; i < high.size(); ++i) high[i] = static_cast<std::int32_t>(2 * i);
    write_safetensors(path + "/h", {view("high", DataType::i32, {1, 1, 64}, high)}, {}, false);
    std::ofstream(path + "/l")
        << "library(a) { cell(m) { memory() { address_width : 4; word_width : "
           "8; } pin(k) { internal_power() { when : a; } } } }";
    std::ofstream(path + "/e") << "MACRO m\nSIZE 1 BY 2 ;\nEND m\n";
    std::ofstream(path + "/t")
        << "p: {node: 45, voltage: 1, words: 2, bits: 3, ports: 1rw, source: S}";
  }
  ~Folder() { std::filesystem::remove_all(path); }

  std::string path;
};

}  // namespace

/// Any text gives a configuration equal to that of its canonical form, or an InputError on one
/// line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Config config;
  try {
    config = parse_config(text, "f.yaml", folder.path);
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(message.rfind("f.yaml:", 0) == 0, message);
    require(message.find_first_of("\n\r") == std::string::npos, message);
    require(message.find("; ") != std::string::npos, message);
    require(message.size() < 1500, message);
    return 0;
  }
  check(config.parameters);
  require(config.head_rotation.signs.size() == static_cast<std::size_t>(config.parameters.head_dim),
          "signs");
  const std::string canonical = canonical_yaml(config);
  const Config again = parse_config(canonical, "f.yaml", folder.path);
  require(canonical_yaml(again) == canonical, canonical);
  require(again.head_rotation == config.head_rotation && again.center == config.center, canonical);
  return 0;
}
