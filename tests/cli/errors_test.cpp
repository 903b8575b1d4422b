#include <array>

#include "axelram/run/gaussian_trace.hpp"
#include "program.hpp"

namespace {

using namespace test;

TEST_CASE("bad usage: exit code 2, one line, nothing written") {
  const TempDir axelram;
  const std::string run = "run small.yaml trace.safetensors -o out ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "A subcommand is required; see 'axelram --help'"},
      {"simulate small.yaml", "'simulate' is not a command; see 'axelram --help'"},
      {"--nonsense", "see 'axelram --help'"},
      {"generate small.yaml", "generate: --output is required; see 'axelram generate --help'"},
      {"run", "run: CONFIG is required"},
      {"run small.yaml -o out", "run: TRACE is required"},
      {run + "third", "third"},
      {run + "--engine fpga", "--engine: 'fpga' is no engine; give golden, fast, rtl or cuda"},
      {run + "--engine reference",
       "--engine: there is no engine 'reference'; the scalar reference is golden"},
      {run + "--engine rtl --stalls 1", "--stalls: '1'; give a probability, 0 .. 0.9"},
      {run + "--engine rtl --stalls nan", "--stalls: 'nan'"},
      {run + "--engine rtl --seed 010", "--seed: '010'; give a whole number, 0 .. 18446744"},
      {run + "--engine rtl --seed 18446744073709551616", "--seed: '18446744073709551616'"},
      {run + "--seed 1 --seed 2", "--seed"},
      {run + "--stalls 0.1", "--stalls: requires --engine rtl"},
      {run + "--waves w.fst", "--waves: requires --engine rtl"},
      {run + "--json", "--json: 1 required FILE missing"},
      {run + "--json ''", "--json: empty; name a file"},
      {"report small.yaml --period 3", "report: --period requires --liberty or --shape"},
      {"report small.yaml --shape layers=3", "--shape: kv_heads is not given; give layers=N"},
      {"datasheet small.yaml --json d.json --shape layers=0", "--shape: layers is '0'"},
      {"verify small.yaml --vectors -1", "--vectors: '-1'; give a whole number"},
  };
  for (const auto& [arguments, part] : cases) {
    CASE(arguments);
    check_complaint(axelram(arguments), 2, part);
  }
  CHECK(axelram.entries() == 2);
}

TEST_CASE("bad input: exit code 2, one line that says where") {
  const TempDir axelram;
  axelram.put("bad.yaml", "macro:\n  head_dim: 100\n");
  axelram.put("ecc.yaml", "ecc: {code: golay25}\n");
  axelram.put("split.yaml",
              "quantizer: {scale: unbiased}\nsplit: {bits: [4, 2], channels: high}\n");
  axelram.put("prod.yaml", "quantizer: {scale: unbiased, kind: prod}\n");
  const std::string run = "run small.yaml ";
  for (const std::string command : {"generate", "verify"}) {
    CASE(command);
    check_complaint(axelram(command + " none.yaml -o out"), 2, "none.yaml: no such file");
    check_complaint(axelram(command + " bad.yaml -o out"), 2, "bad.yaml:2");
    check_complaint(axelram(command + " ecc.yaml -o out"), 2, "ecc.yaml:1: code is golay25");
  }
  check_complaint(axelram("report bad.yaml"), 2, "bad.yaml:2");
  check_complaint(axelram("report ecc.yaml"), 2, "ecc.yaml:1: code is golay25");
  check_complaint(axelram("run ecc.yaml trace.safetensors -o out"), 2,
                  "ecc.yaml:1: code is golay25");
  check_complaint(axelram("run split.yaml trace.safetensors -o out"), 2,
                  "split.yaml:2: channels: high: no such file");
  check_complaint(axelram("run prod.yaml trace.safetensors -o out"), 2,
                  "prod.yaml:1: scale is unbiased, but the kind is prod");
  check_complaint(axelram(run + "none -o out"), 2, "none: no such file");
  check_complaint(axelram(run + "small.yaml -o out"), 2, "small.yaml");
  CHECK(!axelram.has("out"));
}

