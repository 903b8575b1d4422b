#include "axelram/files/config.hpp"
#include "axelram/files/safetensors.hpp"
#include "support.hpp"

using namespace axelram;
using namespace axelram::files;
using test::contains;

namespace {

std::vector<std::int8_t> alternating(std::size_t count) {
  std::vector<std::int8_t> signs(count);
  for (std::size_t i = 0; i < count; ++i) signs[i] = i / 32 % 2 == i % 2 ? 1 : -1;
  return signs;
}

void write_signs(const std::string& path, const Shape& shape, const std::vector<std::int8_t>& s) {
  write_safetensors(path, {view("signs", DataType::i8, shape, s)}, {}, true);
}

void write_center(const std::string& path, DataType type, const std::vector<std::uint16_t>& c) {
  write_safetensors(path, {view("center", type, {1, 2, 32}, c)}, {}, true);
}

}  // namespace

TEST_CASE("layer and head choose the row of signs") {
  const test::TemporaryFolder folder;
  const auto signs = alternating(2 * 3 * 32);
  write_signs(folder / "s", {2, 3, 32}, signs);
  for (int layer = 0; layer < 2; ++layer)
    for (int head = 0; head < 3; ++head) {
      CASE(layer, head);
      test::put(folder / "c.yaml",
                "macro: {head_dim: 32}\nrotation: {signs: s, layer: " + std::to_string(layer) +
                    ", head: " + std::to_string(head) + "}");
      const Config config = read_config(folder / "c.yaml");
      const auto row = signs.begin() + (layer * 3 + head) * 32;
      CHECK_SAME(config.head_rotation.signs, std::vector<std::int8_t>(row, row + 32));
      CHECK(config.rotation.source == Rotation::Source::signs_file);
      CHECK(config.name == "c");
    }
  // an absolute path, and one from the current folder
  const std::string text =
      "macro: {head_dim: 32}\nrotation: {layer: 1, signs: \"" + (folder / "s") + "\"}";
  CHECK(parse_config(text, "x", "elsewhere").head_rotation.signs[0] == signs[96]);
  CHECK(parse_config(text, "x", "").head_rotation.signs[0] == signs[96]);
}

TEST_CASE("layer, head and row of a store choose the exponents") {
  const test::TemporaryFolder folder;
  std::vector<std::int8_t> exponents(2 * 3 * 32);
  for (std::size_t i = 0; i < exponents.size(); ++i)
    exponents[i] = static_cast<std::int8_t>(static_cast<int>(i * 7 % 16) - 8);
  const auto put = [&] {
    write_safetensors(folder / "e", {view("balance", DataType::i8, {2, 3, 32}, exponents)}, {},
                      true);
  };
  put();
  const auto row = [&](std::size_t i) {
    return std::vector<std::int8_t>(exponents.begin() + static_cast<long>(i * 32),
                                    exponents.begin() + static_cast<long>(i * 32 + 32));
  };
  const auto parse = [&](const std::string& more) {
    return parse_config("macro: {head_dim: 32}\nrotation: {balance: e" + more, "x.yaml",
                        folder.path());
  };
  const Config config = parse(", layer: 1, head: 1}");
  CHECK(config.parameters.balanced);
  CHECK_FALSE(config.parameters.centered);
  CHECK_SAME(config.head_rotation.balance, row(4));
  CHECK(contains(canonical_yaml(config), "balance: \"e\""));
  CHECK_SAME(config_of_head(config, folder.path(), 0, 2).head_rotation.balance, row(2));
  const Config store = parse("}\nattention: {}\nstore: {rotations: 6}");
  for (std::size_t i = 0; i < 6; ++i) {
    CASE(i);
    CHECK_SAME(rotation_rows(store)[i].rotation.balance, row(i));
  }
  CHECK_FALSE(parse_config("macro: {head_dim: 32}", "x.yaml", folder.path()).parameters.balanced);

  const std::string start = "x.yaml:2: balance: " + folder / "e" + ": ";
  const auto message = [&](const std::string& more = "}") {
    return test::message([&] { parse(more); });
  };
  CHECK(message(", layer: 2}") ==
        start +
            "tensor balance: holds 2 layers; layer 2 of the configuration (from 0) is not among "
            "them");
  for (const int wrong : {8, -9, 127, -128}) {
    CASE(wrong);
    exponents[3] = static_cast<std::int8_t>(wrong);
    put();
    CHECK(message() == start + "tensor balance, layer 0, head 0, element 3: " +
                           std::to_string(wrong) + "; exponents lie in -8..7");
    CHECK(message(", head: 1}") == "");
  }
  write_safetensors(folder / "e", {view("balance", DataType::i8, {1, 1, 16}, alternating(16))}, {},
                    true);
  CHECK(message() == start + "tensor balance: shape is [1, 1, 16]; it must be [layers, heads, 32]");
  write_safetensors(folder / "e", {view("balance", DataType::u8, {1, 1, 32}, alternating(32))}, {},
                    true);
  CHECK(contains(message(), "dtype is U8; it must be I8"));
}

