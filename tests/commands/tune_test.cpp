#include "axelram/commands/tune.hpp"

#include <filesystem>
#include <map>

#include "axelram/files/errors.hpp"
#include "check.hpp"
#include "files/support.hpp"
#include "model/drawn_model.hpp"
#include "tune/choice.hpp"
#include "tune/unfinished_folder.hpp"

using namespace axelram;
using namespace axelram::commands;
using namespace axelram::commands::tunes;

namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> bytes_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files[entry.path().filename().string()] = test::content(entry.path().string());
  return files;
}

struct Ended {};

/// A drawn model and a text.
struct Place {
  Place() {
    test::DrawnModel{"qwen2", {}, 1, 120}.write(folder / "m");
    std::string text;
    for (int i = 0; i < 9; ++i) text += "Nothing is quantized twice, and nothing is lost.\n";
    test::put(folder / "text", text);
    options.model.model = folder / "m";
    options.model.text = folder / "text";
    options.model.threads = 1;
    options.window = 40;
    options.samples = 3;
    options.windows = 2;
  }

  /// Ends in the step of this number.
  void end_in(std::size_t step) const {
    std::size_t at = 0;
    tune(options, [&](const Step&) {
      if (at++ == step) throw Ended();
    });
  }

  test::TemporaryFolder folder;
  TuneOptions options;
};

TuneCandidate candidate(double kl) {
  TuneCandidate one;
  one.scores.kl = kl;
  return one;
}

/// Keys of 3 bits, in all ways that need no exponents.
std::vector<Recipe> recipes() {
  std::vector<Recipe> all;
  for (const Way& way : key_ways())
    if (!way.balance) all.push_back({Half{false, &way, 3}, {}});
  return all;
}

std::string chosen_of(const std::vector<double>& kls) {
  const std::vector<Recipe> all = recipes();
  TuneResult result;
  for (std::size_t i = 0; i < all.size(); ++i)
    result.candidates.push_back(candidate(i < kls.size() ? kls[i] : 9));
  choose(all, 0, &result);
  CHECK(result.candidates[result.chosen].chosen);
  CHECK(all[result.plain].plain());
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK_AT(i, result.candidates[i].rejected.empty() == (i == result.chosen));
  return all[result.chosen].name();
}

}  // namespace

TEST_CASE("tune: a run that was ended goes on to the same bytes") {
  Place place;
  place.options.output = place.folder / "whole";
  CHECK_FALSE(tune(place.options).resumed);
  const auto whole = bytes_of(place.options.output);
  bool ended = true;
  for (std::size_t step = 0; ended; step += 1 + step / 3) {
    CASE(step);
    place.options.output = place.folder / ("d" + std::to_string(step));
    try {
      place.end_in(step);
      ended = false;
    } catch (const Ended&) {
      CHECK_FALSE(fs::exists(place.options.output));
      CHECK(fs::exists(place.options.output + ".unfinished/plan.json"));
      CHECK(tune(place.options).resumed);
    }
    CHECK_SAME(bytes_of(place.options.output), whole);
    CHECK_FALSE(fs::exists(place.options.output + ".unfinished"));
  }
}

TEST_CASE("tune: what an ended run left is used, and done again where it is damaged") {
  Place place;
  place.options.output = place.folder / "d";
  REQUIRE_THROWS_AS(tune(place.options, {}, [](const TuneResult&) { throw Ended(); }), Ended);
  const std::string left = place.folder / "d.unfinished";
  const std::string window = left + "/both halves-1.done.json";
  REQUIRE(fs::exists(window));
  std::size_t steps = 0;
  const auto count = [&](const Step&) { ++steps; };
  fs::copy(left, place.folder / "copy.unfinished");
  tune(place.options, count);
  CHECK(steps == 0);  // nothing was left to do
  const auto whole = bytes_of(place.options.output);

  place.options.output = place.folder / "copy";
  const std::string copy = place.folder / "copy.unfinished/";
  for (const char* damaged : {"both halves-1.done.json", "calibration.done.json"})
    test::put(copy + damaged, "{\"fp16\": 3");
  test::put(copy + "one half-0.done.json", "{}");
  fs::remove(copy + "feedback.safetensors");
  tune(place.options, count);
  CHECK(steps > 0);
  CHECK_SAME(bytes_of(place.options.output), whole);
}

TEST_CASE("tune: an ended run of other arguments") {
  Place place;
  place.options.output = place.folder / "d";
  CHECK_THROWS_AS(place.end_in(3), Ended);
  place.options.bits = 2;
  const std::string left = place.folder / "d.unfinished";
  CHECK(test::message([&] { tune(place.options); }) ==
        left +
            ": left by a run that differs: --bits is null there and 2 here; give the same "
            "arguments to go on, --force to begin anew, or another -o");
  place.options.force = true;
  CHECK_FALSE(tune(place.options).resumed);
}

TEST_CASE("tune: the simplest of those near the least divergence is taken") {
  // Order: plain, records, center, positions-feedback, center-feedback, positions-full.
  CHECK(chosen_of({1, 0.5, 0.1, 0.01, 0.02, 0.03}) == "keys-3-positions-feedback");
  CHECK(chosen_of({1, 0.5, 0.1, 0.0102, 0.01}) == "keys-3-positions-feedback");
  CHECK(chosen_of({1, 0.5, 0.1, 0.0104, 0.01}) == "keys-3-center-feedback");
  CHECK(chosen_of({1, 0.01, 0.01, 0.01}) == "keys-3-records");
  CHECK(chosen_of({0.00099, 0.0001}) == "keys-3-plain");
  CHECK(chosen_of({0.00101, 0.0001}) == "keys-3-records");
}

TEST_CASE("tune: widths that fit in bytes") {
  checkpoints::Architecture a;
  a.layers = 1;
  a.kv_heads = 1;
  a.head_dim = 32;  // records of 10, 14 and 18 bytes
  TuneOptions options;
  const auto widths = [&](std::uint64_t bytes) {
    options.bytes = bytes;
    std::string text;
    for (const TuneWidths& one : widths_of(options, a))
      text += std::to_string(one.keys) + std::to_string(one.values) + " ";
    return text;
  };
  CHECK(widths(0) == "33 ");
  CHECK(widths(36) == "44 ");
  CHECK(widths(35) == "34 43 ");
  CHECK(widths(31) == "24 33 42 ");
  CHECK(widths(27) == "23 32 ");
  CHECK(widths(20) == "22 ");
  options.part = TunePart::keys;
  CHECK(widths(64 + 14) == "30 ");
  options.part = TunePart::values;
  CHECK(widths(64 + 18) == "04 ");
}
