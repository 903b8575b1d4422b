#include <cstdlib>
#include <sstream>

#include "axelram/gguf/gguf.hpp"
#include "needs.hpp"
#include "support.hpp"

// GGUF files of the vocabularies of published models, as llama.cpp carries them with texts and
// their ids: NAME.gguf, NAME.gguf.inp, NAME.gguf.out. docs/reference/checkpoints.md says how to get
// them.

namespace {

using namespace axelram;
using namespace test;

/// Texts are parted by a line.
std::vector<std::string> texts_of(const std::string& path) {
  const std::string all = bytes_of(path), line = "\n__ggml_vocab_test__\n";
  std::vector<std::string> texts;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + line.size()) {
    end = all.find(line, at);
    texts.push_back(all.substr(at, end - at));
  }
  return texts;
}

/// A line of ids for each text.
std::vector<Ids> ids_of(const std::string& path) {
  std::vector<Ids> all;
  std::istringstream lines(bytes_of(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream numbers(line);
    Ids ids;
    for (std::int32_t id = 0; numbers >> id;) ids.push_back(id);
    all.push_back(ids);
  }
  return all;
}

TEST_CASE("GGUF: the ids of llama.cpp for the vocabularies of published models" *
          test::needs_vocabularies) {
  const std::string folder = std::string(std::getenv("AXELRAM_VOCABULARIES")) + "/";
  for (const std::string name :
       {"gpt-2", "llama-bpe", "llama-spm", "phi-3", "qwen2", "refact", "starcoder"}) {
    CASE(name);
    const std::string file = folder + "ggml-vocab-" + name + ".gguf";
    const auto tokenizer = tokens::read_gguf(gguf::Gguf::map(file));
    const std::vector<std::string> texts = texts_of(file + ".inp");
    const std::vector<Ids> ids = ids_of(file + ".out");
    REQUIRE(ids.size() >= 40);
    REQUIRE(texts.size() >= ids.size());  // an empty one may follow
    for (std::size_t i = 0; i < ids.size(); ++i) {
      CASE(i, texts[i]);
      CHECK_SAME(tokenizer->encode(texts[i]), ids[i]);
    }
  }
}

}  // namespace
