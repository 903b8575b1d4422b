#include "axelram/calibration/choose_signs.hpp"

#include <algorithm>

#include "axelram/half.hpp"
#include "axelram/signs.hpp"
#include "calibration/reference.hpp"
#include "check.hpp"
#include "files/support.hpp"

using namespace axelram;
using namespace calibration;

namespace {

constexpr int kDim = 32;
constexpr std::size_t kSize = kDim;

Keys empty_keys(std::size_t layers, std::size_t heads, std::size_t rows) {
  Keys keys{layers, heads, rows, kSize, {}};
  keys.values.resize(layers * heads * rows * kSize);
  return keys;
}

Request request_for(const Keys& keys) {
  Request request;
  request.parameters.head_dim = kDim;
  request.parameters.index_bits = 2;
  request.seed = 70;
  request.candidates = 40;
  request.default_signs = calibration::signs_of_seed(42, keys);
  return request;
}

Calibration choose(const Keys& keys, const Request& request, std::size_t threads = 1) {
  transformer::Workers workers(threads);
  return calibration::choose_signs(keys, request, workers);
}

std::vector<std::int8_t> candidate(std::uint64_t seed, int layer, int head) {
  std::vector<std::int8_t> signs(kSize);
  sign_vector(seed, layer, head, kDim, signs.data());
  return signs;
}

/// Keys of a head that candidate `seed` of (layer, sign_head) quantizes almost without error.
void plant(Keys* keys, std::size_t layer, std::size_t head, std::uint64_t seed, int sign_head) {
  const auto signs = candidate(seed, static_cast<int>(layer), sign_head);
  for (std::size_t t = 0; t < keys->rows; ++t) {
    const auto key = test::key_on_centroids(
        signs.data(), kSize, static_cast<std::uint32_t>(100 * layer + 10 * head + t));
    float* const to = keys->values.data() + ((layer * keys->heads + head) * keys->rows + t) * kSize;
    for (std::size_t i = 0; i < kSize; ++i) to[i] = 3 * key[i];
  }
}

std::vector<std::int8_t> row(const Keys& keys, const Calibration& calibration, std::size_t layer,
                             std::size_t head) {
  const auto first =
      calibration.signs.begin() + static_cast<long>((layer * keys.heads + head) * kSize);
  return {first, first + kDim};
}

TEST_CASE("the planted candidate of each layer wins, for all its heads") {
  Keys keys = empty_keys(3, 2, 20);
  const std::uint64_t planted[] = {5, 0, 39};
  for (std::size_t layer = 0; layer < 3; ++layer)
    for (std::size_t head = 0; head < 2; ++head) plant(&keys, layer, head, 70 + planted[layer], 0);
  const Calibration calibration = choose(keys, request_for(keys));
  REQUIRE(calibration.choices.size() == 3);
  for (std::size_t layer = 0; layer < 3; ++layer) {
    CASE(layer);
    const Choice& choice = calibration.choices[layer];
    CHECK(choice.layer == layer);
    CHECK(!choice.head);
    CHECK(choice.candidate == planted[layer]);
    CHECK(choice.best_error < 1e-3);
    CHECK(choice.mean_error > 0.08);
    CHECK(choice.worst_error > choice.mean_error);
    CHECK(choice.default_error > 0.08);
    for (std::size_t head = 0; head < 2; ++head) {
      CASE(head);
      CHECK_SAME(row(keys, calibration, layer, head),
                 candidate(70 + planted[layer], static_cast<int>(layer), 0));
    }
  }
}

TEST_CASE("heads choose for themselves where asked to") {
  Keys keys = empty_keys(2, 2, 20);
  for (std::size_t layer = 0; layer < 2; ++layer)
    for (std::size_t head = 0; head < 2; ++head)
      plant(&keys, layer, head, 75 + 4 * layer + head, static_cast<int>(head));
  Request request = request_for(keys);
  request.per_head = true;
  const Calibration calibration = choose(keys, request);
  REQUIRE(calibration.choices.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CASE(i);
    const Choice& choice = calibration.choices[i];
    const std::size_t layer = i / 2, head = i % 2;
    CHECK(choice.layer == layer);
    CHECK(choice.head == head);
    CHECK(choice.candidate == 5 + 4 * layer + head);
    CHECK(choice.best_error < 1e-3);
    CHECK_SAME(row(keys, calibration, layer, head),
               candidate(75 + 4 * layer + head, static_cast<int>(layer), static_cast<int>(head)));
  }
}

TEST_CASE("errors are those of the algorithm as printed, default signs per head") {
  Keys keys = empty_keys(2, 3, 37);
  keys.values = test::gaussian(keys.values.size(), 5);
  for (std::size_t i = 0; i < keys.values.size(); i += kSize) keys.values[i] += 8;
  Request request = request_for(keys);
  request.parameters.index_bits = 3;
  request.candidates = 9;
  const Codebook codebook = solve_codebook(CodebookKind::gaussian, kDim, 3);
  const auto mean = [&](std::size_t layer, auto&& signs_of_head) {
    double sum = 0;
    for (std::size_t head = 0; head < 3; ++head)
      for (std::size_t t = 0; t < keys.rows; ++t) {
        const float* const k = keys.of(layer, head) + t * kSize;
        sum += test::square_error({k, k + kSize}, signs_of_head(head).data(), codebook);
      }
    return sum / static_cast<double>(3 * keys.rows * kSize);
  };
  const Calibration calibration = choose(keys, request);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    CASE(layer);
    const int l = static_cast<int>(layer);
    std::vector<double> errors;
    for (std::uint64_t c = 0; c < 9; ++c)
      errors.push_back(mean(layer, [&](std::size_t) { return candidate(70 + c, l, 0); }));
    const Choice& choice = calibration.choices[layer];
    const auto best = std::min_element(errors.begin(), errors.end());
    CHECK(choice.candidate == static_cast<std::size_t>(best - errors.begin()));
    CHECK(choice.best_error == doctest::Approx(*best).epsilon(1e-5));
    CHECK(choice.worst_error ==
          doctest::Approx(*std::max_element(errors.begin(), errors.end())).epsilon(1e-5));
    double sum = 0;
    for (const double error : errors) sum += error;
    CHECK(choice.mean_error == doctest::Approx(sum / 9).epsilon(1e-5));
    const double expected =
        mean(layer, [&](std::size_t head) { return candidate(42, l, static_cast<int>(head)); });
    CHECK(choice.default_error == doctest::Approx(expected).epsilon(1e-5));
  }
}