TEST_CASE("a sign file that does not fit") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "s";
  const auto message = [&](const std::string& more = "") {
    return test::message([&] {
      parse_config("macro: {head_dim: 32}\nrotation: {signs: s" + more + "}", "x.yaml",
                   folder.path());
    });
  };
  const std::string start = "x.yaml:2: signs: " + path + ": ";
  CHECK(message() == start + "no such file; check the path");

  write_signs(path, {2, 3, 32}, alternating(192));
  CHECK(message() == "");
  CHECK(
      message(", layer: 2") ==
      start +
          "tensor signs: holds 2 layers; layer 2 of the configuration (from 0) is not among them");
  CHECK(contains(message(", layer: 1, head: 3"), "holds 3 heads; head 3"));
  write_signs(path, {2, 6, 16}, alternating(192));
  CHECK(message() == start + "tensor signs: shape is [2, 6, 16]; it must be [layers, heads, 32]");
  write_signs(path, {6, 32}, alternating(192));
  CHECK(contains(message(), "it must have 3 dimensions"));
  write_signs(path, {0, 6, 32}, {});
  CHECK(contains(message(), "holds 0 layers"));
  write_safetensors(path, {view("signs", DataType::u8, {1, 1, 32}, alternating(32))}, {}, true);
  CHECK(contains(message(), "dtype is U8; it must be I8"));
  write_safetensors(path, {view("sign", DataType::i8, {1, 1, 32}, alternating(32))}, {}, true);
  CHECK(contains(message(), "no tensor 'signs'; the file holds sign"));
  for (const int wrong : {0, 2, -2, -128, 127}) {
    CASE(wrong);
    auto signs = alternating(64);
    signs[32 + 5] = static_cast<std::int8_t>(wrong);
    write_signs(path, {1, 2, 32}, signs);
    CHECK(message() == "");  // the error is in another row
    CHECK(message(", head: 1") == start + "tensor signs, layer 0, head 1, element 5: " +
                                      std::to_string(wrong) + "; signs are -1 or 1");
  }
  test::put(path, "no tensors here");
  CHECK(contains(message(), "is it a safetensors file?"));
  write_signs(path, {1, 1, 32}, alternating(32));
  CHECK(message() == "");
  const std::string nul = "macro: {head_dim: 32}\nrotation: {signs: \"s\\0b\"}";
  CHECK(test::message([&] { parse_config(nul, "x.yaml", folder.path()); }) ==
        "x.yaml:2: signs: " + path + "\\x00b: no such file; check the path");
}

TEST_CASE("a center in the element format, finite") {
  const test::TemporaryFolder folder;
  const auto config = [&folder](const std::string& format, int head) {
    return parse_config(
        "macro: {head_dim: 32, element_format: " + format +
            "}\nrotation: {center: \"c.st\", identity: true, head: " + std::to_string(head) + "}",
        "x.yaml", folder.path());
  };
  std::vector<std::uint16_t> center(64);
  for (std::size_t i = 0; i < 64; ++i) center[i] = static_cast<std::uint16_t>(0x3c00 + i);
  write_center(folder / "c.st", DataType::f16, center);
  CHECK_SAME(config("fp16", 1).center,
             std::vector<std::uint16_t>(center.begin() + 32, center.end()));
  CHECK(config("fp16", 0).parameters.centered);
  CHECK(contains(test::message([&] { config("bf16", 0); }), "dtype is F16; it must be BF16"));

  // The largest finite values, then infinity and NaN; in BF16 0x7c00 is an ordinary number.
  for (const std::uint16_t bits :
       std::vector<std::uint16_t>{0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xffff}) {
    CASE(bits);
    center[33] = bits;
    write_center(folder / "c.st", DataType::f16, center);
    const std::string expected = (bits & 0x7c00) == 0x7c00
                                     ? "x.yaml:2: center: " + (folder / "c.st") +
                                           ": tensor center, layer 0, head 1, element 1: NaN or "
                                           "infinity; a center is finite"
                                     : "";
    CHECK(test::message([&] { config("fp16", 1); }) == expected);
    CHECK(test::message([&] { config("fp16", 0); }) == "");
  }
  for (const std::uint16_t bits :
       std::vector<std::uint16_t>{0x7f7f, 0x7c00, 0x7f80, 0xff80, 0xffff}) {
    CASE(bits);
    center[33] = bits;
    write_center(folder / "c.st", DataType::bf16, center);
    CHECK((test::message([&] { config("bf16", 1); }) == "") == ((bits & 0x7f80) != 0x7f80));
  }
}

TEST_CASE("canonical YAML keeps file names of any kind") {
  const test::TemporaryFolder folder;
  const std::string name = "a \"b\" \\ 'c': #{\xc3\xa9\xf0\x9f\x98\x80}\t\n\x7f";
  write_signs(folder / name, {1, 1, 32}, alternating(32));
  write_safetensors(folder / "center",
                    {view("center", DataType::f16, {1, 1, 32}, std::vector<std::uint16_t>(32))}, {},
                    false);
  const Config config = parse_config(
      "macro: {head_dim: 32}\nrotation: {center: center, signs: \"a \\\"b\\\" \\\\ "
      "'c': #{\xc3\xa9\\U0001F600}\\t\\n\\x7f\"}",
      "x.yaml", folder.path());
  CHECK(config.rotation.signs_file == name);
  const Config again = parse_config(canonical_yaml(config), "x.yaml", folder.path());
  CHECK(again.rotation.signs_file == name);
  CHECK(again.rotation.center_file == "center");
  CHECK_SAME(again.head_rotation.signs, config.head_rotation.signs);
  CHECK(canonical_yaml(again) == canonical_yaml(config));
}
