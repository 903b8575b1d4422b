#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "axelram/sim/build.hpp"
#include "cli/program.hpp"

// Limits, signals, full disks and other users of the machine.

namespace {

namespace fs = std::filesystem;
using test::contains;
using test::content;
using test::kByteLlama;
using test::kSource;
using test::ProcessResult;

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;  // it reserves terabytes: no limit of memory can be set
#else
constexpr bool kSanitized = false;
#endif

const std::string kRtlRun = "run small.yaml trace.safetensors -o out --engine rtl ";

/// Names in a folder that the program creates for the time of a run.
std::vector<std::string> leftovers(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (contains(name, ".part") || contains(name, ".tmp") || contains(name, ".hier"))
      names.push_back(name);
  }
  return names;
}

/// A small macro whose model is in the cache of the tests.
void build_model(const test::TempDir& axelram) { REQUIRE(axelram(kRtlRun + "--force").code == 0); }

TEST_CASE("a waveform that the disk cuts off is not kept") {
  const test::TempDir axelram;
  build_model(axelram);
  REQUIRE(axelram(kRtlRun + "--force --waves whole.fst").code == 0);
  const auto size = fs::file_size(axelram.at("whole.fst"));
  REQUIRE(size > 8192);
  for (const char* limit : {"trap '' XFSZ; ulimit -f 4;", "ulimit -f 4;", "ulimit -f 1;"}) {
    CAPTURE(limit);
    const ProcessResult cut = axelram(kRtlRun + "--force --waves cut.fst", limit);
    CHECK(cut.code == 3);
    CHECK(contains(cut.err, "axelram: "));
    CHECK_FALSE(axelram.has("cut.fst"));
    CHECK(leftovers(axelram.path()).empty());
  }
}

TEST_CASE("a waveform is written through a symbolic link") {
  const test::TempDir axelram;
  test::put(axelram.at("target"), "old");
  fs::create_symlink("target", axelram.at("link.fst"));
  REQUIRE(axelram(kRtlRun + "--force --waves link.fst").code == 0);
  CHECK(fs::is_symlink(axelram.at("link.fst")));
  CHECK(fs::file_size(axelram.at("target")) > 1000);
}

TEST_CASE("perplexity overwrites nothing that its caches read") {
  const test::TempDir axelram;
  axelram.put_text();
  const std::string run = "perplexity " + kByteLlama + " text.txt --tokens 20 --force --cache ";
  fs::copy_file(kSource + "/configs/paper-d128-b3.yaml", axelram.at("c.yaml"));
  REQUIRE(axelram("calibrate " + kByteLlama + " text.txt -o signs --samples 2 --window 24").code ==
          0);
  test::put(axelram.at("s.yaml"), "macro: {max_keys: 64}\nrotation: {signs: signs}\n");
  for (const std::string& arguments :
       {run + "axelram:config=c.yaml --json c.yaml",
        run + "'keys=fp16;values=axelram:config=c.yaml' --plot c.yaml",
        run + "axelram:config=s.yaml --json signs"}) {
    CAPTURE(arguments);
    const std::string before = content(axelram.at("c.yaml")) + content(axelram.at("signs"));
    const ProcessResult done = axelram(arguments);
    CHECK(done.code == 2);
    CHECK(contains(done.err, "is also an input"));
    CHECK(content(axelram.at("c.yaml")) + content(axelram.at("signs")) == before);
  }
}

