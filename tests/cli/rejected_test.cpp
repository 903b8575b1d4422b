#include <algorithm>
#include <filesystem>

#include "cli/program.hpp"

// Inputs and outputs that are rejected, before the work and in one line.

namespace {

namespace fs = std::filesystem;
using namespace test;

TEST_CASE("perplexity overwrites nothing that its caches read") {
  const TempDir axelram;
  axelram.put_text();
  const std::string run = "perplexity " + kByteLlama + " text.txt --tokens 20 --force --cache ";
  fs::copy_file(kSource + "/configs/paper-d128-b3.yaml", axelram.at("c.yaml"));
  REQUIRE(axelram("calibrate " + kByteLlama + " text.txt -o signs --samples 2 --window 24"));
  axelram.put("s.yaml", "macro: {max_keys: 64}\nrotation: {signs: signs}\n");
  for (const std::string& arguments :
       {run + "axelram:config=c.yaml --json c.yaml",
        run + "'keys=fp16;values=axelram:config=c.yaml' --plot c.yaml",
        run + "axelram:config=s.yaml --json signs"}) {
    CASE(arguments);
    const std::string before = axelram.content("c.yaml") + axelram.content("signs");
    failed(axelram(arguments), 2, "is also an input");
    CHECK_SAME(axelram.content("c.yaml") + axelram.content("signs"), before);
  }
}

TEST_CASE("outputs overwrite no file of a model") {
  const TempDir axelram;
  axelram.put_text();
  fs::copy(kByteLlama, axelram.at("model"));
  for (const std::string& arguments :
       {std::string("perplexity model text.txt --cache fp16 --tokens 20 --json "),
        std::string("calibrate model text.txt -o signs --samples 2 --window 24 --center "),
        std::string("capture model text.txt --layer 0 --head 0 -o "),
        std::string("stress model --bias 10 -o new --json ")})
    for (const std::string file : {"model/model.safetensors", "model/config.json"}) {
      CASE(file, arguments);
      const std::string before = axelram.content(file);
      failed(axelram(arguments + file + " --force"), 2, file + ": is also an input");
      CHECK_SAME(axelram.content(file), before);
    }
}

TEST_CASE("generate overwrites no signs and no center in its own folder") {
  const TempDir axelram;
  axelram.put_text();
  fs::create_directory(axelram.at("d"));
  REQUIRE(axelram("calibrate " + kByteLlama +
                  " text.txt -o signs --center center --samples 2 --window 24"));
  for (const std::string role : {"signs", "center"}) {
    CASE(role);
    fs::copy_file(axelram.at(role), axelram.at("d/axelram.json"));
    axelram.put("d/c.yaml", "macro: {max_keys: 64}\nrotation: {" + role + ": axelram.json}\n");
    failed(axelram("generate d/c.yaml -o d --force"), 2, "d/axelram.json: is also an input");
    CHECK_SAME(axelram.content("d/axelram.json"), axelram.content(role));
    CHECK_FALSE(axelram.has("d/rtl"));
    fs::remove(axelram.at("d/axelram.json"));
  }
}

TEST_CASE("generate overwrites none of its inputs") {
  const TempDir axelram;
  fs::create_directory(axelram.at("d"));
  axelram.put("d/config.yaml", "# mine\nmacro: {head_dim: 32, max_keys: 64}\n");
  failed(axelram("generate d/config.yaml -o d --force"), 2, "is also an input");
  CHECK(contains(axelram.content("d/config.yaml"), "# mine"));
  CHECK_FALSE(fs::is_empty(axelram.at("d")));
}

TEST_CASE("stress deletes no folder that it did not write") {
  const TempDir axelram;
  REQUIRE(axelram("stress " + kByteLlama + " -o model --layers all --bias 10"));
  fs::remove(axelram.at("model/config.json"));
  fs::create_directory(axelram.at("model/config.json"));
  axelram.put("model/config.json/mine", "text");
  CHECK(axelram("stress " + kByteLlama + " -o model --layers all --bias 10 --force").code == 2);
  CHECK(axelram.content("model/config.json/mine") == "text");
}

TEST_CASE("campaigns reject one path for two outputs before the work") {
  const TempDir axelram;
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
  const TempDir axelram;
  for (const std::string& arguments :
       {std::string("faults small.yaml trace.safetensors --ber 1e-2 --trials 2 --dump x --json x"),
        std::string(
            "faults small.yaml trace.safetensors --ber 1e-2 --trials 2 --dump x/y --plot z"),
        "stress " + kByteLlama + " -o x --bias 10 --json x",
        "convert " + kTinyGguf + " -o x --json x"}) {
    CASE(arguments);
    CHECK(axelram(arguments).code == 2);
    CHECK_FALSE(axelram.has("x"));
  }
  // The folder is created first: it may hold the other outputs.
  const std::string campaign = "faults small.yaml trace.safetensors --ber 1e-2 --trials 2 ";
  CHECK(axelram(campaign + "--dump new/cases --json new/cases/x.json"));
  CHECK(axelram.has("new/cases/x.json"));
}

TEST_CASE("directories that cannot be created are rejected before the work") {
  const TempDir axelram;
  fs::create_directory_symlink("nowhere", axelram.at("link"));
  std::string longest;
  for (int i = 0; i < 3000; ++i) longest += "n/";
  for (const std::string& command :
       {std::string("faults small.yaml trace.safetensors --ber 1e-2 --trials 100000000 --dump "),
        std::string("generate small.yaml -o "), std::string("verify small.yaml -o ")}) {
    CASE(command);
    CHECK(axelram(command + "link", "timeout 20").code == 2);
    CHECK(axelram(command + longest, "timeout 20").code == 2);
    CHECK(axelram(command + std::string(300, 'n'), "timeout 20").code == 2);
    const ProcessResult kernel = axelram(command + "/proc/none", "timeout 20");
    CHECK((kernel.code == 2 || kernel.code == 3));
    CHECK(contains(kernel.err, "/proc/none"));
  }
}

TEST_CASE("weights that are no numbers are reported with their model") {
  const TempDir axelram;
  axelram.put_text();
  fs::copy(kByteLlama, axelram.at("model"));
  std::string bytes = axelram.content("model/model.safetensors");
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 4096; ++i) bytes[i] = '\xff';
  axelram.put("model/model.safetensors", bytes);
  for (const char* arguments : {"perplexity model text.txt --cache fp16 --tokens 20",
                                "perplexity model text.txt --cache f32 --baseline f32 --tokens 20",
                                "calibrate model text.txt -o signs --window 24 --samples 2",
                                "capture model text.txt --layer 3 --head 0 -o trace"}) {
    CASE(arguments);
    const ProcessResult done = axelram(arguments);
    CHECK(done.code == 2);
    CHECK(contains(done.err, "axelram: model: "));
    CHECK(contains(done.err, "nan"));
  }
}

