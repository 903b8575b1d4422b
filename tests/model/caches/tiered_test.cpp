#include <algorithm>
#include <cmath>
#include <map>

#include "axelram/caches/tiered_bytes.hpp"
#include "axelram/caches/tiered_run.hpp"
#include "axelram/half.hpp"
#include "axelram/transformer/rotary_table.hpp"
#include "golden/fields.hpp"
#include "support.hpp"
#include "tally.hpp"
#include "tiers/tier_files.hpp"
#include "tiers/tiered_reading.hpp"

using namespace axelram;
using namespace axelram::caches;
using test::Floats;

namespace {

constexpr std::size_t kDim = 64;

/// Constants of tiers of one head, in a file.
const std::string& constants_file(const std::string& rope) {
  static const test::TemporaryFolder folder;
  static std::map<std::string, std::string> made;
  std::string& path = made[rope];
  if (!path.empty()) return path;
  files::TierConstants constants;
  constants.layers = constants.heads = 1;
  constants.d = kDim;
  constants.rope = rope == "pre" ? files::Rope::pre : files::Rope::post;
  constants.outliers = 0.05;
  constants.squat_channels = 32;
  for (int i = 0; i < 32 * 32; ++i)
    constants.squat_matrices.push_back(static_cast<std::int16_t>(i * 37 % 4001 - 2000));
  constants.squat_exponents = {-14};
  constants.key_middles.assign(kDim, 0x3000);  // 0.125
  constants.key_radii.assign(kDim, 0x4000);    // 2
  for (const int bits : {2, 3}) {
    const int levels = 1 << bits;
    for (auto* codebook : {&constants.key_codebooks, &constants.value_codebooks})
      for (int j = 0; j < levels; ++j)
        (*codebook)[static_cast<std::size_t>(bits - 2)].push_back(
            double_to_half((2.0 * j + 1) / levels - 1));
  }
  path = folder / (rope + ".safetensors");
  files::write_tier_constants(path, constants, {}, true);
  return path;
}

/// Any rotation of pairs of channels, position by position.
const transformer::RotaryTable& turning_table() {
  static const transformer::RotaryTable table = [] {
    constexpr std::size_t kPositions = 1200, kPairs = kDim / 2;
    std::vector<float> cosines, sines;
    for (std::size_t i = 0; i < kPositions * kPairs; ++i) {
      const double angle = static_cast<double>(i / kPairs) / static_cast<double>(1 + i % kPairs);
      cosines.push_back(static_cast<float>(std::cos(angle)));
      sines.push_back(static_cast<float>(std::sin(angle)));
    }
    return transformer::RotaryTable(cosines, sines, kPairs, false);
  }();
  return table;
}

/// A cache of one head, by its two halves.
struct Head {
  explicit Head(const std::string& text, const UnitTable& units = fast_units())
      : specification(parse_specification(text)),
        settings{*tiers_of(specification.keys), *tiers_of(specification.values)},
        sources{head_tier_files(settings[0], kDim, {0, 0, false}),
                head_tier_files(settings[1], kDim, {0, 0, true})},
        keys({settings[0], kDim, {0, 0, false}, *sources[0], units}),
        values({settings[1], kDim, {0, 0, true}, *sources[1], units}) {
    if (settings[0].rope == files::Rope::pre) keys.turn_by({&turning_table(), nullptr});
  }

  void write(const Floats& k, const Floats& v, std::size_t first, std::size_t count) {
    keys.write(&k[first * kDim], count);
    values.write(&v[first * kDim], count);
  }