TEST_CASE("a center hides a bias from the choice") {
  Keys keys = empty_keys(1, 2, 20);
  for (std::size_t head = 0; head < 2; ++head) plant(&keys, 0, head, 83, 0);
  Request request = request_for(keys);
  request.center.resize(2 * kSize);
  for (std::size_t i = 0; i < 2 * kSize; ++i) {
    const double bias = 40 * (i % kSize == 3) - 25 * (i == kSize + 9);
    request.center[i] = double_to_half(bias);
    for (std::size_t t = 0; t < keys.rows; ++t)
      keys.values[(i / kSize * keys.rows + t) * kSize + i % kSize] += static_cast<float>(bias);
  }
  const Calibration centered = choose(keys, request);
  CHECK(centered.choices[0].candidate == 13);
  CHECK(centered.choices[0].best_error < 1e-3);
  request.center.clear();
  CHECK(choose(keys, request).choices[0].best_error > 0.1);
}

TEST_CASE("norms, their ratio and the share of the mean key") {
  // Rows of layer 0 are +-3 in channel 1 beside 4 in channel 0: norm 5, mean key 4, centered 3.
  Keys keys = empty_keys(2, 2, 4);
  for (std::size_t r = 0; r < 2 * 2 * 4; ++r) {
    const float scale = r < 8 ? 1 : 3;
    keys.values[r * kSize] = 4 * scale;
    keys.values[r * kSize + 1] = (r % 2 == 0 ? 3 : -3) * scale;
  }
  const auto means = calibration::mean_keys(keys, ElementFormat::fp16);
  REQUIRE(means.size() == 4 * kSize);
  for (std::size_t i = 0; i < means.size(); ++i)
    CHECK_AT(i, half_to_double(means[i]) == (i % kSize != 0 ? 0 : i < 2 * kSize ? 4 : 12));
  CHECK(calibration::mean_keys(keys, ElementFormat::bf16)[0] == double_to_bfloat16(4));

  for (const bool per_head : {false, true}) {
    CASE(per_head);
    Request request = request_for(keys);
    request.per_head = per_head;
    const Calibration calibration = choose(keys, request);
    CHECK(calibration.norm_ratio == doctest::Approx(3));
    CHECK(calibration.centered_norm_ratio == doctest::Approx(3));
    const Choice& last = calibration.choices.back();
    CHECK(last.mean_norm == doctest::Approx(15));
    CHECK(last.centered_norm == doctest::Approx(9));
    CHECK(last.center_share == doctest::Approx(0.8));
  }
}

TEST_CASE("a center is the mean, rounded to the element format") {
  Keys keys = empty_keys(2, 2, 33);
  keys.values = test::gaussian(keys.values.size(), 9);
  for (const ElementFormat format : {ElementFormat::fp16, ElementFormat::bf16}) {
    CASE(format);
    const auto means = calibration::mean_keys(keys, format);
    for (std::size_t i = 0; i < means.size(); ++i) {
      CASE(i);
      double sum = 0;
      for (std::size_t t = 0; t < 33; ++t)
        sum += double{keys.of(i / kSize / 2, i / kSize % 2)[t * kSize + i % kSize]};
      CHECK(means[i] == double_to_element(sum / 33, format));
    }
  }
}

TEST_CASE("the paper's advice") {
  using calibration::Advice;
  CHECK(calibration::advice(1) == Advice::default_signs);
  CHECK(calibration::advice(1.999) == Advice::default_signs);
  CHECK(calibration::advice(2) == Advice::neither);
  CHECK(calibration::advice(5) == Advice::neither);
  CHECK(calibration::advice(5.001) == Advice::calibrate);
}

TEST_CASE("any number of threads gives the same results") {
  Keys keys = empty_keys(2, 2, 50);
  keys.values = test::gaussian(keys.values.size(), 21);
  const Request request = request_for(keys);
  const Calibration one = choose(keys, request, 1);
  for (const std::size_t threads : {2, 3, 7}) {
    CASE(threads);
    const Calibration many = choose(keys, request, threads);
    CHECK_SAME(many.signs, one.signs);
    for (std::size_t i = 0; i < one.choices.size(); ++i) {
      CASE(i);
      CHECK(many.choices[i].mean_error == one.choices[i].mean_error);
      CHECK(many.choices[i].best_error == one.choices[i].best_error);
    }
  }
}

TEST_CASE("keys without a direction are rejected") {
  Keys keys = empty_keys(2, 2, 4);
  std::fill_n(keys.values.begin(), keys.values.size() / 2, 1.0F);
  CHECK(test::message([&] { choose(keys, request_for(keys)); }) ==
        "layer 1: all keys are zero; there is nothing to choose signs by");
  Request request = request_for(keys);
  request.center = calibration::mean_keys(keys, ElementFormat::fp16);
  request.per_head = true;
  CHECK(test::message([&] { choose(keys, request); }) ==
        "layer 0, KV head 0: all keys equal the center; there is nothing to choose signs by");
}

}  // namespace
