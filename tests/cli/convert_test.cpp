#include <cmath>
#include <filesystem>

#include "axelram/files/safetensors.hpp"
#include "checkpoints/tiny_gguf.hpp"
#include "needs.hpp"
#include "program.hpp"

namespace {

namespace fs = std::filesystem;
using axelram::files::Safetensors;
using namespace test;

TEST_CASE("convert: the folder, its figures, and the model that it is") {
  const TempDir axelram;
  const std::string printed = axelram.output("convert " + kTinyGguf + " -o out --json out.json");
  CHECK(contains(printed, "architecture   llama, 2 layers, vocabulary 96\n"));
  CHECK(contains(printed, "types          2 BF16, 3 F16, 5 F32, 2 Q4_0, 2 Q4_1, "));
  CHECK(contains(printed, "tensors        21, 124160 bytes: matrices in F16, vectors in F32\n"));
  CHECK(contains(printed, "tokenizer      none: " + kTinyGguf + ": tokenizer.ggml."));
  CHECK(contains(printed, "directory      out\n"));
  const auto json = axelram.json("out.json");
  CHECK(json["model"] == kTinyGguf);
  CHECK(json["architecture"] == "llama");
  CHECK(json["types"]["Q8_0"] == 3);
  CHECK(json["tensors"] == 21);
  CHECK(json["bytes"] == 124160);
  CHECK(json["tokenizer"] == false);
  CHECK(contains(json["no_tokenizer"], "tokenizer.ggml."));
  CHECK(axelram.json("out/convert.json")["source"] == kTinyGguf);

  // Likelihoods are those of the file, rounded alike.
  const std::string ids = kSource + "/tests/model/checkpoints/reference/llama.safetensors";
  const auto likelihoods = [&](const std::string& arguments) {
    REQUIRE(axelram("perplexity " + arguments + " --cache f32 --baseline f32 --nll nll --force"));
    return Safetensors::read(axelram.at("nll")).at("nll").values<double>();
  };
  const auto own = likelihoods("out " + ids);
  const auto right = likelihoods(kTinyGguf + " " + ids + " --weights f16");
  REQUIRE(own.size() == right.size());
  for (std::size_t i = 0; i < own.size(); ++i)
    CHECK_AT(i, own[i] == doctest::Approx(right[i]).epsilon(1e-5));
  // stress takes the folder.
  CHECK(axelram("stress out -o stressed --bias 10"));
}

TEST_CASE("convert: a tokenizer that is supported") {
  const TempDir axelram;
  TinyGguf tiny;
  // Pieces, of which the last merges the first two, and a control token.
  tiny.file.put_text("tokenizer.ggml.model", "gpt2")
      .put_text("tokenizer.ggml.pre", "gpt-2")
      .texts("tokenizer.ggml.tokens", {"a", "b", "ab", "<end>"})
      .raw("tokenizer.ggml.token_type", GgufBuilder::Type::list,
           GgufBuilder::bytes(5, 4) + GgufBuilder::bytes(4, 8) + GgufBuilder::bytes(1, 4) +
               GgufBuilder::bytes(1, 4) + GgufBuilder::bytes(1, 4) + GgufBuilder::bytes(3, 4))
      .texts("tokenizer.ggml.merges", {"a b"})
      .u32("tokenizer.ggml.eos_token_id", 3)
      .put_text("tokenizer.chat_template", "{{ x }}");
  tiny.write(axelram.at("tiny.gguf"));
  const std::string printed = axelram.output("convert tiny.gguf -o out");
  CHECK(contains(printed, "tokenizer      tokenizer.json\n"));
  CHECK(axelram.json("out/convert.json")["no_tokenizer"].is_null());
  const auto settings = axelram.json("out/tokenizer_config.json");
  CHECK(settings["tokenizer_class"] == "PreTrainedTokenizerFast");
  CHECK(settings["eos_token"] == "<end>");
  CHECK_FALSE(settings.contains("bos_token"));
  CHECK(settings["chat_template"] == "{{ x }}");
  axelram.put("text", "abba<end>ab");
  for (const std::string model : {"tiny.gguf", "out"}) {
    CASE(model);
    const std::string run =
        axelram.output("perplexity " + model + " text --cache f32 --baseline f32");
    CHECK(contains(run, "text, 4 predictions"));
  }
}

TEST_CASE("convert: the same bytes again, and force where it was before") {
  const TempDir axelram;
  const std::string run = "convert " + kTinyGguf + " ";
  REQUIRE(axelram(run + "-o one"));
  REQUIRE(axelram(run + "-o two"));
  for (const std::string file : {"/model.safetensors", "/config.json", "/convert.json"}) {
    CASE(file);
    CHECK_SAME(axelram.content("one" + file), axelram.content("two" + file));
  }
  failed(axelram(run + "-o one"), 2, "one: exists already; give --force");
  CHECK(axelram(run + "-o one --force"));
  axelram.put("one/mine", "text");
  failed(axelram(run + "-o one --force"), 2, "one: holds 'mine', which convert did not write");
  CHECK(axelram.content("one/mine") == "text");
  // A folder of stress is not convert's.
  REQUIRE(axelram("stress two -o stressed --bias 10"));
  CHECK(axelram(run + "-o stressed --force").code == 2);
  CHECK(axelram("stress two -o one --bias 10 --force").code == 2);
  CHECK(axelram.entries() == 5);
}

TEST_CASE("convert: bad input is named and nothing is written") {
  const TempDir axelram;
  axelram.put("stories.bin", "no such thing");
  axelram.put("cut.gguf", content(kTinyGguf).substr(0, 70'000));
  const auto rejected = [&](const std::string& arguments, const std::string& part) {
    axelram.rejected("convert " + arguments, part);
  };
  rejected("stories.bin -o out", "stories.bin: no GGUF file; it does not begin with GGUF");
  rejected("cut.gguf -o out", "cut.gguf: tensor ");
  rejected("none.gguf -o out", "none.gguf: no such file");
  rejected(kTinyLlama + " -o out", "is a folder; convert takes a GGUF file");
  rejected("smolm2-135m -o out", "did you mean 'smollm2-135m'?");
  rejected(kTinyGguf + " -o none/out", "does not exist; create it first");
  rejected(kTinyGguf + " -o small.yaml --force", "is no folder");
  rejected("cut.gguf -o out --json cut.gguf --force", "cut.gguf: is also an input");
  rejected("cut.gguf -o out --json out --force", "out: named for two outputs");
  rejected("cut.gguf", "-o");
  CHECK(axelram.entries() == 4);
  failed(axelram("convert smollm2-135m -o out", "XDG_CACHE_HOME=$PWD/none"), 3,
         "scripts/get_model smollm2-135m'\n");
}

TEST_CASE("convert: a signal leaves nothing, or all") {
  const TempDir axelram;
  TinyGguf(200'000).write(axelram.at("large.gguf"));
  for (const char* seconds : {"0.02", "0.05", "0.1", "0.15", "0.2", "0.3"}) {
    CASE(seconds);
    axelram("convert large.gguf -o out", std::string("timeout --preserve-status ") + seconds);
    CHECK(leftovers(axelram.path()).empty());
    if (axelram.has("out")) CHECK(axelram.has("out/model.safetensors"));
    fs::remove_all(axelram.at("out"));
  }
}

TEST_CASE("convert: smollm2-135m keeps its ids and likelihoods" * needs_smollm2) {
  const TempDir axelram;
  REQUIRE(axelram("convert smollm2-135m -o smollm2"));
  // A text of the tables if there is one, else one that is hard to take apart.
  std::string hard;
  for (int i = 1; hard.size() < 4000; ++i)
    hard += "On day " + std::to_string(i) + " she wrote: «Ça va?» – it's 3.5°, don't \twait!\n\n";
  axelram.put("text", hard);
  const char* const data = std::getenv("AXELRAM_DATA");
  const std::string text = data == nullptr ? "text" : test::data() + "/text/wikitext2-valid.txt";
  const auto run = [&](const std::string& model, const std::string& more) {
    REQUIRE(axelram("perplexity " + model + " " + text +
                    " --tokens 512 --cache f32 --baseline f32 " + more +
                    " --nll nll --json p.json --force"));
    return Safetensors::read(axelram.at("nll")).at("nll").values<double>();
  };
  const auto right = run("smollm2-135m", "--weights f16");
  const auto bits = axelram.json("p.json")["bits_per_byte"];
  const auto own = run("smollm2", "");
  REQUIRE(own.size() == 511);
  REQUIRE(right.size() == own.size());
  for (std::size_t i = 0; i < own.size(); ++i) REQUIRE_AT(i, std::abs(own[i] - right[i]) <= 1e-5);
  // Other ids would have other likelihoods, or other bytes.
  CHECK(axelram.json("p.json")["bits_per_byte"] == bits);
}

}  // namespace
