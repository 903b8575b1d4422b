#include "axelram/calibration/tiers.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "axelram/half.hpp"
#include "axelram/kivi.hpp"
#include "axelram/nuq_codebook.hpp"
#include "check.hpp"
#include "files/support.hpp"

using namespace axelram;
using namespace calibration;

namespace {

TierRows random_rows(std::size_t count, unsigned seed) {
  TierRows rows;
  rows.rope = files::Rope::pre;
  rows.layers = 2, rows.heads = 2, rows.rows = count, rows.d = 32;
  std::mt19937_64 rng(seed);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < 4 * count * 32; ++i) {
    rows.keys.push_back(double_to_half(normal(rng) * (1 + static_cast<double>(i % 5)) + 0.3));
    rows.values.push_back(double_to_half(normal(rng)));
  }
  for (std::size_t pair = 0; pair < 4; ++pair) {
    std::vector<double> direction(32);
    for (double& element : direction) element = 3 * normal(rng);
    for (std::size_t i = 0; i < 32; ++i)
      for (std::size_t j = 0; j < 32; ++j)
        rows.moments.push_back(direction[i] * direction[j] + (i == j ? 0.5 : 0));
  }
  return rows;
}

/// y and weights of a layer, in the order of the contract.
struct Elements {
  std::vector<double> y, weights;
};

Elements elements_of(const TierRows& rows, const CalibratedTiers& all, std::size_t layer,
                     bool values, const std::vector<float>* weights) {
  Elements elements;
  const NuqLayout layout{2, rows.d, nuq_outlier_count(all.constants.outliers, rows.d), values};
  for (std::size_t t = 0; t < rows.rows; ++t)
    for (std::size_t head = 0; head < rows.heads; ++head) {
      const auto& all_rows = values ? rows.values : rows.keys;
      const std::uint16_t* const x = rows.of(all_rows, layer, head) + t * rows.d;
      const NuqRow row = values ? nuq_value_ref(layout, x)
                                : nuq_key_ref(layout, all.constants.ranges(layer, head), x);
      for (std::size_t i = 0; i < rows.d; ++i) {
        if (row.radii[i] == 0 || std::abs(row.y[i]) > 1) continue;
        elements.y.push_back(row.y[i]);
        elements.weights.push_back(
            weights == nullptr
                ? 1
                : double{(*weights)[((layer * rows.rows + t) * rows.heads + head) * rows.d + i]});
      }
    }
  return elements;
}

}  // namespace

