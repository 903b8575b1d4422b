#include "axelram/calibration/keys.hpp"

#include <cmath>
#include <cstdlib>

#include "axelram/calibration/windows.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/half.hpp"
#include "check.hpp"
#include "files/support.hpp"
#include "needs.hpp"
#include "transformer/plain_cache.hpp"

using namespace axelram;

namespace {

/// A checkpoint with a cache and threads.
class Model {
 public:
  explicit Model(const std::string& path, std::size_t threads = 2)
      : checkpoint(checkpoints::read_checkpoint(path)),
        cache_(checkpoint.architecture.head_dim),
        workers_(threads) {}

  calibration::Source over(const std::vector<transformer::Sequence>& windows,
                           ElementFormat format = ElementFormat::fp16) {
    return {checkpoint, cache_, workers_, windows, format, {}};
  }

  checkpoints::Checkpoint checkpoint;

 private:
  test::PlainCache cache_;
  transformer::Workers workers_;
};

/// The largest difference of two rows of elements relative to the largest of `b`'s row.
double difference(const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b,
                  std::size_t d) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t row = 0; row < a.size(); row += d) {
    double most = 0, error = 0;
    for (std::size_t i = row; i < row + d; ++i) {
      most = std::max(most, std::abs(half_to_double(b[i])));
      error = std::max(error, std::abs(half_to_double(a[i]) - half_to_double(b[i])));
    }
    worst = std::max(worst, error / most);
  }
  return worst;
}

const std::string kReference = AXELRAM_SOURCE "/tests/model/transformer/reference/llama-f32";

struct Reference {
  Reference() {
    const auto file = files::Safetensors::read(kReference + "/expected.safetensors");
    text.ids = file.at("tokens").values<std::int32_t>();
    text.rows = 2;
    text.columns = 24;
    text.separate = true;
    keys = file.at("keys_1").values<float>();        // [2, 24, 2 * 32]
    queries = file.at("queries_1").values<float>();  // [2, 24, 4 * 32]
  }
  tokens::TokenText text;
  std::vector<float> keys, queries;
};

TEST_CASE("captured keys and queries are those of transformers, query head after query head") {
  const Reference reference;
  Model model(kReference);
  const auto windows = calibration::consecutive_windows(reference.text, 48, 24);
  const std::size_t d = 32, tokens = 48;
  for (const std::size_t head : {0, 1}) {
    CASE(head);
    std::size_t told = 0;
    calibration::Source source = model.over(windows);
    source.progress = [&](std::size_t done, std::size_t all) {
      CHECK(done == ++told);
      CHECK(all == 4);
    };
    const files::Trace trace = calibration::capture(source, {1, head});
    CHECK(told == 4);
    REQUIRE(trace.key_count() == tokens);
    REQUIRE(trace.query_count() == 2 * tokens);
    double worst = 0;
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t i = 0; i < d; ++i) {
        const float key = reference.keys[(t * 2 + head) * d + i];
        worst = std::max(worst, std::abs(half_to_double(trace.keys[t * d + i]) - double{key}) /
                                    std::max(0.1, std::abs(double{key})));
        for (std::size_t g = 0; g < 2; ++g) {
          const float query = reference.queries[(t * 4 + 2 * head + g) * d + i];
          worst = std::max(
              worst, std::abs(half_to_double(trace.queries[(g * tokens + t) * d + i]) - query) /
                         std::max(0.1, std::abs(double{query})));
        }
      }
    CHECK(worst < 6e-4);  // FP16 rounds by 2^-11 = 4.9e-4

    // The last queries of each head alone: from the middle of the first window on, one, none left.
    for (const std::size_t kept : {30, 24, 1}) {
      CASE(kept);
      const files::Trace some = calibration::capture(model.over(windows), {1, head, kept});
      CHECK_SAME(some.keys, trace.keys);
      std::vector<std::uint16_t> expected;
      for (std::size_t g = 0; g < 2; ++g)
        expected.insert(expected.end(),
                        trace.queries.begin() + static_cast<long>(((g + 1) * tokens - kept) * d),
                        trace.queries.begin() + static_cast<long>((g + 1) * tokens * d));
      CHECK_SAME(some.queries, expected);
    }
    const files::Trace wide =
        calibration::capture(model.over(windows, ElementFormat::bf16), {1, head});
    CHECK(wide.element_format == ElementFormat::bf16);
    CHECK(bfloat16_to_double(wide.keys[5]) ==
          doctest::Approx(half_to_double(trace.keys[5])).epsilon(0.01));
  }
}

TEST_CASE("captured values of the first layer are projections of normalized embeddings") {
  const Reference reference;
  Model model(kReference);
  const checkpoints::Checkpoint& c = model.checkpoint;
  const std::size_t hidden = c.architecture.hidden, d = 32;
  const auto windows = calibration::consecutive_windows(reference.text, 48, 24);
  for (const std::size_t head : {0, 1}) {
    CASE(head);
    const files::Trace trace = calibration::capture(model.over(windows), {0, head});
    REQUIRE(trace.values->size() == 48 * d);
    std::vector<float> x(hidden), weights(d * hidden);
    c.layers[0].v.rows(head * d, d, weights.data());
    double worst = 0;
    for (std::size_t t = 0; t < 48; ++t) {
      c.embedding.rows(static_cast<std::size_t>(reference.text.ids[t]), 1, x.data());
      double square = 0;
      for (const float element : x) square += double{element} * element;
      const double scale =
          1 / std::sqrt(square / static_cast<double>(hidden) + c.architecture.norm_epsilon);
      for (std::size_t i = 0; i < d; ++i) {
        double value = 0;
        for (std::size_t k = 0; k < hidden; ++k)
          value += double{weights[i * hidden + k]} * x[k] * c.layers[0].attention_norm[k] * scale;
        worst = std::max(worst, std::abs(half_to_double((*trace.values)[t * d + i]) - value));
      }
    }
    CHECK(worst < 2e-3);
  }
}