TEST_CASE("messages are one line of text, whatever a path holds") {
  const TempDir axelram;
  const ProcessResult feed = axelram("run 'a\nb\x01\xff' trace.safetensors -o out");
  CHECK(feed.code == 2);
  CHECK(contains(feed.err, "a\\x0ab\\x01\\xff"));
  CHECK(std::count(feed.err.begin(), feed.err.end(), '\n') == 1);
  const ProcessResult many = axelram("run " + std::string(100000, 'a') + " t -o out");
  CHECK(many.code == 2);
  CHECK(many.err.size() < 3000);
}

TEST_CASE("messages use the program's words, and come before the work") {
  const TempDir axelram;
  axelram.put_text();
  const ProcessResult longest =
      axelram("generate small.yaml -o " + std::string(300, 'a') + "/" + std::string(300, 'b'));
  CHECK(longest.code == 2);
  CHECK_FALSE(contains(longest.err, "filesystem error"));

  failed(axelram("stress " + kByteLlama + " --bias 10 -o " + std::string(300, 'a')), 2,
         "choose another name");

  fs::copy(kTinyLlama, axelram.at("model"));
  std::string json = axelram.content("model/config.json");
  const std::string number_text = "\"rms_norm_eps\": 0.01";
  REQUIRE(contains(json, number_text));
  json.replace(json.find(number_text), number_text.size(), "\"rms_norm_eps\": 1e9999");
  axelram.put("model/config.json", json);
  const ProcessResult number = axelram("perplexity model " + kTinyLlama + "/expected.safetensors");
  CHECK(number.code == 2);
  CHECK_FALSE(contains(number.err, "json.exception"));

  std::string pieces = content(kSource + "/tests/model/tokens/reference/gpt2.json");
  const std::string id = "\"!\":0";
  REQUIRE(contains(pieces, id));
  pieces.replace(pieces.find(id), id.size(), "\"!\":1e999");
  axelram.put("tokenizer.json", pieces);
  const ProcessResult token =
      axelram("perplexity " + kByteLlama + " text.txt --tokenizer tokenizer.json --cache fp16");
  CHECK(token.code == 2);
  CHECK(contains(token.err, "axelram: tokenizer.json: "));
  CHECK_FALSE(contains(token.err, "json.exception"));

  const std::string run = "perplexity " + kByteLlama + " text.txt --tokens 200 ";
  axelram.put("few.yaml", "macro: {max_keys: 16}\n");
  for (const char* engine : {"golden", "fast", "rtl"}) {
    CASE(engine);
    failed(axelram(run + "--cache axelram:config=few.yaml --engine " + engine, "timeout 20"), 2,
           "macro.max_keys is 16");
  }

  fs::create_directory_symlink(kByteLlama, axelram.at("\xff"));
  failed(axelram("perplexity \xff text.txt --cache int4:ber=1e-3 --tokens 600 --nll n.safetensors",
                 "timeout 20"),
         2, "no UTF-8");
}