  Specification specification;
  TierSettings settings[2];
  std::unique_ptr<const TierSource> sources[2];
  TieredKeys keys;
  TieredValues values;
};

std::vector<std::string> all_specifications() {
  const std::string records = ",config=d64-b3";
  return {
      "kivi:bits=2",
      "kivi:bits=3,hot=1,step=8,group=8,value_group=8,sink=4",
      "tiered:hot=64,warm=128",
      "tiered:hot=1,warm=1,step=64,group=64,archive_store=kivi3,sink=1",
      "tiered:hot=100,warm=96,archive_store=kivi4",
      "tiered:hot=33,warm=64,warm_store=axelram4,archive_store=axelram2" + records,
      "tiered:hot=40,warm=32,warm_store=axelram3,archive_store=axelram3,sink=16" + records,
      "keys=tiered:hot=1,warm=0,step=32;values=tiered:hot=33,warm=0,step=1",
      "tiered:hot=20,warm=64,archive_store=squat2,calibration=" + constants_file("post"),
      "tiered:hot=20,warm=0,archive_store=kvquant3,calibration=" + constants_file("post"),
      "tiered:hot=9,warm=96,archive_store=kvquant2,rope=pre,calibration=" + constants_file("pre"),
      "tiered:hot=9,warm=96,archive_store=auto,rope=pre,calibration=" + constants_file("pre")};
}

}  // namespace

TEST_CASE("live bytes are those of the formula at every number of tokens") {
  constexpr std::size_t kTokens = 1200;
  const Floats k = test::gaussian(kTokens * kDim, 1), v = test::gaussian(kTokens * kDim, 2);
  for (const std::string& text : all_specifications()) {
    CASE(text);
    Head head(text);
    for (std::size_t n = 1; n <= kTokens; ++n) {
      CASE(n);
      head.write(k, v, n - 1, 1);
      head.keys.settle();
      head.values.settle();
      const auto check = [&](const TieredRows& rows, const TierSettings& settings, TierPart part) {
        const StoreBytes live = rows.live();
        const StoreBytes formula = tiered_store_bytes(settings, part, rows.shape(), n);
        const std::size_t total = live.fp16.total() + live.warm.total() + live.archive.total();
        CASE(n);
        CHECK_SAME(live, formula);
        constexpr std::size_t kPages = 3 * 4096;
        CHECK(rows.allocated() >= total);
        CHECK(rows.allocated() <= total + settings.sizes.step * kDim * 2 + kPages);
      };
      check(head.keys.rows(), head.settings[0], TierPart::keys);
      check(head.values.rows(), head.settings[1], TierPart::values);
    }
  }
}

TEST_CASE("every key that is older than the tail is stored as its block alone") {
  constexpr std::size_t kTokens = 300;
  const Floats k = test::gaussian(kTokens * kDim, 3), v = test::gaussian(kTokens * kDim, 4);
  for (const std::string& text : all_specifications()) {
    CASE(text);
    Head head(text);
    for (std::size_t n = 1; n <= kTokens; ++n) {
      head.write(k, v, n - 1, 1);
      head.keys.settle();
    }
    const TieredRows& rows = head.keys.rows();
    const TierBounds& bounds = rows.bounds();
    const std::size_t sink = rows.sizes().sink, step = rows.sizes().step;
    CHECK(rows.moving().first() == bounds.warm_end - sink);
    CHECK(rows.moving().count() == kTokens - sink);
    CHECK(rows.archived_groups() == (bounds.archive_end - sink) / step);
    if (rows.warm() == nullptr) continue;
    CHECK(rows.first_warm_group() == rows.archived_groups());
    CHECK(rows.warm_groups() == (bounds.warm_end - sink) / step);
  }
}

TEST_CASE("what is allocated is close to what is stored, however few tokens move at once") {
  constexpr std::size_t kTokens = 1200, kSome = 400;
  const Floats k = test::gaussian(kTokens * kDim, 17), v = test::gaussian(kTokens * kDim, 18);
  for (const std::string text :
       {"keys=kivi:bits=2,hot=1,step=32;values=kivi:bits=2,hot=1,step=1",
        "keys=kivi:bits=2,hot=1,step=32;values=kivi:bits=2,hot=33,step=1",
        "kivi:bits=2,hot=1,group=8,step=8", "kivi:bits=2,hot=1", "kivi:bits=4,hot=40,sink=4",
        "tiered:hot=16,warm=64,group=8,step=8", "tiered:hot=32,warm=64",
        "keys=tiered:hot=1,warm=32;values=tiered:hot=7,warm=50,step=1",
        "keys=kivi;values=tiered:hot=5,warm=90,step=1,warm_store=axelram4,archive_store=axelram4,"
        "config=d64-b3"}) {
    CASE(text);
    Head head(text);
    double worst = 0;
    for (std::size_t n = 1; n <= kTokens; ++n) {
      head.write(k, v, n - 1, 1);
      head.keys.settle();
      head.values.settle();
      for (const TieredRows* rows : {&head.keys.rows(), &head.values.rows()})
        if (n >= kSome)
          worst = std::max(worst, static_cast<double>(rows->allocated()) /
                                      static_cast<double>(rows->stored_bytes(n).total()));
    }
    CHECK(worst < 1.15);
  }
}

