#include <cmath>
#include <map>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/files/exponents.hpp"
#include "axelram/files/feedback.hpp"
#include "axelram/files/position_centers.hpp"
#include "axelram/half.hpp"
#include "support.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr std::size_t kD = 64, kTokens = 40;
constexpr caches::Shape kShape{2, 2, 64};
constexpr int kLayer = 1, kHead = 0;
constexpr std::size_t kPlace = 2;  // of kLayer and kHead among the heads

files::HeadRows<std::int8_t> exponents(int shift = 0) {
  files::HeadRows<std::int8_t> rows{2, 2, kD, {}};
  for (int i = 0; i < 4 * static_cast<int>(kD); ++i)
    rows.values.push_back(static_cast<std::int8_t>((i * 5 + i / 64 + shift) % 16 - 8));
  return rows;
}

/// Multiples of 1/8 without 0, so that FP16 holds them times every power.
Floats eighths(unsigned seed) {
  Floats rows = test::gaussian(kTokens * kD, seed);
  for (float& x : rows) x = (std::round(std::abs(x) * 8) + 1) / (x < 0 ? -8.0F : 8.0F);
  return rows;
}

/// Rows times 2^(sign * exponent) of kLayer and kHead.
Floats scaled(Floats rows, const files::HeadRows<std::int8_t>& by, int sign) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = std::ldexp(rows[i], sign * by.values[kPlace * kD + i % kD]);
  return rows;
}

Floats scores(const std::string& cache, const Floats& rows, const Floats& queries) {
  return test::all_scores(*test::cache(cache, kShape)->keys(kLayer, kHead), rows, queries, kD);
}

/// A folder with exponents, constants for balanced keys and queries, and configurations.
struct Files {
  Files() {
    files::write_exponents(folder / "balance", exponents(), {}, false);
    files::write_exponents(folder / "other", exponents(1), {}, false);
    files::add_balance(files::exponents_digest(exponents()), &made_for);
    for (const auto& [name, metadata] :
         std::map<std::string, files::Metadata>{{"plain", {}}, {"balanced", made_for}}) {
      files::write_safetensors(folder / "center-" + name,
                               {files::view("center", files::DataType::f16, {2, 2, kD}, center())},
                               metadata, false);
      files::write_query_moments(folder / "moments-" + name, moments(), metadata, false);
    }
  }
  static const std::vector<std::uint16_t>& center() {
    static const std::vector<std::uint16_t> all = [] {
      std::vector<std::uint16_t> elements;
      for (const float x : test::gaussian(4 * kD, 9, 2))
        elements.push_back(double_to_half(double{x}));
      return elements;
    }();
    return all;
  }
  static files::QueryMoments moments() {
    files::QueryMoments all{2, 2, kD, Floats(4 * kD, 0.125F), Floats(4, 20), {}};
    return all;
  }
  /// The specification of a configuration with these rotation keys.
  std::string macro(const std::string& rotation, const std::string& more = "") const {
    const std::string path = folder / "macro" + std::to_string(number_++) + ".yaml";
    test::put(path, "macro: {head_dim: 64}\n" +
                        (rotation.empty() ? "" : "rotation: {" + rotation + "}\n") + more);
    return "axelram:config=" + path;
  }

  test::TemporaryFolder folder;
  files::Metadata made_for;

 private:
  mutable int number_ = 0;
};

}  // namespace

