// A default that the help states is the value that an option has if it is left out.
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "program.hpp"

using namespace test;

namespace {

struct Default {
  std::string option, value;
};

/// Entries of the options in a help text, one line each.
std::vector<std::string> entries_of(const std::string& help) {
  std::vector<std::string> entries;
  std::istringstream lines(help);
  bool open = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t text = line.find_first_not_of(' ');
    if (text == 2 && line[2] == '-') {
      entries.push_back(line.substr(2));
      open = true;
    } else if (open && text != std::string::npos && text > 2) {
      entries.back() += " " + line.substr(text);
    } else {
      open = false;
    }
  }
  return entries;
}

/// "2, 3 (default) or 4" of the choices {2,3,4}, or "".
std::string marked_choice(const std::string& entry) {
  const std::size_t open = entry.find('{'), close = entry.find('}'),
                    mark = entry.find(" (default)");
  if (open == std::string::npos || close == std::string::npos || mark == std::string::npos)
    return "";
  std::string choice;
  const std::string before = entry.substr(close + 1, mark - close - 1);
  const std::regex word("[a-z0-9]+");
  const std::string choices = "," + entry.substr(open + 1, close - open - 1) + ",";
  for (std::sregex_iterator at(before.begin(), before.end(), word), end; at != end; ++at)
    if (contains(choices, "," + at->str() + ",")) choice = at->str();
  return choice;
}

/// Defaults that are written out: "(default 8)", "3 (default)", "; default fast".
std::vector<Default> defaults_of(const std::string& help) {
  const std::regex stated("\\(default ([a-z0-9.,-]*[a-z0-9])[),;]");
  const std::regex behind("; default ([a-z0-9]+)$");
  const std::regex option("(--[a-z-]+)");
  std::vector<Default> found;
  for (const std::string& entry : entries_of(help)) {
    std::smatch name, value;
    if (!std::regex_search(entry, name, option)) continue;
    if (const std::string choice = marked_choice(entry); !choice.empty())
      found.push_back({name[1], choice});
    for (const std::regex& form : {stated, behind})
      if (std::regex_search(entry, value, form) && value[1] != "all") {
        found.push_back({name[1], value[1]});
        break;
      }
  }
  return found;
}

/// Without times, which differ from run to run.
Json without_times(Json json) {
  if (json.is_object())
    for (const char* name : {"seconds", "tokens_per_second", "gib_per_second"}) json.erase(name);
  for (Json& part : json)
    if (part.is_structured()) part = without_times(part);
  return json;
}

std::string written(const TempDir& axelram, const std::vector<std::string>& files) {
  std::string all;
  for (const std::string& file : files) {
    REQUIRE_MESSAGE(axelram.has(file), file);
    const std::string bytes = axelram.content(file);
    all += file + ": " + (file == "j" ? without_times(Json::parse(bytes)).dump() : bytes) + "\n";
  }
  return all;
}

/// A command, the files that it writes, and options whose defaults it does not reach.
struct Row {
  std::string line;
  std::vector<std::string> files;
  std::set<std::string> beside = {};
};

}  // namespace

TEST_CASE("defaults of the help: an option that is left out has the value that is stated") {
  const TempDir axelram;
  axelram.put_text();
  axelram.put("long.txt", content(kSource + "/LICENSE"));
  const std::string calibrate = "calibrate " + kTinyInputs + "--samples 2 --window 24 --json j ";
  const std::string memory = "--cache memory:window=24,exact=16,summary=8,sinks=4 ";
  const std::string bytes = kByteLlama + " text.txt ";
  REQUIRE(axelram("prefill " + bytes + "-o from --tokens 40 " + memory));
  std::size_t tried = 0;
  for (const Row& row :
       {Row{"run small.yaml trace.safetensors -o o --json j", {"o", "j"}, {"--stalls", "--seed"}},
        Row{"report small.yaml --shape layers=2,kv_heads=1,query_heads=1,context=64 --json j",
            {"j"}},
        Row{"datasheet small.yaml --shape layers=2,kv_heads=1,query_heads=1,context=64 --json j",
            {"j"}},
        Row{"faults small.yaml trace.safetensors --ber 1e-2 --json j", {"j"}},
        Row{"capture " + bytes + "--layer 1 --head 0 -o o", {"o"}},
        Row{calibrate + "-o o", {"o", "j"}},
        Row{calibrate + "-o o --candidates 2 --centers c", {"c"}},
        Row{calibrate + "-o o --candidates 2 --feedback f", {"f"}},
        Row{calibrate + "-o o --candidates 2 --channels c", {"c", "j"}},
        // The model's heads have fewer channels than 64.
        Row{calibrate + "--tiers t", {"t", "j"}, {"--squat-channels"}},
        Row{"perplexity " + bytes + "--cache int4 --tokens 300 --json j --nll n", {"j", "n"}},
        Row{"needle " + kByteLlama + " long.txt --cache int4 --lengths 128 --trials 1 --json j",
            {"j"}},
        Row{"prefill " + bytes + memory + "-o o", {"o"}},
        Row{"complete " + kByteLlama + " --from from --tokens 4 --json j " + memory, {"j"}},
        Row{"stress " + kByteLlama + " -o m --bias 10",
            {"m/stress.json", "m/model.safetensors"}}}) {
    CASE(row.line);
    const std::string command = row.line.substr(0, row.line.find(' '));
    REQUIRE(axelram(row.line + " --force"));
    const std::string expected = written(axelram, row.files);
    for (const Default& one : defaults_of(axelram.output(command + " --help"))) {
      CASE(one.option, one.value);
      if (row.beside.count(one.option) != 0 || contains(row.line + " ", one.option + " ")) continue;
      const ProcessResult done =
          axelram(row.line + " " + one.option + " " + one.value + " --force");
      // Some options need others, which another row has.
      if (done.code == 2 && contains(done.err, "requires")) continue;
      if (done.code == 2 && contains(done.err, "excludes")) continue;
      CHECK(done);
      CHECK_SAME(written(axelram, row.files), expected);
      ++tried;
    }
  }
  CHECK(tried >= 40);
}
