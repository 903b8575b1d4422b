#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "axelram/rtl/generator.hpp"
#include "axelram/rtl/layout.hpp"
#include "check.hpp"

namespace axelram::rtl {
namespace {

files::Config behind(const std::string& ecc) {
  return files::parse_config("ecc: {code: " + ecc + "}\n", "t.yaml", ".");
}

const std::string* text(const std::vector<GeneratedFile>& files, const std::string& path) {
  for (const GeneratedFile& file : files)
    if (file.path == path) return &file.text;
  return nullptr;
}

/// True if the macro consists of the module among others.
bool has(const std::vector<GeneratedFile>& files, const std::string& module) {
  return text(files, "axelram.f")->find("/axelram_" + module + ".sv\n") != std::string::npos;
}

std::set<std::string> port_names(const files::Config& config) {
  std::set<std::string> names;
  for (const Port& port : observed_top_ports(config, Layout(config))) names.insert(port.name);
  return names;
}

bool uses(const std::string& text, const std::string& module) {
  for (const char* behind_name : {" #(", " u_", "::"})
    if (text.find(module + behind_name) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a code brings its own modules and no others") {
  const char* const always[] = {
      "encoder", "word_decoder", "record_encoder", "record_decoder", "interpolate",
      "inject",  "scrubber",     "code_status",    "code_registers", "protected_store"};
  const auto plain = generate(behind("none"));
  for (const char* module : always) {
    CASE(module);
    CHECK_FALSE(has(plain, module));
  }
  CHECK(text(plain, "t_code.h") == nullptr);

  struct Case {
    const char* ecc;
    bool algebraic, rom;
  };
  for (const Case& c : {Case{"hamming74", false, false},
                        {"hamming84", false, false},
                        {"hsiao_72_64", false, false},
                        {"golay24", true, false},
                        {"golay24, decoder: rom", false, true}}) {
    CASE(c.ecc);
    const auto files = generate(behind(c.ecc));
    for (const char* module : always) CHECK_MESSAGE(has(files, module), module);
    CHECK(has(files, "golay_algebraic_decoder") == c.algebraic);
    CHECK(has(files, "golay_rom") == c.rom);
    CHECK(text(files, "t_code.h") != nullptr);
  }
}

TEST_CASE("sources of a macro are listed once, packages and children first") {
  for (const char* ecc : {"none", "hamming84", "golay24", "golay24, decoder: rom", "hsiao_39_32"}) {
    CASE(ecc);
    const auto files = generate(behind(ecc));
    const std::string list = *text(files, "axelram.f");
    std::map<std::string, std::size_t> place;  // of each listed module
    std::map<std::string, std::string> texts;
    for (const GeneratedFile& file : files) {
      CASE(file.path);
      if (file.path.rfind("rtl/", 0) != 0 || file.path.find(".svh") != std::string::npos) continue;
      const std::string name = std::filesystem::path(file.path).stem().string();
      const std::size_t at = list.find(file.path + "\n");
      if (file.path.rfind(kCommonFolder, 0) != 0) CHECK_MESSAGE(at != std::string::npos, name);
      if (at == std::string::npos) continue;
      CHECK(list.find(file.path + "\n", at + 1) == std::string::npos);
      place[name] = at;
      texts[name] = file.text;
    }
    CHECK(place.size() > 30);
    for (const auto& [name, at] : place)
      for (const auto& [inner, inner_at] : place)
        if (inner != name && uses(texts[name], inner))
          CHECK_MESSAGE(inner_at < at, inner, " before ", name);
  }
}

TEST_CASE("only a coded macro has the ports of a code") {
  const files::Config config = behind("hamming84");
  const auto plain = port_names(behind("none")), coded = port_names(config);
  CHECK(std::includes(coded.begin(), coded.end(), plain.begin(), plain.end()));
  const auto files = generate_observed(config), plain_files = generate_observed(behind("none"));
  const std::string &top = *text(files, "rtl/t_top.sv"),
                    &plain_top = *text(plain_files, "rtl/t_top.sv");
  for (const Port& port : observed_top_ports(config, Layout(config))) {
    CASE(port.name);
    if (plain.count(port.name) != 0) continue;
    const std::string direction = port.input ? "input" : "output";
    const std::regex declaration("\n +" + direction + " [^\n/]* " + port.name + "\\b");
    const auto declared = [&](const std::string& source) {
      return std::regex_search(source, declaration);
    };
    CHECK(declared(top));
    CHECK_FALSE(declared(plain_top));
    // 100 words of 8 bits behind a record of 400.
    if (port.name == "inject_mask_i") CHECK(port.width == 800);
    if (port.name == "obs_status_o") CHECK(port.width == 200);
    if (port.name == "ecc_first_address_o") CHECK(port.width == 12);
  }
}

TEST_CASE(
    "a generated folder refers to nothing outside it but the documents that its README names") {
  const std::regex outside(
      "(^|[^a-z_])(docs|configs|scripts|tests|golden|sim)/|\\.\\./|/home/|/tmp/"),
      document("([a-z-]+\\.md)");
  for (const char* ecc : {"none", "hamming84", "golay24, decoder: rom"}) {
    CASE(ecc);
    const auto files = generate_observed(behind(ecc));
    const std::string& readme = *text(files, "README.md");
    for (const GeneratedFile& file : files) {
      CASE(file.path);
      std::smatch found;
      CHECK_MESSAGE(!std::regex_search(file.text, found, outside), found.str());
      for (std::sregex_iterator cited(file.text.begin(), file.text.end(), document), end;
           cited != end; ++cited)
        CHECK_MESSAGE((cited->str() == "README.md" ||
                       readme.find("`" + cited->str() + "`") != std::string::npos),
                      cited->str());
      if (file.path.find('/') == std::string::npos && file.path != "README.md")
        CHECK(readme.find("`" + file.path + "`") != std::string::npos);
    }
  }
}

TEST_CASE("constraints leave out the reset port alone, so that recovery is timed") {
  const std::string constraints = *text(generate(behind("hamming84")), "axelram.sdc");
  const std::string false_path = "set_false_path -from [get_ports rst_ni]\n";
  const std::size_t at = constraints.find("set_false_path");
  REQUIRE(at != std::string::npos);
  CHECK(constraints.substr(at, false_path.size()) == false_path);
  CHECK(constraints.find("set_false_path", at + 1) == std::string::npos);
  for (const char* exception :
       {"set_multicycle_path", "set_disable_timing", "set_max_delay", "set_clock_groups"})
    CHECK_AT(exception, constraints.find(exception) == std::string::npos);
}

TEST_CASE("the layout follows the code") {
  const Layout golay(files::parse_config(
      "microarchitecture: {read_lanes: 32}\necc: {code: golay24, stages: 3}\n", "t.yaml", "."));
  CHECK(golay.code_words == 34);
  CHECK(golay.stored_bits == 816);
  CHECK(golay.encode_cycles == 3);
  CHECK(golay.decode_cycles == 3 + 4 + 5);
  CHECK(golay.reset_cycles == 4096);
  const Layout hsiao(behind("hsiao_72_64"));
  CHECK(hsiao.code_words == 7);
  CHECK(hsiao.stored_bits == 504);
}

TEST_CASE("constants of the code are handed to C") {
  const std::string header = *text(generate(behind("hsiao_22_16")), "t_code.h");
  for (const char* part : {"hsiao_22_16", "22", "16"})
    CHECK_AT(part, header.find(part) != std::string::npos);
}

}  // namespace axelram::rtl
