#include <cstring>
#include <random>

#include "checkpoints/support.hpp"

using test::CheckpointCopy;

namespace {

/// A few random changes of some bytes: others, none, the same twice.
std::string mutant(std::string text, std::mt19937& random) {
  static constexpr char kLikely[] = "0123456789-+.eE{}[],:\"\\ \n\0\xff\xc3truefalsn";
  const auto below = [&](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most - 1)(random);
  };
  for (std::size_t changes = 1 + below(3); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(1 + below(12), text.size() - at);
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text[at] = kLikely[below(sizeof kLikely)];
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      default:
        text.insert(at, 1, kLikely[below(sizeof kLikely)]);
    }
  }
  return text;
}

/// True where the checkpoint is read, in full; false for a line that says why not.
bool read(const CheckpointCopy& copy) {
  try {
    test::sum_of_all(copy.read());
    return true;
  } catch (const axelram::files::InputError& error) {
    REQUIRE_FALSE(test::contains(error.what(), "\n"));
    REQUIRE(test::contains(error.what(), copy.path()));
  } catch (const axelram::files::EnvironmentError& error) {
    REQUIRE_FALSE(test::contains(error.what(), "\n"));
  }
  return false;
}

}  // namespace

namespace {

void check_mutants_of_config(const std::string& model, int count) {
  const CheckpointCopy copy(model);
  const std::string whole = test::content(copy / "config.json");
  std::mt19937 random(20240601);
  int good = 0, bad = 0;
  for (int i = 0; i < count; ++i) {
    const std::string text = mutant(whole, random);
    CASE(i, text);
    test::put(copy / "config.json", text);
    ++(read(copy) ? good : bad);
  }
  CHECK(good > count / 15);
  CHECK(bad > count * 7 / 15);
}

}  // namespace

TEST_CASE("mutants of config.json are read or rejected in one line") {
  check_mutants_of_config("llama-f32", 1500);
  check_mutants_of_config("gemma3", 500);
  check_mutants_of_config("gemma3-d256", 500);
}

TEST_CASE("mutants of a safetensors header are read or rejected in one line") {
  const CheckpointCopy copy("llama-f32");
  const std::string whole = test::content(copy / "model.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, whole.data(), 8);
  const std::string data = whole.substr(8 + length);
  std::mt19937 random(20240602);
  int bad = 0;
  for (int i = 0; i < 800; ++i) {
    CASE(i);
    std::string header = whole.substr(0, 8 + length);
    if (i % 4 == 0) {
      header = mutant(header, random);  // its length too, or no longer the right one
    } else {
      const std::string mutated = mutant(header.substr(8), random);
      length = mutated.size();
      header.resize(8);
      std::memcpy(header.data(), &length, 8);
      header += mutated;
      std::memcpy(&length, whole.data(), 8);
    }
    test::put(copy / "model.safetensors", header + data);
    bad += read(copy) ? 0 : 1;
  }
  CHECK(bad > 400);
}
