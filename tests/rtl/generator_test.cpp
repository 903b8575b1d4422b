#include "axelram/rtl/generator.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <set>
#include <sstream>

#include "axelram/codebook.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/rtl/layout.hpp"
#include "check.hpp"
#include "files/support.hpp"

namespace axelram::rtl {
namespace {

namespace fs = std::filesystem;

files::Config config(const std::string& yaml) { return files::parse_config(yaml, "t.yaml", "."); }

const std::string& text(const std::vector<GeneratedFile>& files, const std::string& path) {
  const auto at = std::find_if(files.begin(), files.end(),
                               [&](const GeneratedFile& file) { return file.path == path; });
  REQUIRE_MESSAGE(at != files.end(), path);
  return at->text;
}

std::string hex(std::int32_t word, int bits) {
  std::ostringstream text;
  text << bits << "'h" << std::hex << std::setfill('0') << std::setw((bits + 3) / 4)
       << (static_cast<unsigned>(word) & ((1U << bits) - 1));
  return text.str();
}

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::temp_directory_path() / ("axelram_" + name);
  fs::remove_all(folder);
  return folder;
}

}  // namespace

TEST_CASE("the same configuration gives the same bytes, another one others") {
  const auto once = generate(config("{}"));
  const auto again = generate(config("{}"));
  const auto other = generate(config("rotation: {seed: 43}"));
  REQUIRE(once.size() == again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    CASE(i);
    CHECK(once[i].path == again[i].path);
    CHECK(once[i].text == again[i].text);
  }
  CHECK(text(once, "rtl/t_sign_rom.sv") != text(other, "rtl/t_sign_rom.sv"));
  CHECK(text(once, "rtl/t_codebook_rom.sv") == text(other, "rtl/t_codebook_rom.sv"));
}

TEST_CASE("names: the configuration's, as an identifier") {
  const auto prefix_of = [](const std::string& name, const std::string& yaml) {
    return prefix(files::parse_config(yaml, name, "."));
  };
  CHECK(prefix_of("paper-d128-b3.yaml", "{}") == "paper_d128_b3");
  CHECK(prefix_of("64 heads.yaml", "{}") == "m64_heads");
  CHECK(prefix_of("-a--b-.yaml", "{}") == "a_b");
  CHECK(prefix_of("+.yaml", "{}") == "macro");
  CHECK(prefix_of("t.yaml", "macro: {name: left-half}") == "left_half");
  CHECK(prefix_of("t.yaml", "macro: {name: 8bit}") == "m8bit");
  CHECK(prefix_of("t.yaml", "macro: {name: a.b}") == "a_b");
  for (const char* name : {"a b", "a/b", "\"\"", "é"}) {
    CASE(name);
    CHECK_THROWS_AS(config("macro: {name: " + std::string(name) + "}"), files::InputError);
  }
  CHECK_THROWS_AS(config("macro: {name: " + std::string(256, 'a') + "}"), files::InputError);
}

TEST_CASE("a macro cannot have the name of the core of the common modules") {
  const auto complaint = [](const std::string& file, const std::string& yaml) {
    const files::Config config = files::parse_config(yaml, file, ".");
    CHECK(!generate(config).empty());  // for those who read no core
    return test::message([&] { check_core_name(config); });
  };
  const std::string names = ": names of modules begin with that of the macro";
  const std::string core =
      ", as common, which the FuseSoC core of the modules of all macros has, "
      "axelram::common:0.1.0; give another macro.name";
  CHECK(complaint("t.yaml", "macro:\n  name: common-\n") == "t.yaml:2" + names + core);
  CHECK(complaint("a/common.yaml", "{}") == "a/common.yaml" + names + ", here of its file" + core);
  for (const char* free : {"commons", "Common", "axelram", "axelram-common"}) {
    CASE(free);
    const files::Config named = config("macro: {name: " + std::string(free) + "}");
    check_core_name(named);
    const auto all = generate(named);
    std::set<std::string> stems, cores;
    for (const GeneratedFile& file : all) {
      CASE(file.path);
      const fs::path path = file.path;
      if (path.extension() == ".sv" && path.parent_path() != "views")
        CHECK(stems.insert(path.stem().string()).second);
      if (path.extension() == ".core")
        CHECK(cores.insert(file.text.substr(0, file.text.find("description"))).second);
    }
    CHECK(cores.size() == 2);
  }
}