TEST_CASE("a cache with balance has the scores of scaled keys and queries") {
  const Files at;
  const Floats rows = eighths(1), queries = eighths(2);
  const Floats keys = scaled(rows, exponents(), -1), asked = scaled(queries, exponents(), 1);
  const std::string option = ",balance=" + at.folder / "balance";
  const std::string unbiased = "quantizer: {scale: unbiased}\n";
  const std::string exact = unbiased + "exact: {first: 2, last: 3}\n";
  for (const std::string& more : {std::string(), exact}) {
    CASE(more);
    const Floats expected = scores(at.macro("", more), keys, asked);
    CHECK(test::same_bits(scores(at.macro("", more) + option, rows, queries), expected));
    CHECK(test::same_bits(scores(at.macro("balance: balance", more), rows, queries), expected));
    CHECK_FALSE(test::same_bits(scores(at.macro("", more), rows, queries), expected));
  }
  // The center and the moments are those of balanced keys and queries.
  CHECK(test::same_bits(scores(at.macro("center: center-balanced") + option, rows, queries),
                        scores(at.macro("center: center-plain"), keys, asked)));
  const auto encoder = [&](const std::string& name) {
    return ",encoder=feedback:" + at.folder / "moments-" + name;
  };
  CHECK(
      test::same_bits(scores(at.macro("", unbiased) + option + encoder("balanced"), rows, queries),
                      scores(at.macro("", unbiased) + encoder("plain"), keys, asked)));
  // Values are not balanced.
  const Floats weights = test::causal_weights(kTokens, 3);
  const auto sums = [&](const std::string& cache) {
    const auto values = test::cache(cache, kShape)->values(kLayer, kHead);
    Floats out(kTokens * kD);
    values->write(rows.data(), kTokens);
    values->weighted_sum(weights.data(), kTokens, 0, 0, kTokens, out.data());
    return out;
  };
  CHECK(test::same_bits(sums(at.macro("") + option), sums(at.macro(""))));
}

TEST_CASE("centers of positions are of keys and queries as they came, before balance") {
  const Files at;
  files::HeadRows<std::int8_t> small = exponents();
  for (std::int8_t& exponent : small.values) exponent = static_cast<std::int8_t>(exponent / 4);
  files::write_exponents(at.folder / "small", small, {}, false);
  files::PositionCenters centers{2, 2, kD, test::gaussian(4 * kD, 21, 3), {}, 8, false};
  centers.frequencies.assign(2 * kD / 2, 0);  // the same center at every position
  files::write_position_centers(at.folder / "centers", centers, {}, false);
  const Floats rows = test::gaussian(kTokens * kD, 31), queries = test::gaussian(kTokens * kD, 32);
  Floats without = rows;
  for (std::size_t i = 0; i < rows.size(); ++i) without[i] -= centers.centers[kPlace * kD + i % kD];
  const Floats measured = scores(at.macro("") + ",centers=" + at.folder / "centers" +
                                     ",balance=" + at.folder / "small",
                                 rows, queries),
               expected =
                   scores(at.macro(""), scaled(without, small, -1), scaled(queries, small, 1));
  std::size_t far = 0;  // elements beside a boundary of FP16's smallest numbers
  for (std::size_t q = 0; q < kTokens; ++q) {
    double product = 0;
    for (std::size_t i = 0; i < kD; ++i)
      product += double{queries[q * kD + i]} * double{centers.centers[kPlace * kD + i]};
    for (std::size_t t = 0; t <= q; ++t)
      far += std::abs(double{measured[q * kTokens + t]} - double{expected[q * kTokens + t]} -
                      product) > 1e-3
                 ? 1
                 : 0;
  }
  CHECK(far <= kTokens);
}

TEST_CASE("channels kept in FP16 lose the center of keys as they came") {
  const Files at;
  const Floats rows = eighths(5), queries = eighths(6);
  const Floats measured = scores(at.macro("center: center-balanced, balance: balance") +
                                     ",exact_channels=" + std::to_string(kD),
                                 rows, queries);
  for (std::size_t q = 1; q < kTokens; ++q) {
    std::vector<double> apart;
    for (std::size_t t = 0; t <= q; ++t) {
      double product = 0;
      for (std::size_t i = 0; i < kD; ++i)
        product += double{queries[q * kD + i]} * double{rows[t * kD + i]};
      apart.push_back(double{measured[q * kTokens + t]} - product);
    }
    for (std::size_t t = 1; t <= q; ++t) {
      CASE(q, t);
      CHECK(std::abs(apart[t] - apart[0]) < 0.05 + 1e-5 * std::abs(apart[0]));
    }
  }
}

