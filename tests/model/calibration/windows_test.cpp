#include "axelram/calibration/windows.hpp"

#include <numeric>
#include <utility>

#include "check.hpp"
#include "files/support.hpp"

using namespace axelram;
using namespace calibration;
using Places = std::vector<std::pair<int, std::size_t>>;

namespace {

/// Ids equal to their positions.
tokens::TokenText counting(std::size_t rows, std::size_t columns) {
  tokens::TokenText text;
  text.rows = rows;
  text.columns = columns;
  text.ids.resize(rows * columns);
  std::iota(text.ids.begin(), text.ids.end(), 0);
  return text;
}

/// First id and length of each.
Places places(const std::vector<transformer::Sequence>& windows) {
  Places result;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    CASE(w);
    CHECK(windows[w].number == w);
    result.emplace_back(windows[w].ids.front(), windows[w].ids.size());
  }
  return result;
}

TEST_CASE("consecutive windows cover the first tokens once and stay inside rows") {
  const tokens::TokenText text = counting(1, 100);
  CHECK_SAME(places(consecutive_windows(text, 100, 40)), Places{{0, 40}, {40, 40}, {80, 20}});
  CHECK_SAME(places(consecutive_windows(text, 40, 40)), Places{{0, 40}});
  CHECK_SAME(places(consecutive_windows(text, 41, 40)), Places{{0, 40}, {40, 1}});
  CHECK_SAME(places(consecutive_windows(text, 3, 40)), Places{{0, 3}});
  const tokens::TokenText rows = counting(3, 10);
  CHECK_SAME(places(consecutive_windows(rows, 25, 6)),
             Places{{0, 6}, {6, 4}, {10, 6}, {16, 4}, {20, 5}});
  CHECK(test::contains(test::message([&] { consecutive_windows(text, 101, 40); }),
                       "100 tokens; fewer than the 101 asked for"));
}

TEST_CASE("spread windows are whole, without overlap and at equal distances") {
  const tokens::TokenText text = counting(1, 109);  // 10 windows of 10
  CHECK_SAME(places(spread_windows(text, 1, 10)), Places{{0, 10}});
  CHECK_SAME(places(spread_windows(text, 4, 10)), Places{{0, 10}, {20, 10}, {50, 10}, {70, 10}});
  CHECK_SAME(places(spread_windows(text, 10, 10)).back(), std::pair<int, std::size_t>{90, 10});
  CHECK(test::contains(test::message([&] { spread_windows(text, 11, 10); }),
                       "109 tokens, 10 whole windows of 10; 11 samples need as many"));
  CHECK(test::contains(test::message([&] { spread_windows(text, 1, 110); }), "0 whole windows"));
  const tokens::TokenText rows = counting(3, 25);  // 2 windows of 10 in each
  CHECK_SAME(places(spread_windows(rows, 3, 10)), Places{{0, 10}, {25, 10}, {50, 10}});
  CHECK_SAME(places(spread_windows(rows, 6, 10)),
             Places{{0, 10}, {10, 10}, {25, 10}, {35, 10}, {50, 10}, {60, 10}});
}

TEST_CASE("a window has 256 tokens, or what the model takes") {
  checkpoints::Architecture architecture;
  architecture.max_positions = 2048;
  CHECK(calibration::default_window(architecture) == 256);
  architecture.max_positions = 64;
  CHECK(calibration::default_window(architecture) == 64);
}

}  // namespace