TEST_CASE("names that begin with the macro's are not too long") {
  const auto complaint = [](const std::string& file, const std::string& yaml) {
    const files::Config config = files::parse_config(yaml, file, ".");
    const std::string plain = test::message([&] { generate(config); });
    CHECK(plain == test::message([&] { generate_observed(config); }));
    return plain;
  };
  const auto given = [](int length) {
    return "macro:\n  name: " + std::string(static_cast<std::size_t>(length), 'a') + "\n";
  };
  const auto too_long = [](const std::string& place, const std::string& prefix) {
    return place + ", as " + prefix + ", which has " + std::to_string(prefix.size()) +
           " characters, and may have 120; give another macro.name";
  };
  const std::string names = ": names of modules begin with that of the macro";
  CHECK(complaint("t.yaml", given(121)) == too_long("t.yaml:2" + names, std::string(121, 'a')));
  CHECK(complaint("t.yaml", "macro: {name: '" + std::string(120, '9') + "'}") ==
        too_long("t.yaml:1" + names, "m" + std::string(120, '9')));
  const std::string stem(250, 'b');
  CHECK(test::contains(complaint(stem + ".yaml", "{}"),
                       too_long(".yaml" + names + ", here of its file", stem)));
  for (const GeneratedFile& one : generate(config(given(120)))) {
    CASE(one.path);
    CHECK(fs::path(one.path).filename().string().size() <= 255);
  }
  // Several characters that are no letters and digits are one '_'.
  CHECK(!generate(config("macro: {name: a" + std::string(200, '-') + "b}")).empty());
}

TEST_CASE("a test bench has the time scale of the macro, and a wire for each port") {
  for (const char* yaml : {"{}", "ecc: {code: hamming84}", "attention: {group: 2}"}) {
    CASE(yaml);
    const files::Config c = config(yaml);
    for (const bool observe : {false, true}) {
      CASE(observe);
      const auto all = observe ? generate_observed(c) : generate(c);
      for (const GeneratedFile& file : all) {
        CASE(file.path);
        CHECK(file.text.find("`timescale") == std::string::npos);
      }
      const std::string& bench = text(all, "tb/t_tb.sv");
      const Layout layout(c);
      for (const Port& port : observe ? observed_top_ports(c, layout) : ports(c, layout)) {
        CASE(port.name);
        const std::size_t at = bench.find("." + port.name);
        REQUIRE(at != std::string::npos);
        const char next = bench[at + 1 + port.name.size()];
        CHECK((next == ' ' || next == '('));
      }
    }
  }
}

TEST_CASE("what belongs to one macro has its name, all else is common to every macro") {
  const auto left = generate(config("macro: {name: quay}"));
  const auto right = generate(config("macro: {name: pier, head_dim: 64}\necc: {code: golay24}"));
  const auto common = [](const std::vector<GeneratedFile>& files) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const GeneratedFile& file : files)
      if (file.path.rfind(kCommonFolder, 0) == 0 || file.path == "axelram_common.core")
        found.emplace_back(file.path, file.text);
    return found;
  };
  CHECK_SAME(common(left), common(right));
  for (const GeneratedFile& file : left) {
    CASE(file.path);
    if (file.path.rfind("rtl/", 0) != 0 || file.path.rfind(kCommonFolder, 0) == 0) continue;
    CHECK_MESSAGE(file.path.rfind("rtl/quay_", 0) == 0, file.path);
    const std::string name = fs::path(file.path).stem().string();
    for (const auto& [path, text] : common(left)) {
      CASE(path, text);
      CHECK(fs::path(path).stem() != name);
    }
  }
  for (const auto& [path, text] : common(left)) {
    CASE(path, text);
    CHECK(text.find("quay_") == std::string::npos);
  }
}

TEST_CASE("observation ports exist on request, and nothing else differs") {
  const files::Config c = config("ecc: {code: hamming84}");
  const auto plain = generate(c), observed = generate_observed(c);
  REQUIRE(plain.size() == observed.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CASE(i);
    REQUIRE(plain[i].path == observed[i].path);
    const std::string& path = plain[i].path;
    const bool may = path == "rtl/t_top.sv" || path == "axelram.json" || path == "axelram.f" ||
                     path == "views/axelram.f" || path == "tb/t_tb.sv";
    CHECK((plain[i].text != observed[i].text) == may);
  }
  CHECK(text(plain, "rtl/t_top.sv").find("obs_") == std::string::npos);
  for (const Port& port : observation_ports(c, Layout(c)))
    CHECK_AT(port.name,
             text(observed, "rtl/t_top.sv").find("assign " + port.name + " = u_macro.") !=
                 std::string::npos);
}

TEST_CASE("the ROMs hold golden's words") {
  for (const char* yaml :
       {"{}", "macro: {index_bits: 4}", "numerics: {codebook: beta, boundary_fraction_bits: 16}",
        "numerics: {centroid_bits: 16}"}) {
    CASE(yaml);
    const files::Config c = config(yaml);
    const CodebookRom rom = codebook_rom(c.parameters);
    const std::string codebook = text(generate(c), "rtl/t_codebook_rom.sv");
    std::size_t at = codebook.find("assign boundaries_o");
    for (std::size_t j = rom.boundaries.size(); j-- > 0;) {
      CASE(j);
      at = codebook.find(hex(rom.boundaries[j], 20), at);
      REQUIRE(at != std::string::npos);
    }
    at = codebook.find("assign centroids_o");
    for (std::size_t j = rom.centroids.size(); j-- > 0;) {
      CASE(j);
      at = codebook.find(hex(rom.centroids[j], c.parameters.centroid_bits), at);
      REQUIRE(at != std::string::npos);
    }
  }
  // Seed 42, layer 0, head 0 starts with 0x57e1faba65107204 (bit-contract.md#signs).
  const std::string signs = text(generate(config("{}")), "rtl/t_sign_rom.sv");
  CHECK(signs.find("32'h65107204,  // 0") == std::string::npos);  // the lowest word ends the list
  CHECK(signs.find("32'h65107204  // 0") != std::string::npos);
  CHECK(signs.find("32'h57e1faba,  // 1") != std::string::npos);
}