TEST_CASE("a working folder that was deleted is told in the program's words") {
  const TempDir axelram;
  axelram.put_text();
  const std::string config = quoted(axelram.at("small.yaml"));
  const std::string trace = " " + quoted(axelram.at("trace.safetensors"));
  const std::string text = kByteLlama + " " + quoted(axelram.at("text.txt"));
  for (const std::string& arguments :
       {"generate " + config + " -o rtl", "run " + config + trace + " -o out",
        "verify " + config + " --vectors 1 -o mismatch", "report " + config + " --json out",
        "faults " + config + trace + " --ber 1e-2 --trials 2 --dump cases",
        "perplexity " + text + " --cache fp16 --json out",
        "capture " + text + " --layer 0 --head 0 -o out", "calibrate " + text + " -o out",
        "stress " + kByteLlama + " --bias 10 -o model", "convert " + kTinyGguf + " -o model",
        std::string("list keys --json out")}) {
    CASE(arguments);
    const ProcessResult done = axelram(arguments, "mkdir gone && cd gone && rmdir ../gone &&");
    CHECK((done.code == 2 || done.code == 3));
    CHECK(contains(done.err, "axelram: "));
    CHECK(std::count(done.err.begin(), done.err.end(), '\n') == 1);
    CHECK_FALSE(contains(done.err, "filesystem error"));
    CHECK_FALSE(contains(done.err, "cannot make absolute path"));
  }
}

TEST_CASE("generate --force leaves no sources of another configuration") {
  const TempDir axelram;
  axelram.put("coded.yaml", "macro: {head_dim: 32}\necc: {code: golay24}\n");
  REQUIRE(axelram("generate coded.yaml -o rtl"));
  REQUIRE(axelram.has("rtl/rtl/coded_top.sv"));
  axelram.put("rtl/rtl/mine.sv", "// a file of the user");
  REQUIRE(axelram("generate small.yaml -o rtl --force"));
  REQUIRE(axelram("generate small.yaml -o clean"));
  CHECK_FALSE(axelram.has("rtl/rtl/coded_top.sv"));
  CHECK(axelram.has("rtl/rtl/mine.sv"));
  for (const auto& entry : fs::recursive_directory_iterator(axelram.at("rtl"))) {
    CASE(entry);
    if (entry.is_regular_file() && entry.path().filename() != "mine.sv")
      CHECK(fs::exists(axelram.at("clean") / fs::relative(entry.path(), axelram.at("rtl"))));
  }
}

}  // namespace