TEST_CASE("a query meets the tiers of its own token, in whatever order rows come") {
  constexpr std::size_t kTokens = 400;
  const Floats k = test::gaussian(kTokens * kDim, 5), v = test::gaussian(kTokens * kDim, 6);
  const Floats q = test::gaussian(kTokens * kDim, 7);
  const Floats weights = test::causal_weights(kTokens, 8);
  for (const std::string& text : all_specifications()) {
    CASE(text);
    Head whole(text);
    whole.write(k, v, 0, kTokens);
    Floats scores(kTokens * kTokens, 0.0F), sums(kTokens * kDim);
    whole.keys.score(q.data(), kTokens, 0, 0, kTokens, scores.data());
    whole.values.weighted_sum(weights.data(), kTokens, 0, 0, kTokens, sums.data());
    // Each token as it comes, and what it may not see dropped behind it.
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
      CASE(chunk);
      Head steps(text);
      Floats others(kTokens * kTokens, 0.0F), other_sums(kTokens * kDim);
      for (std::size_t first = 0; first < kTokens; first += chunk) {
        const std::size_t count = std::min(chunk, kTokens - first);
        steps.write(k, v, first, count);
        steps.keys.score(&q[first * kDim], count, first, 0, kTokens, &others[first * kTokens]);
        steps.values.weighted_sum(&weights[first * kTokens], count, first, 0, kTokens,
                                  &other_sums[first * kDim]);
        steps.keys.settle();
        steps.values.settle();
      }
      CHECK(test::same_bits(scores, others));
      CHECK(test::same_bits(sums, other_sums));
    }
  }
}