TEST_CASE("the layout follows the paper's macro") {
  const files::Config c = config("{}");
  const Layout layout(c);
  CHECK(layout.rows == 1);
  CHECK(layout.read_rows == 1);
  CHECK(layout.root_bits == 19);
  CHECK(layout.row_delay == 24);
  CHECK(layout.build_cycles == 128);  // 1024 products on 8 multipliers
  CHECK(layout.hadamard_latency == 7);
  int record = 0;
  for (const Port& port : observation_ports(c, layout))
    if (port.name == "obs_indices_o") record = port.width + 16;
  CHECK(record == 400);
}

TEST_CASE("the ROM of a trellis holds the upper half of its level words, and all centroids") {
  const files::Config c = config("quantizer: {kind: trellis, states: 16}");
  const CodebookRom rom = codebook_rom(c.parameters);
  const Layout layout(c);
  CHECK(layout.scaled_words == 8);
  CHECK(layout.key_interval == 132);  // the search takes d + 4 cycles
  const auto files = generate(c);
  const std::string codebook = text(files, "rtl/t_codebook_rom.sv");
  std::size_t at = codebook.find("assign boundaries_o");
  for (std::size_t j = 16; j-- > 8;) {
    CASE(j);
    at = codebook.find(hex(rom.reconstructions[j], 20), at);
    REQUIRE(at != std::string::npos);
  }
  at = codebook.find("assign centroids_o");
  for (std::size_t j = 16; j-- > 0;) {
    CASE(j);
    at = codebook.find(hex(rom.centroids[j], 8), at);
    REQUIRE(at != std::string::npos);
  }
  const std::string package = text(files, "rtl/t_pkg.sv");
  CHECK(package.find("States = 16;") != std::string::npos);
  CHECK(package.find("Levels = 16;") != std::string::npos);
  CHECK(package.find("Boundaries = 8;") != std::string::npos);
}

TEST_CASE("a refused scale has a flag and a counter, with a trellis and an unbiased norm alone") {
  const auto errors = [](const std::string& yaml) {
    const files::Config c = config(yaml);
    for (const Port& port : ports(c, Layout(c)))
      if (port.name == "errors_o") return port.width;
    return 0;
  };
  CHECK(errors("{}") == 5);
  CHECK(errors("quantizer: {kind: trellis}") == 5);
  CHECK(errors("quantizer: {scale: unbiased}") == 5);
  CHECK(errors("quantizer: {kind: trellis, scale: unbiased}") == 6);
}

TEST_CASE("a generated folder stands alone: its configuration generates the same again") {
  const files::Config centered =
      files::read_config(std::string(AXELRAM_SOURCE) + "/configs/d128-b3-center.yaml");
  const fs::path folder = fresh_folder("alone");
  const auto once = generate(centered);
  write_generated(once, folder.string(), false);
  const auto again = generate(files::read_config((folder / "config.yaml").string()));
  REQUIRE(once.size() == again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    CASE(i);
    CHECK(once[i].path == again[i].path);
    if (once[i].path.rfind("rtl/", 0) == 0) CHECK(once[i].text == again[i].text);
  }
  CHECK(text(once, "config.yaml") == text(again, "config.yaml"));
  fs::remove_all(folder);
}

TEST_CASE("a folder where a file belongs is an error that names it") {
  const fs::path folder = fresh_folder("blocked");
  fs::create_directories(folder / "axelram.json");
  CHECK_THROWS_AS(write_generated(generate(config("{}")), folder.string(), true),
                  files::InputError);
  CHECK_FALSE(fs::exists(folder / "rtl"));
  fs::remove_all(folder);
}

TEST_CASE("generated files are not written over other content") {
  const fs::path folder = fresh_folder("generated");
  const auto files = generate(config("{}"));
  write_generated(files, folder.string(), false);
  write_generated(files, folder.string(), false);  // the same again is no harm
  const fs::path package = folder / "rtl/t_pkg.sv";
  std::ofstream(package) << "mine";
  CHECK_THROWS_AS(write_generated(files, folder.string(), false), files::InputError);
  std::ifstream in(package);
  std::string content;
  in >> content;
  CHECK(content == "mine");
  write_generated(files, folder.string(), true);
  fs::remove_all(folder);
}

}  // namespace axelram::rtl