TEST_CASE("tiers: constants are those of the units, whatever the number of workers") {
  const TierRows rows = random_rows(96, 161);
  TierOptions options;
  options.outliers = 0.05;
  options.squat = {0.25, 20, 8};
  ElementWeights weights;
  std::mt19937_64 rng(162);
  std::uniform_real_distribution<float> uniform(0, 2);
  for (std::size_t i = 0; i < rows.keys.size(); ++i) {
    weights.keys.push_back(uniform(rng));
    weights.values.push_back(uniform(rng));
  }
  for (const ElementWeights* const used : {static_cast<const ElementWeights*>(nullptr),
                                           static_cast<const ElementWeights*>(&weights)}) {
    CASE(used);
    transformer::Workers one(1), three(3);
    std::size_t told = 0;
    const CalibratedTiers all = calibration::calibrate_tiers(rows, options, used, three,
                                                             [&](std::size_t done, std::size_t of) {
                                                               CHECK(done == ++told);
                                                               CHECK(of == 8);
                                                             });
    CHECK(told == 8);
    const files::TierConstants& c = all.constants;
    CHECK(c.rope == files::Rope::pre);
    CHECK(c.outliers == 0.05);
    CHECK(c.squat_channels == 8);
    for (std::size_t layer = 0; layer < 2; ++layer) {
      CASE(layer);
      for (std::size_t head = 0; head < 2; ++head) {
        CASE(head);
        const SquatFeedback right =
            calibration::squat_feedback(rows.moment(layer, head), 32, options.squat);
        CHECK_SAME(c.feedback(layer, head).matrices, right.matrices);
        CHECK_SAME(c.feedback(layer, head).exponents, right.exponents);
        CHECK_SAME(all.heads[layer * 2 + head].exponents, right.exponents);
        for (std::size_t i = 0; i < 32; ++i) {
          CASE(i);
          std::vector<std::uint16_t> channel;
          for (std::size_t t = 0; t < 96; ++t)
            channel.push_back(rows.of(rows.keys, layer, head)[t * 32 + i]);
          const NuqRange range = nuq_range_ref(channel, 0.05);
          CHECK(c.ranges(layer, head).middles[i] == range.middle);
          CHECK(c.ranges(layer, head).radii[i] == range.radius);
        }
      }
      for (const bool values : {false, true}) {
        CASE(values);
        const std::vector<float>* const of_part = used == nullptr ? nullptr
                                                  : values        ? &used->values
                                                                  : &used->keys;
        const Elements elements = elements_of(rows, all, layer, values, of_part);
        NuqHistogram histogram;
        for (std::size_t i = 0; i < elements.y.size(); ++i)
          histogram.add(elements.y[i], elements.weights[i]);
        for (int bits = 2; bits <= 4; ++bits) {
          CASE(bits);
          const auto centroids = nuq_centroids_ref(histogram, nuq_runs_ref(histogram, bits));
          const NuqCodebook book =
              values ? c.value_codebook(layer, bits, true) : c.key_codebook(layer, bits, true);
          CHECK_SAME(book.centroids, centroids);
          NuqNorm norm(centroids);
          for (std::size_t i = 0; i < elements.y.size(); ++i)
            norm.add(elements.y[i], elements.weights[i]);
          CHECK_SAME(book.levels, norm.levels());
          // Figures: errors by their definition.
          const auto& told_of = values ? all.layers[layer].values : all.layers[layer].keys;
          const calibration::CodebookFigures& figures = told_of[static_cast<std::size_t>(bits - 2)];
          CHECK(figures.bits == bits);
          const auto boundaries = nuq_boundaries_ref(centroids);
          double weight = 0, error = 0, normed = 0;
          for (std::size_t i = 0; i < elements.y.size(); ++i) {
            const auto index = static_cast<std::size_t>(nuq_index_ref(boundaries, elements.y[i]));
            const double off = elements.y[i] - half_to_double(centroids[index]),
                         off_level = elements.y[i] - half_to_double(book.levels[index]);
            weight += elements.weights[i];
            error += elements.weights[i] * off * off;
            normed += elements.weights[i] * off_level * off_level;
          }
          CHECK(figures.error == doctest::Approx(error / weight).epsilon(1e-12));
          CHECK(figures.levels == doctest::Approx(normed / weight).epsilon(1e-12));
          CHECK(figures.cost == doctest::Approx(figures.error).epsilon(0.02));
        }
      }
    }
    const CalibratedTiers again = calibration::calibrate_tiers(rows, options, used, one);
    CHECK_SAME(again.constants.squat_matrices, c.squat_matrices);
    CHECK_SAME(again.constants.key_codebooks, c.key_codebooks);
    CHECK_SAME(again.constants.value_levels, c.value_levels);
  }
}

TEST_CASE("tiers: errors of scores are those of blocks as they decode") {
  const TierRows rows = random_rows(70, 163);
  TierOptions options;
  options.squat = {0.5, 32, 8};
  transformer::Workers workers(2);
  const CalibratedTiers all = calibration::calibrate_tiers(rows, options, nullptr, workers);
  const KiviLayout layout = kivi_key_layout(2, 32, 32);
  for (std::size_t pair = 0; pair < 4; ++pair) {
    CASE(pair);
    const std::size_t layer = pair / 2, head = pair % 2;
    const double* const c = rows.moment(layer, head);
    double kivi = 0, squat = 0, square = 0;
    const auto product = [&](const std::vector<double>& e) {
      double sum = 0;
      for (std::size_t i = 0; i < 32; ++i)
        for (std::size_t j = 0; j < 32; ++j) sum += e[i] * c[i * 32 + j] * e[j];
      return sum;
    };
    for (std::size_t block = 0; block < 2; ++block) {
      const std::uint16_t* const x = rows.of(rows.keys, layer, head) + block * 32 * 32;
      std::vector<std::uint8_t> plain(layout.bytes()), fed(layout.bytes());
      encode_kivi_ref(layout, x, plain.data());
      encode_squat_ref(layout, all.constants.feedback(layer, head), x, fed.data());
      std::vector<float> decoded(32 * 32), decoded_fed(32 * 32);
      decode_kivi_ref(layout, plain.data(), decoded.data());
      decode_kivi_ref(layout, fed.data(), decoded_fed.data());
      for (std::size_t t = 0; t < 32; ++t) {
        std::vector<double> e(32), f(32), k(32);
        for (std::size_t i = 0; i < 32; ++i) {
          k[i] = half_to_double(x[t * 32 + i]);
          e[i] = double{decoded[t * 32 + i]} - k[i];
          f[i] = double{decoded_fed[t * 32 + i]} - k[i];
        }
        kivi += product(e), squat += product(f), square += product(k);
      }
    }
    CHECK(*all.heads[pair].kivi_error == doctest::Approx(kivi / square).epsilon(1e-9));
    CHECK(*all.heads[pair].squat_error == doctest::Approx(squat / square).epsilon(1e-9));
    CHECK(*all.heads[pair].squat_error < *all.heads[pair].kivi_error);
  }
  const CalibratedTiers few =
      calibration::calibrate_tiers(random_rows(31, 164), options, nullptr, workers);
  CHECK(!few.heads[0].kivi_error);
}

