#include "axelram/perplexity/windows.hpp"

#include "check.hpp"

using namespace axelram;
using perplexity::Window;

TEST_CASE("windows: every id but the first is scored once, with as much past as its window has") {
  for (std::size_t tokens = 2; tokens < 40; ++tokens)
    for (std::size_t length = 2; length < 12; ++length)
      for (std::size_t stride = 1; stride < length; ++stride) {
        CASE(tokens, length, stride);
        const auto windows = perplexity::sliding_windows(tokens, length, stride);
        std::size_t next = 1;
        for (std::size_t k = 0; k < windows.size(); ++k) {
          CASE(k);
          const Window& w = windows[k];
          REQUIRE(w.begin == k * stride);
          REQUIRE(w.end == std::min(w.begin + length, tokens));
          REQUIRE(w.scored == next);
          REQUIRE(w.begin < w.scored);
          REQUIRE(w.scored < w.end);
          next = w.end;
        }
        REQUIRE(next == tokens);
      }
}

TEST_CASE("windows: an example by hand") {
  const auto windows = perplexity::sliding_windows(10, 4, 3);
  REQUIRE(windows.size() == 3);
  CHECK(windows[1].begin == 3);
  CHECK(windows[1].scored == 4);
  CHECK(windows[2].begin == 6);
  CHECK(windows[2].end == 10);
}

TEST_CASE("windows: rows of their own") {
  tokens::TokenText text;
  text.ids.resize(12);
  text.rows = 3;
  text.columns = 4;
  text.separate = true;
  const auto windows = perplexity::windows_of(text, 256, 128);
  REQUIRE(windows.size() == 3);
  CHECK(windows[2].begin == 8);
  CHECK(windows[2].scored == 9);
  CHECK(windows[2].end == 12);
}