TEST_CASE("an oldest token cuts scores and sums off, and changes no others") {
  constexpr std::size_t kTokens = 300, kOldest = 77, kFirst = 250;
  const Floats k = test::gaussian(kTokens * kDim, 9), v = test::gaussian(kTokens * kDim, 10);
  const Floats q = test::gaussian(kTokens * kDim, 11);
  const float mark = -77;
  for (const std::string& text : all_specifications()) {
    CASE(text);
    Head head(text);
    head.write(k, v, 0, kTokens);
    const std::size_t count = kTokens - kFirst;
    Floats all(count * kTokens, mark), some(count * kTokens, mark);
    head.keys.score(&q[kFirst * kDim], count, kFirst, 0, kTokens, all.data());
    head.keys.score(&q[kFirst * kDim], count, kFirst, kOldest, kTokens, some.data());
    test::Tally wrong;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t t = 0; t < kTokens; ++t) {
        const bool seen = t >= kOldest && t <= kFirst + i;
        COMPARE(wrong, some[i * kTokens + t], seen ? all[i * kTokens + t] : mark, i, t);
        COMPARE(wrong, all[i * kTokens + t] == mark, t > kFirst + i, i, t);
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("scores and sums lie within the bounds of the contract") {
  constexpr std::size_t kTokens = 700;
  Floats k = test::gaussian(kTokens * kDim, 12, 30), v = test::gaussian(kTokens * kDim, 13);
  for (std::size_t t = 0; t < kTokens; ++t) k[t * kDim + 3] += 20000;  // a large channel
  for (const std::string& text : all_specifications()) {
    CASE(text);
    if (text.find("rope=pre") != std::string::npos) continue;  // keys would be turned
    files::TierTrace trace;
    trace.d = kDim;
    for (const float x : k) trace.keys.push_back(double_to_half(x));
    for (const float x : v) trace.values.push_back(double_to_half(x));
    for (const float x : test::gaussian(5 * kDim, 14)) trace.queries.push_back(double_to_half(x));
    trace.query_tokens = {0, 63, 350, 698, 699};
    const files::TierResult result = run_tiers(parse_specification(text), trace);
    const std::size_t last = 4;
    double worst = 0;
    std::vector<double> logits;
    for (std::size_t t = 0; t < kTokens; ++t) {
      double exact = 0, sizes = 0;
      for (std::size_t c = 0; c < kDim; ++c) {
        const double q = half_to_double(trace.queries[last * kDim + c]);
        exact += q * result.keys.decoded[t * kDim + c];
        // A_c is not less than a decoded element.
        sizes += std::fabs(q * result.keys.decoded[t * kDim + c]);
      }
      const bool integer = text.find("axelram") != std::string::npos;
      const double score = result.scores[last * kTokens + t];
      if (!integer) worst = std::max(worst, std::fabs(score - exact) / std::ldexp(sizes, -17));
      logits.push_back(score / std::sqrt(static_cast<double>(kDim)));
    }
    CHECK(worst <= 1);
    const double top = *std::max_element(logits.begin(), logits.end());
    double total = 0;
    for (double& x : logits) total += x = std::exp(x - top);
    for (std::size_t c = 0; c < kDim; ++c) {
      CASE(c);
      double exact = 0, sizes = 0;
      for (std::size_t t = 0; t < kTokens; ++t) {
        const double value = result.values.decoded[t * kDim + c];
        exact += logits[t] / total * value;
        sizes += logits[t] / total * std::fabs(value);
      }
      CHECK(std::fabs(result.outputs[last * kDim + c] - exact) <= std::ldexp(sizes, -14));
    }
  }
}

TEST_CASE("golden and fast units make the same bytes") {
  constexpr std::size_t kTokens = 500;
  files::TierTrace trace;
  trace.d = kDim;
  for (const float x : test::gaussian(kTokens * kDim, 15)) trace.keys.push_back(double_to_half(x));
  for (const float x : test::gaussian(kTokens * kDim, 16))
    trace.values.push_back(double_to_half(x));
  trace.cosines.assign(kTokens * kDim / 2, 1);
  trace.sines.assign(kTokens * kDim / 2, 0);
  for (const std::string& text : all_specifications()) {
    CASE(text);
    const Specification specification = parse_specification(text);
    const files::TierResult fast = run_tiers(specification, trace, fast_units());
    const files::TierResult golden = run_tiers(specification, trace, reference_units());
    CHECK_SAME(fast.keys.archive.data, golden.keys.archive.data);
    CHECK_SAME(fast.keys.warm.data, golden.keys.warm.data);
    CHECK_SAME(fast.values.archive.data, golden.values.archive.data);
    CHECK_SAME(fast.values.warm.data, golden.values.warm.data);
    CHECK_SAME(fast.keys.kinds, golden.keys.kinds);
    CHECK(test::same_bits(fast.keys.decoded, golden.keys.decoded));
    CHECK(test::same_bits(fast.values.decoded, golden.values.decoded));
  }
}

TEST_CASE("no tokens and no queries are a result") {
  files::TierTrace trace;
  trace.d = kDim;
  const files::TierResult result = run_tiers(parse_specification("tiered"), trace);
  CHECK(result.tokens == 0);
  CHECK(result.keys.bounds.empty());
  CHECK(result.bytes_fp16 + result.bytes_warm + result.bytes_archive == 0);
}

TEST_CASE("KIVI's own decoding: tiers of keys and of values at every number of tokens") {
  constexpr std::size_t kResidual = 32, kTokens = 200;
  const Specification kivi =
      parse_specification("keys=kivi:bits=2,hot=1,step=32;values=kivi:bits=2,hot=33,step=1");
  const TierSettings keys = *tiers_of(kivi.keys), values = *tiers_of(kivi.values);
  for (std::size_t n = 1; n <= kTokens; ++n) {
    CASE(n);
    // Keys are quantized when their residual is full, values when theirs has one too many; the
    // token that is decoded is among the residual ones.
    const TierBounds k = tier_bounds_ref(keys.sizes, n), v = tier_bounds_ref(values.sizes, n);
    CHECK(k.archive_end == (n - 1) / kResidual * kResidual);
    CHECK(v.archive_end == (n > kResidual + 1 ? n - kResidual - 1 : 0));
    CHECK((k.warm_end == k.archive_end && v.warm_end == v.archive_end));
  }
}

TEST_CASE("a value that FP16 cannot hold is an error, and nothing is written") {
  Head head("kivi:bits=2");
  Floats rows(3 * kDim, 1.0F);
  rows[2 * kDim + 5] = 65520;
  CHECK_THROWS_WITH_AS(head.keys.write(rows.data(), 3),
                       "key of layer 0, head 0, token 2: element 5 is 65520; FP16 holds numbers up "
                       "to 65504, and tiers begin in FP16; use the cache f32",
                       files::InputError);
  CHECK(head.keys.rows().tokens() == 0);
}

TEST_CASE("tiers that contradict themselves are rejected, and what would be right is said") {
  const auto error = [](const std::string& text) {
    try {
      parse_specification(text);
    } catch (const files::InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto says = [&](const std::string& text, const std::string& part) {
    CASE(text, error(text));
    CHECK(error(text).find(part) != std::string::npos);
  };
  says("kivi:group=64",
       "group=64 does not divide step=32, and a key block moves whole; write step=64");
  says("kivi:step=100", "write step=96");
  says("kivi:step=1073741823", "write step=1073741792");
  says("keys=kivi;values=kivi:group=64,step=1",
       "group is '64', but values have none; leave it out");
  says("keys=tiered:value_group=64;values=fp16",
       "value_group is '64', but keys have none; leave it out");
  CHECK(error("keys=kivi:step=64,group=64;values=kivi:value_group=64,step=1").empty());
  CHECK(error("keys=kivi:value_group=32;values=kivi:group=32").empty());
  says("tiered:warm=0,archive_store=axelram3,config=x,value_group=64",
       "value_group is '64', but no store is kivi or squat; give one that is, or leave it out");
  CHECK(error("tiered:archive_store=axelram3,config=x,value_group=64").empty());
  says("kivi:group=24", "it must be 8, 16, 32, 64, 128 or 256");
  says("tiered:archive_store=auto", "write rope=pre");
  says("tiered:archive_store=squat2", "write calibration=FILE");
  says("tiered:archive_store=auto,rope=pre", "write calibration=FILE");
  says("tiered:archive_store=axelram3", "write config=FILE");
  says("tiered:archive_store=axelram3,rope=pre,config=x", "write rope=post");
  CHECK(error("keys=kivi;values=tiered:archive_store=axelram3,rope=pre,config=x").empty());
  CHECK(error("keys=kivi;values=tiered:archive_store=squat2").empty());
  says("tiered:budget=1000", "tiered has no key 'budget': this version has no rematerialisation");
  says("tiered:adapt=1", "this version has no adaptive thresholds");
  says("kivi:ber=1e-3", "bit errors are not injected into tiers");
  says("kivi:code=golay24", "tiers have no code");
  says("kivi:hot=0", "a whole number of tokens from 1 to 2^30 - 1");
  says("tiered:archive_store=kivi5", "known are kivi2");
  says("tiered:warm_store=kivi2", "known are kivi4");
}

TEST_CASE("specifications of tiers are printed in their shortest form") {
  for (const char* text : {"kivi", "kivi:bits=2,hot=1,rope=pre", "tiered",
                           "tiered:hot=32,warm=64,archive_store=kvquant3,rope=pre,calibration=x,"
                           "qnorm=1",
                           "keys=kivi:bits=2;values=kivi:bits=3"})
    CHECK_AT(text, to_string(parse_specification(text)) == text);
  CHECK(to_string(parse_specification("tiered:hot=64,warm_store=kivi4")) == "tiered");
}