TEST_CASE("tiers: what cannot be calibrated is named") {
  transformer::Workers workers(1);
  TierRows rows = random_rows(40, 165);
  for (std::size_t i = 0; i < rows.values.size() / 2; ++i)
    rows.values[rows.values.size() / 2 + i] = i % 2 == 0 ? 0x3C00 : 0xBC00;
  std::string line =
      test::message([&] { calibration::calibrate_tiers(rows, {}, nullptr, workers); });
  CHECK(test::contains(line, "layer 1, values: the centroids of a KVQuant codebook do not ascend"));
  CHECK(test::contains(line, "; take more samples, or longer windows"));

  // An error of channels before 16 is worth 2^21 as much as one of those behind.
  rows = random_rows(40, 166);
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t j = 0; j < 32; ++j) {
      const double vi = i < 16 ? 1048576 : 1, vj = j < 16 ? 1048576 : 1;
      rows.moments[3 * 32 * 32 + i * 32 + j] = vi * vj;
    }
  TierOptions options;
  options.squat = {0.5, 32, 16};
  line = test::message([&] { calibration::calibrate_tiers(rows, options, nullptr, workers); });
  CHECK(test::contains(line, "layer 1, KV head 1: a matrix of SQuat needs the exponent "));
  CHECK(test::contains(line, "; take a smaller strength of SQuat"));
}

TEST_CASE("tiers: weights are read, and wrong ones named") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "weights";
  TierRows rows = random_rows(3, 167);
  std::vector<float> keys(rows.keys.size()), values(rows.keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<float>(i);
    values[i] = static_cast<float>(2 * i);
  }
  const files::Shape shape = {2, 3, 2, 32};
  const auto write = [&](const files::Shape& of_values) {
    files::write_safetensors(path,
                             {files::view("keys", files::DataType::f32, shape, keys),
                              files::view("values", files::DataType::f32, of_values, values)},
                             {}, true);
  };
  const auto line = [&] {
    return test::message([&] { calibration::read_element_weights(path, rows); });
  };
  write(shape);
  const ElementWeights read = calibration::read_element_weights(path, rows);
  CHECK_SAME(read.keys, keys);
  CHECK_SAME(read.values, values);
  write({2, 2, 3, 32});
  CHECK(line() == path + ": tensor values: shape is [2, 2, 3, 32]; it must be [2, 3, 2, 32]: " +
                      "layers, tokens of all windows, KV heads, channels");
  const std::size_t at = ((1 * 3 + 2) * 2 + 1) * 32 + 7;
  for (const float wrong : {-1.0F, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    CASE(wrong);
    keys[at] = wrong;
    write(shape);
    CHECK(line() == path + ": tensor keys, layer 1, token 2, head 1, channel 7: " +
                        std::to_string(wrong) + "; a weight is finite and not negative");
  }
  files::write_safetensors(path, {files::view("keys", files::DataType::f32, shape, values)}, {},
                           true);
  CHECK(test::contains(line(), "no tensor 'values'"));
}
