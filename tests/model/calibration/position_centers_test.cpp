#include "axelram/calibration/position_centers.hpp"

#include "axelram/transformer/rotary_table.hpp"
#include "check.hpp"

using namespace axelram;

namespace {

constexpr std::size_t kDim = 32, kWindow = 40, kWindows = 3, kLayers = 2, kHeads = 2;

float center(std::size_t layer, std::size_t head, std::size_t channel) {
  return static_cast<float>(layer * 100 + head * 50 + channel) / 16 - 5;
}

}  // namespace

TEST_CASE("centers of positions: keys turned from one vector give that vector") {
  for (const auto positions :
       {checkpoints::Positions::rotary_halves, checkpoints::Positions::rotary_interleaved,
        checkpoints::Positions::learned}) {
    CASE(positions);
    checkpoints::Architecture a;
    a.positions = positions;
    const bool learned = positions == checkpoints::Positions::learned;
    const bool interleaved = positions == checkpoints::Positions::rotary_interleaved;
    for (std::size_t i = 0; i < kDim / 2 && !learned; ++i) {
      a.rotary.frequencies.push_back(1.0 / static_cast<double>(i + 1));
      a.local_rotary.frequencies.push_back(0.3 / static_cast<double>(i + 1));
    }
    a.rotary.attention_factor = a.local_rotary.attention_factor = 1;
    a.spans = {0, 16};  // layer 1 has the local embedding
    calibration::Keys keys{kLayers, kHeads, kWindow * kWindows, kDim, {}};
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      const transformer::RotaryTable table(layer == 1 ? a.local_rotary : a.rotary, interleaved,
                                           kWindow);
      for (std::size_t head = 0; head < kHeads; ++head)
        for (std::size_t r = 0; r < keys.rows; ++r) {
          std::vector<float> key(kDim);
          // The errors of two rows of a position, of three windows, cancel out.
          const float error = r / kWindow == 0 ? 0 : r / kWindow == 1 ? 2 : -2;
          for (std::size_t i = 0; i < kDim; ++i) key[i] = center(layer, head, i) + error;
          if (!learned) table.turn(r % kWindow, key.data());
          keys.values.insert(keys.values.end(), key.begin(), key.end());
        }
    }
    const files::PositionCenters all = calibration::position_centers(keys, kWindow, a, 7);
    CHECK(all.block == 7);
    CHECK(all.interleaved == interleaved);
    REQUIRE(all.centers.size() == kLayers * kHeads * kDim);
    REQUIRE(all.frequencies.size() == kLayers * kDim / 2);
    for (std::size_t i = 0; i < all.centers.size(); ++i)
      CHECK_AT(i, all.centers[i] ==
                      doctest::Approx(center(i / kDim / kHeads, i / kDim % kHeads, i % kDim))
                          .epsilon(1e-4));
    for (std::size_t i = 0; i < kDim / 2; ++i) {
      CASE(i);
      const double frequency = learned ? 0 : 1.0 / static_cast<double>(i + 1);
      CHECK(all.frequencies[i] == static_cast<float>(frequency));
      CHECK(all.frequencies[kDim / 2 + i] == doctest::Approx(0.3 * frequency).epsilon(1e-6));
    }
  }
}