TEST_CASE("compiled models come from a directory of the user alone") {
  const test::TempDir axelram;
  build_model(axelram);
  const fs::path cache = axelram.at("cache");
  fs::copy(axelram::sim::cache_directory(), cache,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const std::string use = "AXELRAM_CACHE=$PWD/cache PATH=/nowhere";
  fs::permissions(cache, fs::perms::all);
  CHECK(axelram(kRtlRun + "--force", use).code == 0);
  CHECK((fs::status(cache).permissions() & fs::perms::others_write) == fs::perms::none);

  // Without any of the variables no shared directory is used.
  const ProcessResult bare =
      axelram(kRtlRun + "--force", "env -u HOME -u XDG_CACHE_HOME -u AXELRAM_CACHE PATH=/nowhere");
  CHECK_FALSE(contains(bare.err, "/tmp"));

  if (::geteuid() != 0) return;  // only root can give files away
  REQUIRE(::chown(cache.c_str(), 65534, 65534) == 0);
  const ProcessResult foreign = axelram(kRtlRun + "--force", use);
  CHECK(foreign.code == 3);
  CHECK(contains(foreign.err, "belongs to another user"));
  REQUIRE(::chown(cache.c_str(), 0, 0) == 0);
  for (const auto& entry : fs::recursive_directory_iterator(cache))
    if (entry.path().filename() == "model.so")
      REQUIRE(::chown(entry.path().c_str(), 65534, 65534) == 0);
  CHECK(axelram(kRtlRun + "--force", use).code == 3);
}

TEST_CASE("a compiled model that was cut off is compiled again") {
  const test::TempDir axelram;
  const std::string use = "AXELRAM_CACHE=$PWD/cache";
  REQUIRE(axelram(kRtlRun, use).code == 0);
  for (const auto& entry : fs::recursive_directory_iterator(axelram.at("cache")))
    if (entry.path().filename() == "model.so")
      fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  const ProcessResult again = axelram(kRtlRun + "--force", use);
  CAPTURE(again.err);
  CHECK(again.code == 0);
}

TEST_CASE("too little memory for threads ends no language model with an abort" *
          doctest::skip(kSanitized)) {
  const test::TempDir axelram;
  axelram.put_text();
  const std::string run = "perplexity " + kByteLlama + " text.txt --tokens 40 --cache fp16 ";
  const ProcessResult done = axelram(run + "--threads 1024", "ulimit -v 2500000;");
  CAPTURE(done.err);
  CHECK((done.code == 0 || done.code == 3));
}

TEST_CASE("outputs are checked for permission before the work") {
  const test::TempDir axelram;
  axelram.put_text();
  const std::string run =
      "perplexity " + kByteLlama + " text.txt --cache int4:ber=0.001 --seeds 1-900 ";
  const ProcessResult done = axelram(run + "--json /proc/out", "timeout 20");
  CHECK((done.code == 2 || done.code == 3));
  CHECK(contains(done.err, "/proc/out"));
}

TEST_CASE("a signal leaves neither temporary files nor compilers behind") {
  const test::TempDir axelram;
  // timeout(1) sends TERM while Verilator or the compiler runs.
  const ProcessResult ended =
      axelram(kRtlRun, "CCACHE_DISABLE=1 AXELRAM_CACHE=$PWD/fresh timeout --preserve-status 1");
  CHECK(ended.code == 143);
  CHECK_FALSE(axelram.has("out"));
  CHECK(leftovers(axelram.at("fresh")).empty());
  CHECK(std::system(("sleep 0.5; pgrep -f " + test::quoted(axelram.path()) + "/fresh >/dev/null")
                        .c_str()) != 0);

  const std::string stress = "stress " + kByteLlama + " -o model --layers all --bias 10";
  for (const char* seconds : {"0.02", "0.05", "0.1", "0.2"}) {
    axelram(stress + " --force", std::string("timeout --preserve-status ") + seconds);
    CHECK(leftovers(axelram.path()).empty());
  }
}

TEST_CASE("figures are printed although their file cannot be written") {
  const test::TempDir axelram;
  axelram.put_text();
  // A limit that the file exceeds, but no check before the work.
  const std::string run = "perplexity " + kByteLlama + " text.txt --cache int4 --tokens 600 ";
  const ProcessResult full = axelram(run + "--nll out.safetensors", "ulimit -f 1;");
  CHECK(full.code == 3);
  CHECK(contains(full.out, "perplexity"));
  CHECK_FALSE(axelram.has("out.safetensors"));

  const ProcessResult campaign = axelram(
      "faults small.yaml trace.safetensors --ber 1e-2 --trials 2 --json out.json", "ulimit -f 1;");
  CHECK(campaign.code == 3);
  CHECK(contains(campaign.out, "configuration small"));
}

TEST_CASE("generate overwrites none of its inputs") {
  const test::TempDir axelram;
  fs::create_directory(axelram.at("d"));
  test::put(axelram.at("d/config.yaml"), "# mine\nmacro: {head_dim: 32, max_keys: 64}\n");
  const ProcessResult done = axelram("generate d/config.yaml -o d --force");
  CHECK(done.code == 2);
  CHECK(contains(done.err, "is also an input"));
  CHECK(contains(content(axelram.at("d/config.yaml")), "# mine"));
  CHECK(fs::directory_iterator(axelram.at("d")) != fs::directory_iterator());
}

TEST_CASE("stress deletes no folder that it did not write") {
  const test::TempDir axelram;
  REQUIRE(axelram("stress " + kByteLlama + " -o model --layers all --bias 10").code == 0);
  fs::remove(axelram.at("model/config.json"));
  fs::create_directory(axelram.at("model/config.json"));
  test::put(axelram.at("model/config.json/mine"), "text");
  CHECK(axelram("stress " + kByteLlama + " -o model --layers all --bias 10 --force").code == 2);
  CHECK(content(axelram.at("model/config.json/mine")) == "text");
}

TEST_CASE("memory grows with what is asked for, not with the file" * doctest::skip(kSanitized)) {
  const test::TempDir axelram;
  REQUIRE(std::system(("truncate -s 4G " + test::quoted(axelram.at("large"))).c_str()) == 0);
  // Mapped files count as address space: the limit leaves room for one of them.
  const std::string limit = "ulimit -v 5600000;";
  const ProcessResult text =
      axelram("perplexity " + kByteLlama + " large --cache fp16 --tokens 40 --threads 1", limit);
  CAPTURE(text.err);
  CHECK(text.code == 0);
  const ProcessResult captured =
      axelram("capture " + kByteLlama + " large --layer 0 --head 0 -o t --threads 1", limit);
  CAPTURE(captured.err);
  CHECK(captured.code == 0);
  const ProcessResult ratio =
      axelram("stress " + kByteLlama + " --norm-ratio 4 --text large -o model --threads 1", limit);
  CAPTURE(ratio.err);
  CHECK(ratio.code == 0);
  const ProcessResult trace = axelram("run small.yaml large -o out", limit);
  CHECK(trace.code == 2);
  CHECK(contains(trace.err, "large: "));
}

TEST_CASE("a checkpoint that is cut while it is read ends the run with a line" *
          doctest::skip(kSanitized)) {
  const test::TempDir axelram;
  axelram.put_text();
  fs::copy(kByteLlama, axelram.at("model"));
  const ProcessResult cut =
      axelram("perplexity model text.txt --cache int4:ber=1e-3 --seeds 1-900 --json out",
              "{ (sleep 0.7; truncate -s 8192 model/model.safetensors) & }; timeout 60");
  CHECK(cut.code == 3);
  CHECK(contains(cut.err, "axelram: a file was cut while it was read"));
  CHECK_FALSE(axelram.has("out"));
  CHECK(leftovers(axelram.path()).empty());
}

TEST_CASE("campaigns reject one path for two outputs before the work") {
  const test::TempDir axelram;
  const ProcessResult done =
      axelram("faults small.yaml trace.safetensors --ber 1e-2 --trials 100000000 --json x --dump x",
              "timeout 20");
  CHECK(done.code == 2);
  const ProcessResult closed = axelram(
      "faults small.yaml trace.safetensors --ber 3e-2 --code hamming84 --trials 3 --dump cases "
      "| true");
  CHECK(axelram.has("cases"));
  CHECK_FALSE(fs::is_empty(axelram.at("cases")));
}

TEST_CASE("a folder and a file of one name are rejected before anything is written") {
  const test::TempDir axelram;
  for (const std::string& arguments :
       {std::string("faults small.yaml trace.safetensors --ber 1e-2 --trials 2 --dump x --json x"),
        std::string(
            "faults small.yaml trace.safetensors --ber 1e-2 --trials 2 --dump x/y --plot z"),
        "stress " + kByteLlama + " -o x --bias 10 --json x"}) {
    CAPTURE(arguments);
    CHECK(axelram(arguments).code == 2);
    CHECK_FALSE(axelram.has("x"));
  }
  // The folder is created first: it may hold the other outputs.
  const std::string campaign = "faults small.yaml trace.safetensors --ber 1e-2 --trials 2 ";
  CHECK(axelram(campaign + "--dump new/cases --json new/cases/x.json").code == 0);
  CHECK(axelram.has("new/cases/x.json"));
  fs::create_directory_symlink("nowhere", axelram.at("link"));
  CHECK(axelram(campaign + "--dump link").code == 2);
}

TEST_CASE("weights that are no numbers are reported with their model") {
  const test::TempDir axelram;
  axelram.put_text();
  fs::copy(kByteLlama, axelram.at("model"));
  std::string bytes = content(axelram.at("model/model.safetensors"));
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 4096; ++i) bytes[i] = '\xff';
  test::put(axelram.at("model/model.safetensors"), bytes);
  for (const char* arguments : {"perplexity model text.txt --cache fp16 --tokens 20",
                                "perplexity model text.txt --cache f32 --baseline f32 --tokens 20",
                                "calibrate model text.txt -o signs --window 24 --samples 2",
                                "capture model text.txt --layer 3 --head 0 -o trace"}) {
    CAPTURE(arguments);
    const ProcessResult done = axelram(arguments);
    CHECK(done.code == 2);
    CHECK(contains(done.err, "axelram: model: "));
    CHECK(contains(done.err, "nan"));
  }
}