TEST_CASE("a trace is checked whole before anything runs, on every engine") {
  const TempDir axelram;
  axelram::files::Trace nan = axelram.trace();
  nan.queries[3 * 32 + 17] = 0x7E00;
  axelram::files::write_trace(axelram.at("nan.safetensors"), nan, false);
  axelram::Parameters wide;
  axelram::files::write_trace(axelram.at("wide.safetensors"),
                              axelram::run::gaussian_trace(wide, 2, 2, 1), false);
  axelram::Parameters narrow{.head_dim = 32};
  axelram::files::write_trace(axelram.at("long.safetensors"),
                              axelram::run::gaussian_trace(narrow, 65, 1, 1), false);
  for (const std::string engine : {"golden", "fast", "rtl", "cuda"}) {
    CASE(engine);
    const auto run = [&](const std::string& trace) {
      return axelram("run small.yaml " + trace + " -o out --engine " + engine);
    };
    check_complaint(run("nan.safetensors"), 2, "tensor queries, row 3, column 17: NaN");
    check_complaint(run("wide.safetensors"), 2, "tensor keys: shape is [2, 128]");
    check_complaint(run("long.safetensors"), 2, "65 keys; max_keys");
  }
  for (const std::string command : {"report", "verify"}) {
    CASE(command);
    check_complaint(axelram(command + " small.yaml nan.safetensors"), 2, "row 3, column 17");
  }
  CHECK(!axelram.has("out"));
}

TEST_CASE("what is lacking: exit code 3, one line that says how to get it") {
  const TempDir axelram;
  const std::string run = "run small.yaml trace.safetensors -o out --engine ";
  check_complaint(axelram(run + "rtl", "PATH=/nowhere AXELRAM_CACHE=$PWD/cache"), 3,
                  "verilator is not installed");
  check_complaint(axelram(run + "rtl", "AXELRAM_CACHE=$PWD/small.yaml/cache"), 3,
                  "set AXELRAM_CACHE");
  CHECK(!axelram.has("out"));

  const std::string report =
      "cd " + quoted(axelram.path()) + " && " + quoted(AXELRAM_PROGRAM) + " report small.yaml";
  CHECK(WEXITSTATUS(std::system((report + " >/dev/full 2>/dev/null").c_str())) == 3);
  const std::string help = quoted(AXELRAM_PROGRAM) + " --help >/dev/full 2>/dev/null";
  CHECK(WEXITSTATUS(std::system(help.c_str())) == 3);
}

TEST_CASE("a tool that fails is quoted in one line") {
  const TempDir axelram;
  axelram.put_tool("verilator",
                   "#!/bin/sh\n[ \"$1\" = --version ] && { echo Verilator 5.006; exit; }\n"
                   "echo 'something first'; echo '%Error: broken.sv:3: bad'; exit 1\n");
  const ProcessResult finished = axelram("run small.yaml trace.safetensors -o out --engine rtl",
                                         "AXELRAM_CACHE=$PWD/cache " + kOwnTools);
  CHECK(finished.code == 3);
  // Progress first, a line each where there is no terminal.
  CHECK(finished.err ==
        "verilating\naxelram: verilator failed with status 1: %Error: broken.sv:3: bad\n");
  CHECK(!axelram.has("out"));
}

TEST_CASE("a tool that is too old, or silent, is named") {
  const TempDir axelram;
  const auto with = [&](const char* tool, const std::string& script, const std::string& command) {
    axelram.put_tool(tool, "#!/bin/sh\n" + script);
    const ProcessResult finished = axelram(command, "AXELRAM_CACHE=$PWD/cache " + kOwnTools);
    CHECK(finished.code == 3);
    CHECK_FALSE(axelram.has("out"));
    return finished.err;
  };
  const std::string run = "run small.yaml trace.safetensors -o out --engine rtl";
  CHECK(contains(
      with("verilator", "echo Verilator 4.038 2020-07-11 rev v4.036\n", run),
      "axelram: Verilator 4.038; 5.006 or later is needed, such as that of Debian 12 or "));
  CHECK(contains(with("verilator", "exit 0\n", run),
                 "axelram: verilator --version printed nothing; "));
  const std::string version = "[ \"$1\" = --version ] && echo Verilator 5.006\n";
  CHECK(contains(with("verilator", version + "exit 0\n", run),
                 "axelram: Verilator wrote no C++, and reported no error"));

  const std::string report = "report small.yaml --synthesize";
  const std::string yosys = "[ \"$1\" = -V ] && { echo 'Yosys 0.23 (git)'; exit; }\n";
  CHECK(contains(with("yosys", "echo 'Yosys 0.9 (git sha1 1979e0b)'\n", report),
                 "axelram: Yosys 0.9; 0.23 or later is needed, "));
  CHECK(contains(with("yosys", yosys + "echo 'no display' >&2\n", report),
                 "axelram: Yosys printed nothing on "));
  CHECK(contains(with("yosys", yosys + "echo done\n", report),
                 "axelram: Yosys wrote no elaborated.il on "));
  CHECK(contains(with("python3", "echo Python 2.7.18\n", "datasheet small.yaml -o out"),
                 "axelram: Python 2.7.18; 3.9 or later is needed, "));
}

