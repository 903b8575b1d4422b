#include <chrono>
#include <cmath>

#include "axelram/files/safetensors.hpp"
#include "axelram/turboquant/codebooks.hpp"
#include "axelram/turboquant/head_quantizer.hpp"
#include "check.hpp"
#include "support.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr std::size_t kD = 64, kTokens = 60;

/// Channels of two layers and heads, each of its own.
void write_channels(const std::string& path, std::int32_t d, std::size_t heads = 2) {
  std::vector<std::int32_t> high;
  for (std::int32_t head = 0; head < static_cast<std::int32_t>(2 * heads); ++head)
    for (std::int32_t i = 0; i < d / 2; ++i) high.push_back(2 * i + (head + i / 3) % 2);
  const auto half = static_cast<std::uint64_t>(d / 2);
  files::write_safetensors(
      path, {files::view("high", files::DataType::i32, {2, heads, half}, high)}, {}, true);
}

}  // namespace

TEST_CASE("turboquant: scores and sums of the rows that the records of a head give") {
  const test::TemporaryFolder folder;
  write_channels(folder / "c", kD);
  const Floats rows = test::gaussian(kTokens * kD, 1), queries = test::gaussian(kTokens * kD, 2);
  const Floats weights = test::causal_weights(kTokens, 3);
  const auto file = files::Safetensors::read(folder / "c");
  const auto channels = file.at("high", files::DataType::i32, 3).values<std::int32_t>();
  for (const double bits : {1.0, 3.0, 2.5}) {
    CASE(bits);
    const bool split = bits == 2.5;
    std::ostringstream text;
    text << "turboquant:kind=prod,projection=orthogonal,seed=5,bits=" << bits;
    if (split) text << ",split=" << (folder / "c");
    const auto cache = test::cache(text.str(), {2, 2, kD});
    const turboquant::Settings settings{
        turboquant::Kind::prod, bits, turboquant::RotationKind::gaussian_qr,
        turboquant::ProjectionKind::orthogonal, turboquant::Scale::norm};
    std::vector<std::uint16_t> high;
    for (std::size_t i = 0; i < kD / 2 && split; ++i)  // layer 1, head 1
      high.push_back(static_cast<std::uint16_t>(channels[3 * kD / 2 + i]));
    const turboquant::HeadQuantizer quantizer(settings, kD, high, {5, 1, 1});
    const std::size_t bytes = turboquant::record_bytes(settings, kD);
    std::vector<std::uint8_t> records(kTokens * bytes);
    quantizer.write(rows.data(), kTokens, records.data());
    Floats expected(rows.size());
    quantizer.read(records.data(), kTokens, expected.data());

    const auto exact = test::cache("f32", {2, 2, kD});
    const auto keys = cache->keys(1, 1), right_keys = exact->keys(1, 1);
    CHECK(keys->bytes_per_token() == static_cast<double>(bytes));
    CHECK(test::same_bits(test::all_scores(*keys, rows, queries, kD),
                          test::all_scores(*right_keys, expected, queries, kD)));
    const auto values = cache->values(1, 1), right_values = exact->values(1, 1);
    values->write(rows.data(), 17);  // in two pieces
    values->write(&rows[17 * kD], kTokens - 17);
    right_values->write(expected.data(), kTokens);
    Floats sum(rows.size()), right(rows.size());
    values->weighted_sum(weights.data(), kTokens, 0, 0, kTokens, sum.data());
    right_values->weighted_sum(weights.data(), kTokens, 0, 0, kTokens, right.data());
    CHECK(test::same_bits(sum, right));
  }
}

TEST_CASE("turboquant: bytes of a token are those of its record") {
  const test::TemporaryFolder folder;
  write_channels(folder / "c", 128);
  const auto bytes = [](const std::string& keys) {
    const auto cache = test::cache("turboquant:" + keys, {2, 2, 128});
    CHECK(cache->values(0, 0)->bytes_per_token() == cache->keys(1, 1)->bytes_per_token());
    return cache->keys(0, 0)->bytes_per_token();
  };
  CHECK(bytes("bits=1") == 18);
  CHECK(bytes("bits=3,scale=unbiased") == 50);
  CHECK(bytes("kind=prod,bits=2") == 36);
  CHECK(bytes("kind=prod,bits=3") == 52);
  CHECK(bytes("kind=prod,bits=4") == 68);
  CHECK(bytes("bits=2.5,split=" + (folder / "c")) == 44);
  CHECK(bytes("bits=3.5,split=" + (folder / "c")) == 60);
  CHECK(bytes("kind=prod,bits=2.5,split=" + (folder / "c")) == 48);
}

