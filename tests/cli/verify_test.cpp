#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/other_hardware.hpp"

namespace {

namespace fs = std::filesystem;
using namespace test;

TEST_CASE("verify holds, and says what it compared and what it met") {
  const TempDir axelram;
  const std::string printed = axelram.output(
      "verify small.yaml trace.safetensors --vectors 200 -o dump --json verify.json");
  CHECK(contains(printed, "trace, no stalls"));
  CHECK(contains(printed, "RTL equals golden: holds\n"));
  CHECK(!contains(printed, "DOES NOT HOLD"));
  CHECK(contains(printed, "corners met"));
  CHECK(!fs::exists(axelram.at("dump/mismatch.txt")));

  const Json json = axelram.json("verify.json");
  CHECK(json["holds"] == true);
  CHECK(json["mismatch"].is_null());
  CHECK(json["vectors"] == 200);
  CHECK(json["dumped"].empty());
  std::size_t compared = 0, with_records = 0;
  for (const Json& phase : json["phases"]) {
    CASE(phase);
    CHECK(phase["holds"] == true);
    compared += phase["compared"].get<std::size_t>();
    const std::string name = phase["name"];
    if (name.starts_with("records")) with_records += phase["records"] > 0;
    if (name.starts_with("trace") || name.starts_with("cycles")) CHECK(phase["records"] == 0);
    if (!phase["predicted"].is_null()) CHECK(phase["predicted"] == phase["cycles"]);
  }
  CHECK(compared > 10000);
  CHECK(with_records == 2);
  for (const Json& bin : json["coverage"]) {
    CASE(bin);
    CHECK(bin["met"] == (bin["hits"] > 0));
    if (bin["met"] == false) CHECK(contains(printed, bin["name"].get<std::string>()));
  }
}

TEST_CASE("corners that were not met are named") {
  const TempDir axelram;
  // With one key at a time nothing stands between a query's first score and its last.
  axelram.put("one.yaml", "macro: {head_dim: 32, index_bits: 3, max_keys: 1}\n");
  const std::string printed = axelram.output("verify one.yaml --vectors 10 --json verify.json");
  const Json json = axelram.json("verify.json");
  std::size_t missed = 0;
  for (const Json& bin : json["coverage"]) {
    CASE(bin);
    if (bin["met"] == true) continue;
    CHECK(contains(printed, "\n  " + bin["name"].get<std::string>()));
    if (bin["reachable"] == true) ++missed;
  }
  CHECK(contains(printed, missed == 0 ? std::string("not met: none\n")
                                      : "NOT MET: " + std::to_string(missed) + "\n"));
}

/// What the program shows on a terminal.
std::string on_terminal(const TempDir& axelram, const std::string& arguments) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string command =
        "cd " + quoted(axelram.path()) + " && exec " + quoted(AXELRAM_PROGRAM) + " " + arguments;
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string shown;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(terminal, buffer, sizeof buffer)) > 0;)
    shown.append(buffer, static_cast<std::size_t>(got));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 0);
  return shown;
}

TEST_CASE("on a terminal progress is one line that changes and goes") {
  const TempDir axelram;
  REQUIRE(axelram("verify small.yaml --vectors 0"));
  const std::string shown = on_terminal(axelram, "verify small.yaml --vectors 0");
  CHECK(contains(shown, "\r\033[Kverifying: "));
  CHECK(!contains(shown.substr(0, shown.find("configuration")), "\n"));
  CHECK(contains(shown, "\r\033[Kconfiguration small"));
}

TEST_CASE("hardware with other signs does not hold: exit code 1") {
  const TempDir axelram;
  const std::string cache = put_other_hardware(axelram);
  const ProcessResult finished = axelram("verify other.yaml -o dump --json verify.json", cache);
  CHECK(finished.code == 1);
  CHECK(contains(finished.out, "first mismatch: phase "));
  CHECK(contains(finished.out, "RTL equals golden: DOES NOT HOLD\n"));
  const Json json = axelram.json("verify.json");
  CHECK(json["holds"] == false);
  CHECK(!json["mismatch"]["text"].get<std::string>().empty());
  for (const char* name : {"txt", "safetensors", "fst", "gtkw"}) {
    CASE(name);
    const std::string file = std::string("dump/mismatch.") + name;
    CHECK(fs::file_size(axelram.at(file)) > 0);
    CHECK(contains(finished.out, "dumped: " + file + "\n"));
  }
  CHECK(json["dumped"].size() == 4);

  // `run` shows what the hardware computed, not what it should have.
  REQUIRE(axelram("run other.yaml trace.safetensors -o rtl --engine rtl", cache));
  REQUIRE(axelram("run other.yaml trace.safetensors -o golden"));
  CHECK(axelram.content("rtl") != axelram.content("golden"));
}

}  // namespace