TEST_CASE("messages are one line of text, whatever a path holds") {
  const test::TempDir axelram;
  const ProcessResult feed = axelram("run 'a\nb\x01\xff' trace.safetensors -o out");
  CHECK(feed.code == 2);
  CHECK(contains(feed.err, "a\\x0ab\\x01\\xff"));
  CHECK(std::count(feed.err.begin(), feed.err.end(), '\n') == 1);
  const ProcessResult many = axelram("run " + std::string(100000, 'a') + " t -o out");
  CHECK(many.code == 2);
  CHECK(many.err.size() < 3000);
}

TEST_CASE("messages use the program's words, and come before the work") {
  const test::TempDir axelram;
  axelram.put_text();
  const ProcessResult longest =
      axelram("generate small.yaml -o " + std::string(300, 'a') + "/" + std::string(300, 'b'));
  CHECK(longest.code == 2);
  CHECK_FALSE(contains(longest.err, "filesystem error"));

  const ProcessResult folder =
      axelram("stress " + kByteLlama + " --bias 10 -o " + std::string(300, 'a'));
  CHECK(folder.code == 2);
  CHECK(contains(folder.err, "choose another name"));

  fs::copy(test::kTinyLlama, axelram.at("model"));
  std::string json = content(axelram.at("model/config.json"));
  const std::string number_text = "\"rms_norm_eps\": 0.01";
  REQUIRE(contains(json, number_text));
  json.replace(json.find(number_text), number_text.size(), "\"rms_norm_eps\": 1e9999");
  test::put(axelram.at("model/config.json"), json);
  const ProcessResult number =
      axelram("perplexity model " + test::kTinyLlama + "/expected.safetensors");
  CHECK(number.code == 2);
  CHECK_FALSE(contains(number.err, "json.exception"));

  const std::string run = "perplexity " + kByteLlama + " text.txt --tokens 200 ";
  test::put(axelram.at("few.yaml"), "macro: {max_keys: 16}\n");
  for (const char* engine : {"golden", "fast", "rtl"}) {
    const ProcessResult few =
        axelram(run + "--cache axelram:config=few.yaml --engine " + engine, "timeout 20");
    CHECK(few.code == 2);
    CHECK(contains(few.err, "macro.max_keys is 16"));
  }

  fs::create_directory_symlink(kByteLlama, axelram.at("\xff"));
  const ProcessResult name =
      axelram("perplexity \xff text.txt --cache int4:ber=1e-3 --tokens 600 --nll n.safetensors",
              "timeout 20");
  CHECK(name.code == 2);
  CHECK(contains(name.err, "no UTF-8"));
}

TEST_CASE("generate --force leaves no sources of another configuration") {
  const test::TempDir axelram;
  test::put(axelram.at("coded.yaml"), "macro: {head_dim: 32}\necc: {code: golay24}\n");
  REQUIRE(axelram("generate coded.yaml -o rtl").code == 0);
  REQUIRE(axelram.has("rtl/rtl/coded_top.sv"));
  test::put(axelram.at("rtl/rtl/mine.sv"), "// a file of the user");
  REQUIRE(axelram("generate small.yaml -o rtl --force").code == 0);
  REQUIRE(axelram("generate small.yaml -o clean").code == 0);
  CHECK_FALSE(axelram.has("rtl/rtl/coded_top.sv"));
  CHECK(axelram.has("rtl/rtl/mine.sv"));
  for (const auto& entry : fs::recursive_directory_iterator(axelram.at("rtl")))
    if (entry.is_regular_file() && entry.path().filename() != "mine.sv")
      CHECK(fs::exists(axelram.at("clean") / fs::relative(entry.path(), axelram.at("rtl"))));
}

}  // namespace
