// Exponents in generated hardware (bit-contract.md#exponents).
#include <algorithm>
#include <nlohmann/json.hpp>

#include "axelram/files/safetensors.hpp"
#include "axelram/rtl/generator.hpp"
#include "files/support.hpp"

namespace axelram::rtl {
namespace {

std::string text(const std::vector<GeneratedFile>& files, const std::string& path) {
  const auto at = std::find_if(files.begin(), files.end(),
                               [&](const GeneratedFile& file) { return file.path == path; });
  REQUIRE_MESSAGE(at != files.end(), path);
  return at->text;
}

/// Two KV heads of 32 channels: exponent i mod 16 - 8, and 7 - i mod 16.
files::Config balanced(const std::string& yaml) {
  const test::TemporaryFolder folder;
  std::vector<std::int8_t> exponents;
  for (int i = 0; i < 64; ++i)
    exponents.push_back(static_cast<std::int8_t>(i < 32 ? i % 16 - 8 : 7 - i % 16));
  files::write_safetensors(
      folder / "e", {files::view("balance", files::DataType::i8, {1, 2, 32}, exponents)}, {}, true);
  return files::parse_config("macro: {head_dim: 32, max_keys: 16}\nrotation: {balance: e}\n" + yaml,
                             "t.yaml", folder.path());
}

}  // namespace

TEST_CASE("exponents are a ROM, and lie above the signs at the macro's port") {
  const std::vector<GeneratedFile> generated = generate(balanced(""));
  const std::string rom = text(generated, "rtl/t_balance_rom.sv");
  CHECK(test::contains(rom, "4'h7,  // 31: 7\n"));
  CHECK(test::contains(rom, "4'h8  // 0: -8\n"));
  const std::string package = text(generated, "rtl/t_pkg.sv");
  CHECK(test::contains(package, "localparam bit Balance = 1'b1;"));
  CHECK(test::contains(package, "localparam int BalanceBits = HeadDim*4;"));
  const std::string top = text(generated, "rtl/t_top.sv");
  CHECK(test::contains(top, "{balance, signs}"));
  CHECK(test::contains(top, "u_balance_rom"));
  const auto manifest = nlohmann::json::parse(text(generated, "axelram.json"));
  CHECK(manifest["parameters"]["balanced"] == true);
  CHECK(manifest["constants"]["balance"][15] == 7);
  CHECK(manifest["widths_bits"]["balance_exponent"] == 4);
}

TEST_CASE("a macro without exponents has no word of them") {
  const files::Config plain =
      files::parse_config("macro: {head_dim: 32, max_keys: 16}", "t.yaml", "");
  for (const GeneratedFile& file : generate(plain)) {
    if (file.path.starts_with(kCommonFolder)) continue;
    CASE(file.path);
    CHECK_FALSE(test::contains(file.text, "alance"));
  }
}

TEST_CASE("rows of exponents are those of the rotations, and are loaded with them") {
  const std::string store = "attention: {}\nstore: {rotations: 2";
  const std::vector<GeneratedFile> rom = generate(balanced(store + "}\n"));
  CHECK(test::contains(text(rom, "rtl/t_balance_rom.sv"), "4'h8  // 0: -8\n"));
  CHECK(test::contains(text(rom, "rtl/t_balance_rom.sv"), "4'h7,  // 32: 7\n"));
  const auto of_rom = nlohmann::json::parse(text(rom, "axelram.json"));
  CHECK(of_rom["constants"]["further_rotations"][0]["balance"][0] == 7);
  CHECK_FALSE(test::contains(text(rom, "axelram.json"), "rotation_balance_i"));
  CHECK(test::contains(text(rom, "rtl/t_top.sv"), "{{128{1'b0}}, {32{1'b0}}}"));

  const std::vector<GeneratedFile> ram = generate(balanced(store + ", rotation_memory: ram}\n"));
  CHECK(test::contains(text(ram, "rtl/t_top.sv"), "{rotation_balance_i, rotation_signs_i}"));
  const auto manifest = nlohmann::json::parse(text(ram, "axelram.json"));
  const auto& memories = manifest["memories"];
  CHECK(std::any_of(memories.begin(), memories.end(), [](const auto& memory) {
    return memory["holds"] == "signs and exponents" && memory["bits"] == 32 * 5;
  }));
  const auto& ports = manifest["ports"];
  CHECK(std::any_of(ports.begin(), ports.end(), [](const auto& port) {
    return port["name"] == "rotation_balance_i" && port["width"] == 32 * 4;
  }));
}

}  // namespace axelram::rtl
