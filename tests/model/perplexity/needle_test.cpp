#include "axelram/perplexity/needle.hpp"

#include <cmath>
#include <numeric>

#include "check.hpp"
#include "files/support.hpp"

using namespace axelram;
using perplexity::NeedleText;

namespace {

std::vector<std::int32_t> straws() {
  std::vector<std::int32_t> ids(300);
  std::iota(ids.begin(), ids.end(), 1000);
  return ids;
}

const perplexity::Needle kNeedle{{1, 2, 3}, {4, 5}, {6, 7}};

/// Knows the ids from `first` on, of texts with an even number.
class Half : public perplexity::Predictor {
 public:
  explicit Half(std::int32_t first) : first_(first) {}
  std::size_t caches() const override { return 2; }
  std::vector<std::vector<perplexity::Prediction>> predict(
      std::span<const transformer::Sequence> sequences, std::span<const perplexity::Target> targets,
      std::span<transformer::CacheEvents>, const perplexity::Advance&) override {
    std::vector<std::vector<perplexity::Prediction>> all(2);
    for (std::size_t c = 0; c < 2; ++c)
      for (const perplexity::Target& target : targets) {
        CASE(c, target.row, target.id);
        REQUIRE(sequences[0].ids[target.row + 1] == target.id);
        const bool known = target.id >= first_ && (sequences[0].number + c) % 2 == 0;
        all[c].push_back({known ? 0.5 : 4.0, 0, known ? 0U : 1U});
      }
    return all;
  }

 private:
  std::int32_t first_;
};

}  // namespace

TEST_CASE("needle: length and depth as asked for, and all of the haystack in order") {
  const std::vector<std::int32_t> haystack = straws(), bos = {9};
  for (const std::size_t length : {9, 10, 57, 200})
    for (const double depth : {0.0, 0.25, 0.5, 0.9, 1.0})
      for (const bool with_bos : {false, true}) {
        if (length == 9 && with_bos) continue;
        CASE(with_bos, length, depth);
        const std::size_t begin = with_bos ? 1 : 0, used = length - 7 - begin;
        const NeedleText text = perplexity::plant(
            haystack, kNeedle, length, depth,
            with_bos ? std::span<const std::int32_t>(bos) : std::span<const std::int32_t>());
        REQUIRE(text.ids.size() == length);
        if (with_bos) CHECK(text.ids[0] == 9);
        CHECK(text.fact ==
              begin + static_cast<std::size_t>(std::lround(depth * static_cast<double>(used))));
        CHECK(text.answer == length - 2);
        const auto at = [&](std::size_t place, std::size_t count) {
          const auto first = text.ids.begin() + static_cast<std::ptrdiff_t>(place);
          return std::vector<std::int32_t>(first, first + static_cast<std::ptrdiff_t>(count));
        };
        CHECK_SAME(at(text.fact, 3), kNeedle.fact);
        CHECK_SAME(at(length - 4, 4), std::vector<std::int32_t>{4, 5, 6, 7});
        std::vector<std::int32_t> rest = at(begin, text.fact - begin);
        const std::vector<std::int32_t> behind = at(text.fact + 3, length - 4 - text.fact - 3);
        rest.insert(rest.end(), behind.begin(), behind.end());
        CHECK_SAME(rest, std::vector<std::int32_t>(haystack.begin(),
                                                   haystack.begin() + static_cast<int>(used)));
      }
  CHECK(test::message([&] { perplexity::plant(haystack, kNeedle, 7, 0.5); }) ==
        "a text of 7 tokens has no place for a fact, its question and its answer, which have 7");
}

TEST_CASE("needle: found if every token of the answer is the most likely one") {
  const std::vector<std::int32_t> haystack = straws();
  const std::vector<NeedleText> texts = {perplexity::plant(haystack, kNeedle, 20, 0),
                                         perplexity::plant(haystack, kNeedle, 30, 1)};
  std::size_t done = 0;
  Half all(6);
  const auto scores =
      perplexity::find_needles(all, texts, [&](std::size_t texts_done) { done = texts_done; });
  CHECK(done == 2);
  REQUIRE(scores.size() == 2);
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t k = 0; k < 2; ++k) {
      CASE(c, k);
      CHECK(scores[c][k].found == ((c + k) % 2 == 0));
      CHECK(scores[c][k].nll == ((c + k) % 2 == 0 ? 0.5 : 4.0));
    }
  Half one(7);  // the last token alone
  const auto part = perplexity::find_needles(one, texts);
  CHECK_FALSE(part[0][0].found);
  CHECK(part[0][0].nll == doctest::Approx(2.25));
}