TEST_CASE("tiers of records and memories take balance too") {
  const Files at;
  const Floats rows = eighths(7), queries = eighths(8);
  const std::string option = ",balance=" + at.folder / "balance";
  const auto tiers = [&](const std::string& rotation, const std::string& more) {
    const std::string config = at.macro(rotation).substr(std::string("axelram:config=").size());
    return scores(
        "tiered:hot=8,warm=0,step=8,group=8,archive_store=axelram3,config=" + config + more, rows,
        queries);
  };
  CHECK(test::same_bits(tiers("", option), tiers("balance: balance", "")));
  CHECK_FALSE(test::same_bits(tiers("", option), tiers("", "")));

  const auto memory = [&](const std::string& more) {
    const caches::MemorySetup setup(
        *caches::memory_of(caches::parse_specification("memory:sinks=4" + more)), kShape);
    return setup.head(kLayer, kHead).balance;
  };
  CHECK_SAME(memory(option), exponents().row(kLayer, kHead));
  const std::string config = at.macro("").substr(std::string("axelram:").size());
  CHECK_SAME(memory("," + config + option), exponents().row(kLayer, kHead));
  CHECK(memory("").empty());
}

TEST_CASE("balance: what cannot be is refused with what would be right") {
  const Files at;
  const std::string file = at.folder / "balance", option = ",balance=" + file;
  const auto message = [](const std::string& cache) {
    return test::message([&] { test::cache(cache, kShape); });
  };
  const std::string both = at.macro("balance: other");
  CHECK(message(both + option) ==
        both.substr(std::string("axelram:config=").size()) +
            ": rotation has a balance, other, in place of which balance=" + file +
            " would stand; leave one of them out");
  CHECK(test::contains(message(at.macro("") + ",balance=" + at.folder / "none"), "none"));
  files::write_exponents(at.folder / "shape", {1, 2, kD, std::vector<std::int8_t>(2 * kD)}, {},
                         false);
  CHECK(message(at.macro("") + ",balance=" + at.folder / "shape") ==
        at.folder / "shape" +
            ": it has 1 layers of 2 KV heads, the model 2 of 2; use a file made for this model");
  CHECK(message("memory:sinks=4,store=fp16" + option) ==
        "cache memory: balance is of records, and store is fp16; use store=records");
  CHECK(test::contains(message("keys=fp16;values=" + at.macro("") + option),
                       "balance is '" + file + "', but values have none; leave it out"));
  CHECK(test::contains(message("tiered:balance=" + file), "but no store is axelram"));
  CHECK(test::contains(message("kivi:balance=" + file), "kivi has no key 'balance'"));

  // Centers and moments of other keys and queries.
  const auto refused = [&](const std::string& cache, const std::string& name,
                           const std::string& what) {
    CASE(cache);
    CHECK(test::contains(message(cache), at.folder / name + ": made for " + what));
  };
  const std::string unbiased = "quantizer: {scale: unbiased}\n";
  const std::string encoder = ",encoder=feedback:" + at.folder / "moments-";
  const std::string other = ",balance=" + at.folder / "other";
  refused(at.macro("center: center-plain") + option, "center-plain",
          "keys and queries that are not balanced");
  refused(at.macro("center: center-balanced"), "center-balanced",
          "keys and queries that are balanced");
  refused(at.macro("center: center-balanced") + other, "center-balanced",
          "other exponents than those of " + at.folder / "other");
  refused(at.macro("", unbiased) + encoder + "plain" + option, "moments-plain",
          "keys and queries that are not balanced");
  refused(at.macro("", unbiased) + encoder + "balanced", "moments-balanced",
          "keys and queries that are balanced");
  CHECK(message(at.macro("center: center-balanced") + option).empty());
  // Exponents that are all 0 change nothing.
  files::write_exponents(at.folder / "zeros", {2, 2, kD, std::vector<std::int8_t>(4 * kD)}, {},
                         false);
  CHECK(message(at.macro("center: center-plain") + ",balance=" + at.folder / "zeros").empty());
}
