#include <utility>

#include "cli/perplexity_run.hpp"

using namespace test;

namespace {

/// JSON and likelihoods of a run, byte by byte.
std::string figures(const TempDir& axelram, const std::string& run) {
  REQUIRE(axelram(run + " --json p.json --force"));
  return axelram.content("p.json");
}

/// The line that names the engine left out.
std::string without_engine(std::string json) {
  for (std::size_t at; (at = json.find("\"engine\"")) != std::string::npos;)
    json.erase(at, json.find('\n', at) + 1 - at);
  return json;
}

}  // namespace

TEST_CASE("perplexity: --chunk and --threads change no figure, in any digit") {
  const TempDir axelram;
  axelram.put_text();
  axelram.put("attends.yaml", "macro: {head_dim: 32, max_keys: 40}\nattention: {}\n");
  const std::string text = kTextRun +
                           "--window 96 --stride 40 --tokens 400 --cache int4 "
                           "--cache axelram:config=" +
                           kSource + "/configs/d128-best.yaml";
  const std::string tiny = kTinyRun + "--cache axelram:config=attends.yaml,seed=3";
  for (const std::string& run : {text, tiny}) {
    CASE(run);
    const std::string whole = without_engine(figures(axelram, run));
    for (const std::string more :
         {"--chunk 1", "--chunk 7 --threads 1", "--chunk 32 --engine golden", "--chunk 96",
          "--chunk 100000", "--threads 1"})
      CHECK_AT(more, without_engine(figures(axelram, run + " " + more)) == whole);
  }
}

TEST_CASE("perplexity: --chunk beside what takes whole windows alone") {
  const TempDir axelram;
  const std::string macro = "--cache axelram:config=" + kSource + "/configs/d32-b3.yaml ";
  for (const auto& [arguments, message] :
       {std::pair<std::string, std::string>{
            macro + "--chunk 4 --engine rtl",
            "--chunk: --engine rtl takes whole windows alone; use --engine golden or fast"},
        {macro + "--chunk 4 --engine cuda",
         "--chunk: --engine cuda takes whole windows alone; use --engine golden or fast"},
        {"--cache int4:exact_channels=3 --chunk 4",
         "cache 'int4:exact_channels=3': exact_channels are chosen by all keys of a window, of "
         "which --chunk writes some at a time; leave one of both out"},
        {"--cache int4 --chunk 0", "--chunk: '0'; give a whole number"}}) {
    CASE(arguments);
    axelram.rejected(kTinyRun + arguments, message);
  }
}