/// A library with the cells without which scripts/cells does not run.
constexpr const char* kLibrary = R"LIBERTY(library(small) {
  nom_voltage : 1.8;
  cell(INV) { area : 1; pin(A) { direction : input; }
    pin(Y) { direction : output; function : "!A"; } }
  cell(BUF) { area : 2; pin(A) { direction : input; }
    pin(Y) { direction : output; function : "A"; } }
  cell(NAND) { area : 2; pin(A) { direction : input; } pin(B) { direction : input; }
    pin(Y) { direction : output; function : "!(A B)"; } }
  cell(FF) { area : 8; ff(IQ, IQN) { clocked_on : "CK"; next_state : "D"; }
    pin(D) { direction : input; } pin(CK) { direction : input; }
    pin(Q) { direction : output; function : "IQ"; } }
})LIBERTY";

TEST_CASE("a helper in Python that writes nothing, or is ended by a signal, is named") {
  const TempDir axelram;
  axelram.put("small.lib", kLibrary);
  const std::string answers =
      "#!/bin/sh\n[ \"$1\" = --version ] && { echo Python 3.11.2; exit; }\n"
      "[ \"$3\" = --check ] && exit\n";
  const auto fails = [&](const std::string& command, const std::string& script,
                         const std::string& message) {
    axelram.put_tool("python3", answers + script);
    const ProcessResult finished = axelram(command, kOwnTools);
    CASE(finished);
    CHECK(finished.code == 3);
    CHECK(contains(finished.err, "axelram: " + message));
    CHECK_FALSE(axelram.has("out.svg"));
  };
  const std::string cells = "report small.yaml --liberty small.lib";
  const std::array<std::array<std::string, 4>, 3> helpers = {
      {{cells, "cells", "cells.json", "leave --liberty out\n"},
       {"datasheet small.yaml -o out.svg", "datasheet", "datasheet.html",
        "write --json or --markdown without -o\n"},
       {"faults small.yaml trace.safetensors --ber 0 --trials 1 --plot out.svg", "plot", "plot.svg",
        "give a file that ends in .json\n"}}};
  for (const auto& [command, name, file, otherwise] : helpers) {
    CASE(command);
    const std::string script = "scripts/" + name;
    for (const char* writes : {"exit 0\n", ": >\"$4\"\n", "echo done\n"}) {
      CASE(writes);
      fails(command, writes,
            script + " wrote no " + file + ", and reported no error; see that " +
                axelram.at("bin/python3") + " is Python and that space is left, or " + otherwise);
    }
    fails(command, "echo 3 of 12; kill -9 $$\n",
          script + " was ended by signal 9 (Killed), or " + otherwise);
    fails(command, "echo 3 of 12; echo 'no memory' >&2; kill -6 $$\n",
          script + " was ended by signal 6 (Aborted): no memory, or " + otherwise);
    fails(command, "echo 'KeyError: x' >&2; exit 1\n",
          script + " failed with status 1: KeyError: x, or " + otherwise);
    fails(command, "exit 3\n", script + " failed with status 3: it printed nothing, or ");
    fails(command, "echo 'nothing works; run x' >&2; exit 3\n", "nothing works; run x, or ");
  }
  for (const char* json : {"", "{}", "[]", "{\\\"tools\\\": 1}"}) {
    CASE(json);
    fails(cells, "echo \" " + std::string(json) + "\" >\"$4\"\n",
          "scripts/cells wrote a cells.json that cannot be read (");
  }
}

TEST_CASE("a file that grows too large leaves nothing behind") {
  const TempDir axelram;
  // One block is less than the result; the signal is ignored, so that write(2) fails instead.
  const ProcessResult finished =
      axelram("run small.yaml trace.safetensors -o out", "trap '' XFSZ; ulimit -f 1;");
  CHECK(finished.code == 3);
  CHECK(finished.err.rfind("axelram: out: ", 0) == 0);
  CHECK(finished.err.find('\n') == finished.err.size() - 1);
  CHECK_FALSE(contains(finished.out, "result  "));  // the line that names the file
  CHECK(axelram.entries() == 2);
}

}  // namespace
