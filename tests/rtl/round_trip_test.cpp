// The configuration in a generated folder generates the same folder.
#include <map>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "axelram/rtl/generator.hpp"
#include "files/support.hpp"

namespace axelram::rtl {
namespace {

/// Files of two layers and two KV heads: `fp16` and `bf16`, with signs, centers, exponents and
/// channels.
void put_tensors(const test::TemporaryFolder& folder) {
  using files::DataType;
  std::vector<std::int8_t> signs, exponents;
  std::vector<std::uint16_t> center;
  std::vector<std::int32_t> high;
  for (int i = 0; i < 4 * 32; ++i) {
    signs.push_back(i % 3 == 0 || i % 7 == 2 ? -1 : 1);
    exponents.push_back(static_cast<std::int8_t>(i * 7 % 16 - 8));
    center.push_back(static_cast<std::uint16_t>(0x3c00 + 3 * i));
    if (i % 2 == (i / 32) % 2) high.push_back(i % 32);
  }
  for (const auto& [name, type] : {std::pair{"fp16", DataType::f16}, {"bf16", DataType::bf16}})
    files::write_safetensors(folder / name,
                             {files::view("signs", DataType::i8, {2, 2, 32}, signs),
                              files::view("balance", DataType::i8, {2, 2, 32}, exponents),
                              files::view("center", type, {2, 2, 32}, center),
                              files::view("high", DataType::i32, {2, 2, 16}, high)},
                             {}, true);
}

/// Generates a folder, and again from the configuration in it.
void check_round_trip(const files::Config& config, bool observed) {
  const auto generated = [&](const files::Config& of) {
    return observed ? generate_observed(of) : generate(of);
  };
  const std::vector<GeneratedFile> once = generated(config);
  const test::TemporaryFolder folder;
  write_generated(once, folder / "out", false);
  const auto again = generated(files::read_config(folder / "out/config.yaml"));
  REQUIRE(again.size() == once.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    CASE(once[i].path);
    CHECK(again[i].path == once[i].path);
    CHECK_SAME(again[i].text, once[i].text);
  }
}

}  // namespace

TEST_CASE("round trips: the configuration of a generated folder generates the same folder") {
  for (const std::string& name : files::shipped_configs()) {
    CASE(name);
    check_round_trip(files::find_config(name), false);
  }
  check_round_trip(files::find_config("d32-b3-hamming84"), true);
  check_round_trip(files::find_config("d32-b3-attention-segments"), true);
}

TEST_CASE("round trips: signs, centers, exponents and channels of one head of a file") {
  const test::TemporaryFolder folder;
  put_tensors(folder);
  const std::string d32 = "macro: {head_dim: 32, max_keys: 16}\n";
  const std::string bf16 = "macro: {head_dim: 32, max_keys: 16, element_format: bf16}\n";
  const std::string of_head = "rotation: {layer: 1, head: 1, ";
  const std::string split = "quantizer: {scale: unbiased}\nsplit: {bits: [3, 1], channels: fp16}\n";
  const std::string prod = "quantizer: {kind: prod}\n";
  const std::string attention = "attention: {}\nstore: {rotations: 2}\n";
  for (const std::string& text :
       {d32 + of_head + "signs: fp16}",
        d32 + of_head + "center: fp16}",
        d32 + of_head + "signs: fp16, center: fp16}",
        bf16 + of_head + "signs: bf16, center: bf16}",
        d32 + of_head + "seed: 9}",
        d32 + of_head + "identity: true}",
        d32 + of_head + "identity: true, center: fp16}",
        d32 + split + of_head + "seed: 9}",
        d32 + split + of_head + "signs: fp16, center: fp16}",
        d32 + split + of_head + "identity: true}",
        d32 + prod + of_head + "seed: 9}",
        d32 + prod + of_head + "signs: fp16, center: fp16}",
        d32 + prod + of_head + "identity: true, center: fp16}",
        d32 + of_head + "balance: fp16}",
        bf16 + of_head + "balance: bf16, center: bf16}",
        d32 + of_head + "signs: fp16, balance: fp16}",
        d32 + split + of_head + "balance: fp16}",
        d32 + prod + of_head + "balance: fp16}",
        d32 + attention + "rotation: {layer: 1, balance: fp16, center: fp16}",
        d32 + attention + "rotation: {layer: 1, signs: fp16, center: fp16}",
        d32 + attention + "rotation: {layer: 1, seed: 9, center: fp16}",
        d32 + attention + of_head + "seed: 9}"}) {
    CASE(text);
    check_round_trip(files::parse_config(text, "t.yaml", folder.path()), false);
  }
}

TEST_CASE("round trips: a macro with any name that a file may have") {
  const std::string d32 = "macro: {head_dim: 32, max_keys: 16}\n";
  for (const std::string& name :
       {std::string("a-b_c"), std::string("a.b"), std::string("1x"), std::string(".hidden"),
        std::string("plus+"), std::string("-"), std::string("--x"), std::string("null"),
        std::string("true"), std::string("1e3"), std::string("0x10"), std::string("with space"),
        std::string("'quoted'"), std::string(80, 'n')}) {
    CASE(name);
    check_round_trip(files::parse_config(d32, name + ".yaml", ""), false);
  }
  const std::string named = "macro: {head_dim: 32, max_keys: 16, name: own-name}\n";
  check_round_trip(files::parse_config(named, "t.yaml", ""), false);
}

}  // namespace axelram::rtl