TEST_CASE("turboquant: 80 layers of 8 heads need one solution of each codebook") {
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t before = turboquant::codebooks_solved();
  const test::Shape shape{80, 8, 160};
  const Floats row = test::gaussian(160, 4);
  for (const char* keys : {"bits=4", "bits=3", "kind=prod,bits=3"}) {
    CASE(keys);
    const auto cache = test::cache(std::string("turboquant:") + keys, shape);
    for (int layer = 0; layer < shape.layers; ++layer)
      for (int head = 0; head < shape.heads; ++head) {
        CASE(layer, head);
        const auto one = cache->keys(layer, head);
        CHECK(one->bytes_per_token() > 0);
        if (layer % 40 == 7 && head == 3) one->write(row.data(), 1);
      }
  }
  CHECK(turboquant::codebooks_solved() - before == 3);  // 4, 3 and 2 bits
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CHECK(took.count() < 1);
}

TEST_CASE("turboquant: keys lose the centers of their positions, and scores get them back") {
  const test::TemporaryFolder folder;
  files::PositionCenters centers;
  centers.layers = centers.heads = 2;
  centers.d = kD;
  centers.centers = test::gaussian(4 * kD, 5, 4);
  centers.frequencies = Floats(kD, 0.01F);
  write_position_centers(folder / "centers", centers, {}, false);
  Floats rows = test::gaussian(kTokens * kD, 6);
  const Floats queries = test::gaussian(kTokens * kD, 7);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += centers.centers[3 * kD + i % kD];
  const auto error = [&](const std::string& text) {
    const Floats a =
        test::all_scores(*test::cache(text, {2, 2, kD})->keys(1, 1), rows, queries, kD);
    const Floats b =
        test::all_scores(*test::cache("f32", {2, 2, kD})->keys(1, 1), rows, queries, kD);
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(a[i] - b[i], 2);
    return sum;
  };
  CHECK(error("turboquant:centers=" + (folder / "centers")) < error("turboquant") / 8);
}

TEST_CASE("turboquant: what it rejects") {
  const test::TemporaryFolder folder;
  const auto says = [](const std::string& keys, int d, const std::string& what) {
    CHECK(test::contains(test::message([&] {
                           test::cache("turboquant:" + keys, {2, 2, d});
                         }),
                         what));
  };
  says("kind=prod,scale=unbiased", 64, "kind=prod and scale=unbiased; prod takes scale=norm");
  says("projection=hadamard", 64,
       "projection=hadamard, but only a residual is projected; it takes kind=prod too");
  says("bits=2.5", 64,
       "bits=2.5 and no split; it takes split=FILE, which 'axelram calibrate --channels' writes");
  says("split=x", 64, "a split and bits=3; a split takes bits=2.5 or bits=3.5");
  says("rotation=hadamard", 80, "a Hadamard matrix for 80 channels, which must be a power of two");
  says("kind=prod,projection=hadamard", 80, "a Hadamard matrix for 80 channels");
  says("bits=1", 8, "a sub-vector of 8 channels; a codebook takes at least 16");
  says("bits=2.5,split=" + (folder / "missing"), 64, "missing");
  write_channels(folder / "c", 64, 3);
  says("bits=2.5,split=" + (folder / "c"), 64, "it has 2 layers of 3 KV heads, the model 2 of 2");
  says("bits=2.5,split=" + (folder / "c"), 128, "it must be");
  Floats rows(3 * kD, 1.0F);
  rows[2 * kD + 5] = INFINITY;
  const auto keys = test::cache("turboquant", {2, 2, kD})->keys(1, 0);
  CHECK(test::message([&] { keys->write(rows.data(), 3); }) ==
        "key of layer 1, head 0, token 2: element 5 is inf; it must be a number");
  CHECK(test::message([&] { keys->inject(0.1, 1); }) ==
        "the cache turboquant has no bit errors; use axelram, int4 or memory");
}