TEST_CASE("collected keys are in order of layer, head and token") {
  const Reference reference;
  Model model(kReference);
  const auto windows = calibration::consecutive_windows(reference.text, 48, 24);
  const calibration::Keys keys = calibration::collect_keys(model.over(windows));
  CHECK(keys.layers == 2);
  CHECK(keys.heads == 2);
  CHECK(keys.rows == 48);
  CHECK(keys.head_dim == 32);
  for (std::size_t layer = 0; layer < 2; ++layer)
    for (std::size_t head = 0; head < 2; ++head) {
      CASE(layer, head);
      const files::Trace trace = calibration::capture(model.over(windows), {layer, head});
      std::vector<std::uint16_t> halves;
      for (std::size_t i = 0; i < trace.keys.size(); ++i)
        halves.push_back(double_to_half(keys.of(layer, head)[i]));
      CHECK_SAME(halves, trace.keys);
    }
}

TEST_CASE("a layer, a head or a number of queries that there is not") {
  const Reference reference;
  Model model(kReference);
  const auto windows = calibration::consecutive_windows(reference.text, 24, 24);
  const auto told = [&](std::size_t layer, std::size_t head, std::size_t queries) {
    return test::message([&] {
      calibration::capture(model.over(windows), {layer, head, queries});
    });
  };
  CHECK(told(2, 0, 1) == "layer 2: the model has 2, counted from 0; give 0..1");
  CHECK(told(0, 2, 1) == "KV head 2: the model has 2, counted from 0; give 0..1");
  CHECK(told(0, 0, 25) == "the last 25 queries of 24 tokens; take as many at most");
  CHECK(told(1, 1, 24).empty());
}

TEST_CASE("a key beyond FP16 is named, and bf16 takes it") {
  const Reference reference;
  Model model(kReference);
  auto& offset = model.checkpoint.layers[1].key_offset;
  offset.assign(64, 0.0F);
  offset[32 + 7] = 70000;
  const auto windows = calibration::consecutive_windows(reference.text, 24, 24);
  CHECK(test::contains(test::message([&] {
                         calibration::capture(model.over(windows), {1, 0});
                       }),
                       "layer 1, key head 1, token 0, channel 7: "));
  CHECK(test::contains(test::message([&] { calibration::collect_keys(model.over(windows)); }),
                       "FP16 ends at 65504; take bf16"));
  const auto trace = calibration::capture(model.over(windows, ElementFormat::bf16), {1, 1});
  CHECK(bfloat16_to_double(trace.keys[7]) == doctest::Approx(70000).epsilon(0.01));
  // Queries need only fit where they are captured: a bias of them in the layer before.
  model.checkpoint.layers[0].q_bias.assign(4 * 32, 0.0F);
  model.checkpoint.layers[0].q_bias[3 * 32 + 31] = 1e5F;
  offset.clear();
  CHECK(calibration::capture(model.over(windows), {1, 0}).query_count() == 48);
  CHECK(test::contains(test::message([&] {
                         calibration::capture(model.over(windows), {0, 0});
                       }),
                       "layer 0, query head 3, token "));
  model.checkpoint.layers[0].q_bias.clear();
  // Layers after the captured one are not computed.
  offset.assign(64, 70000.0F);
  CHECK(calibration::capture(model.over(windows), {0, 0}).key_count() == 24);
}

TEST_CASE("head dimensions that the macro has not") {
  checkpoints::Architecture architecture;
  for (const std::size_t d : {32, 64, 128, 256}) {
    architecture.head_dim = d;
    calibration::check_head_dim(architecture);
  }
  for (const std::size_t d : {8, 16, 80, 96, 512}) {
    CASE(d);
    architecture.head_dim = d;
    CHECK(test::message([&] { calibration::check_head_dim(architecture); }) ==
          "the model's heads have " + std::to_string(d) +
              " elements; the macro takes 32, 64, 128 or 256");
  }
}

// The traces were made by another implementation, in PyTorch.
TEST_CASE("the traces of byte-llama-d128 come out again" * test::needs_data) {
  const std::string data = test::data();
  const std::string folder = data;
  Model model(AXELRAM_SOURCE "/models/byte-llama-d128");
  tokens::TextOptions options;
  options.skip = 1'003'854;  // of 1115394 bytes the first nine tenths
  const auto text = tokens::read_text(folder + "/text/shakespeare.txt",
                                      *tokens::choose_tokenizer("", 256, "byte"), options);
  const auto windows = calibration::consecutive_windows(text, 256, 256);
  for (std::size_t layer = 0; layer < 4; ++layer)
    for (std::size_t head = 0; head < 2; ++head) {
      CASE(layer, head);
      const files::Trace trace = calibration::capture(model.over(windows), {layer, head});
      const files::Trace expected =
          files::read_trace(folder + "/traces/byte-llama-d128-l" + std::to_string(layer) + "h" +
                                std::to_string(head) + ".safetensors",
                            Parameters{}, 4096);
      CHECK(difference(trace.keys, expected.keys, 128) < 1.0 / 512);
      CHECK(difference(trace.queries, expected.queries, 128) < 1.0 / 512);
    }
  const auto many = calibration::consecutive_windows(text, 4096, 256);
  const files::Trace expected =
      files::read_trace(folder + "/traces/byte-llama-d128-4096.safetensors", Parameters{}, 4096);
  const files::Trace trace = calibration::capture(model.over(many), {2, 0, 32});
  CHECK(difference(trace.keys, expected.keys, 128) < 1.0 / 512);
}

}  // namespace
