#include "axelram/datapath.hpp"

#include <stdexcept>

#include "axelram/fast.hpp"
#include "axelram/macro.hpp"
#include "check.hpp"
#include "fast_inputs.hpp"

using namespace axelram;
using namespace fast_test;

TEST_CASE("a datapath used again and again gives what a new macro gives") {
  Random random(41);
  for (const UnitTable* const units : {&fast_units(), &reference_units()})
    for (const bool centered : {false, true}) {
      CASE(units, centered);
      Parameters p{.head_dim = 64, .centered = centered};
      const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
      const auto sign_vector = signs(random, p.head_dim);
      const auto center_vector =
          centered ? vector(random, Kind::gaussian_like, p.element_format, p.head_dim)
                   : std::vector<std::uint16_t>{};
      Datapath path(p, rom, sign_vector, center_vector, *units);
      KeyResult key;
      QueryResult query;
      for (int i = 0; i < 30; ++i) {
        CASE(i);
        auto x = vector(random, Kind::gaussian_like, p.element_format, p.head_dim);
        const auto q = vector(random, Kind::gaussian_like, p.element_format, p.head_dim);
        if (i % 7 == 3) x[5] = infinity(p.element_format);
        Macro macro(p, sign_vector, center_vector, 1);
        const KeyResult written = macro.write(x.data());
        CHECK(path.write(x.data(), &key) == (written.status == KeyStatus::stored));
        CHECK(key.status == written.status);
        CHECK_SAME(key.record, written.record);
        CHECK(key.root == written.root);
        if (macro.size() == 0) continue;
        const QueryResult scored = macro.query(q.data());
        REQUIRE(path.round(q.data(), &query));
        CHECK_SAME(query.u, scored.u);
        CHECK(query.exponent == scored.exponent);
        float score = 0;
        path.score(query, key.record.data(), 1, &score);
        CHECK(test::Bitwise(score) == test::Bitwise(scored.scores[0]));
        std::int64_t acc = 0;
        path.score(query, key.record.data(), 1, &score, &acc);
        CHECK(acc == scored.acc[0]);
      }
    }
}

TEST_CASE("a datapath of wrong sizes is rejected") {
  const Parameters p;
  const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
  const std::vector<std::int8_t> ones(128, 1);
  CHECK_THROWS_AS(Datapath(p, rom, std::vector<std::int8_t>(64, 1), {}), std::invalid_argument);
  CHECK_THROWS_AS(Datapath(p, rom, std::vector<std::int8_t>(128, 2), {}), std::invalid_argument);
  CHECK_THROWS_AS(Datapath(p, rom, ones, std::vector<std::uint16_t>(128)), std::invalid_argument);
}
