#include <cstdint>
#include <cstring>
#include <limits>

#include "checkpoints/support.hpp"

using axelram::checkpoints::Checkpoint;
using axelram::checkpoints::Matrix;
using test::contains;

namespace {

using Header = std::vector<std::int32_t>;  // dim, hidden_dim, layers, heads, kv_heads, vocab, seq

constexpr std::size_t kDim = 8, kFfn = 6, kLayers = 2, kKeys = 4, kVocabulary = 5;
constexpr std::size_t kTables = 3 * 4;  // seq_len * head size
const Header kShared = {8, 6, 2, 2, 1, 5, 3}, kOwn = {8, 6, 2, 2, 1, -5, 3};

constexpr std::size_t kFloats =
    kVocabulary * kDim +
    kLayers * (2 * kDim + 2 * kDim * kDim + 2 * kKeys * kDim + 3 * kFfn * kDim) + kDim + kTables;

/// Header and `floats` weights: 0, 1, 2, ...
std::string file(const Header& header, std::size_t floats) {
  std::string bytes(4 * (header.size() + floats), '\0');
  std::memcpy(bytes.data(), header.data(), 4 * header.size());
  for (std::size_t i = 0; i < floats; ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(bytes.data() + 4 * (header.size() + i), &value, sizeof value);
  }
  return bytes;
}

std::string failure(const std::string& bytes) {
  const test::TemporaryFolder folder;
  test::put(folder / "model.bin", bytes);
  const std::string line =
      test::message([&] { axelram::checkpoints::read_checkpoint(folder / "model.bin"); });
  if (!line.empty()) CHECK(contains(line, folder / "model.bin: "));
  return line;
}

/// The weights in the order of llama2.c's memory_map_weights (run.c), each as long as it is there.
class Order {
 public:
  void next(const std::vector<float>& vector, std::size_t size) {
    REQUIRE(vector.size() == size);
    for (const float value : vector) REQUIRE_AT(value, value == static_cast<float>(next_++));
  }
  void next(const Matrix& matrix, std::size_t outputs, std::size_t inputs) {
    REQUIRE(matrix.outputs == outputs);
    REQUIRE(matrix.inputs == inputs);
    std::vector<float> values(outputs * inputs);
    matrix.rows(0, outputs, values.data());
    next(values, outputs * inputs);
  }
  void skip(std::size_t size) { next_ += size; }

 private:
  std::size_t next_ = 0;
};

void check_weights(const Checkpoint& c, bool own_head) {
  Order order;
  order.next(c.embedding, kVocabulary, kDim);
  for (const auto& layer : c.layers) {
    CASE(&layer - c.layers.data());
    order.next(layer.attention_norm, kDim);
  }
  for (const auto& layer : c.layers) {
    CASE(&layer - c.layers.data());
    order.next(layer.q, kDim, kDim);
  }
  for (const auto& layer : c.layers) {
    CASE(&layer - c.layers.data());
    order.next(layer.k, kKeys, kDim);
  }
  for (const auto& layer : c.layers) {
    CASE(&layer - c.layers.data());
    order.next(layer.v, kKeys, kDim);
  }
  for (const auto& layer : c.layers) {
    CASE(&layer - c.layers.data());
    order.next(layer.o, kDim, kDim);
  }
  for (const auto& layer : c.layers) {
    CASE(&layer - c.layers.data());
    order.next(layer.ffn_norm, kDim);
  }
  for (const auto& layer : c.layers) {
    CASE(&layer - c.layers.data());
    order.next(layer.gate, kFfn, kDim);
  }
  for (const auto& layer : c.layers) {
    CASE(&layer - c.layers.data());
    order.next(layer.down, kDim, kFfn);
  }
  for (const auto& layer : c.layers) {
    CASE(&layer - c.layers.data());
    order.next(layer.up, kFfn, kDim);
  }
  order.next(c.final_norm, kDim);
  order.skip(kTables);
  if (own_head)
    order.next(c.head, kVocabulary, kDim);
  else
    CHECK(c.head.data == c.embedding.data);
}

}  // namespace

TEST_CASE("llama2.c: the right matrices, with a shared head and with one of its own") {
  const test::TemporaryFolder folder;
  for (const bool own : {false, true}) {
    CASE(own);
    const std::size_t floats = kFloats + (own ? kVocabulary * kDim : 0);
    test::put(folder / "model.bin", file(own ? kOwn : kShared, floats));
    const Checkpoint c = axelram::checkpoints::read_checkpoint(folder / "model.bin");
    const auto& a = c.architecture;
    CHECK(a.hidden == kDim);
    CHECK(a.ffn == kFfn);
    CHECK(a.heads == 2);
    CHECK(a.kv_heads == 1);
    CHECK(a.head_dim == 4);
    CHECK(a.vocabulary == kVocabulary);
    CHECK(a.max_positions == 3);
    CHECK(a.positions == axelram::checkpoints::Positions::rotary_interleaved);
    REQUIRE(a.rotary.frequencies.size() == 2);
    CHECK(a.rotary.frequencies[0] == 1);
    CHECK(a.rotary.frequencies[1] == doctest::Approx(0.01).epsilon(1e-14));
    REQUIRE(c.layers.size() == kLayers);
    check_weights(c, own);
  }
}

TEST_CASE("llama2.c: every truncation, and bytes too many") {
  const std::string whole = file(kShared, kFloats);
  CHECK(failure(whole) == "");
  const test::TemporaryFolder folder;
  const std::string path = folder / "model.bin";
  test::put(path, whole);
  for (std::size_t size = whole.size(); size-- > 0;) {
    CASE(size);
    std::filesystem::resize_file(path, size);
    const std::string line = test::message([&] { axelram::checkpoints::read_checkpoint(path); });
    CASE(size);
    REQUIRE(contains(line, size < 28 ? "too few for a llama2.c checkpoint" : "was it cut off"));
  }
  for (const std::size_t more : {1U, 4U, 1000U})
    CHECK_AT(more, contains(failure(whole + std::string(more, 'x')),
                            "its header makes it " + std::to_string(whole.size())));
  CHECK(contains(failure(file(kOwn, kFloats)), "was it cut off"));
}

TEST_CASE("llama2.c: absurd headers") {
  const char* const names[] = {"dim",        "hidden_dim", "n_layers", "n_heads",
                               "n_kv_heads", "vocab_size", "seq_len"};
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  for (std::size_t field = 0; field < kShared.size(); ++field) {
    CASE(names[field]);
    for (const std::int32_t value : {0, -1, -kMost, -kMost - 1, kMost, (1 << 28) + 1}) {
      CASE(value);
      Header header = kShared;
      header[field] = value;
      const std::string line = failure(file(header, kFloats));
      const bool head = names[field] == std::string("vocab_size") && value == -1;
      CHECK(contains(line, head ? "its header makes it" : std::string(names[field]) + " is "));
    }
    for (const std::int32_t value : {1 << 28, 1 << 20, 7}) {
      CASE(value);
      Header header = kShared;
      header[field] = value;
      CHECK(failure(file(header, kFloats)) != "");
    }
  }
  const std::int32_t most = 1 << 28;
  CHECK(contains(failure(file({most, most, most, 1, 1, most, most}, kFloats)), "bytes"));
  CHECK(contains(failure(file({8, 6, 2, 3, 1, 5, 3}, kFloats)), "do not fit each other"));
  CHECK(contains(failure(file({8, 6, 2, 4, 3, 5, 3}, kFloats)), "do not fit each other"));
  CHECK(contains(failure(file({8, 6, 2, 8, 1, 5, 3}, kFloats)), "do not fit each other"));
}
