#include "axelram/feedback.hpp"

#include "axelram/files/feedback.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/half.hpp"
#include "axelram/macro.hpp"
#include "axelram/signs.hpp"
#include "support.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr std::size_t kD = 64, kTokens = 40;
constexpr caches::Shape kShape{2, 2, 64};
constexpr int kLayer = 1, kHead = 0;

/// Rank 1 for the heads of kShape.
files::QueryMoments moments(float alpha) {
  files::QueryMoments all{2, 2, kD, {}, std::vector<float>(4, alpha), {}};
  for (unsigned head = 0; head < 4; ++head) {
    Floats direction = test::gaussian(kD, head);
    float square = 0;
    for (const float element : direction) square += element * element;
    for (const float element : direction) all.directions.push_back(element / std::sqrt(square));
  }
  return all;
}

Floats scores_of(const std::string& specification, const Floats& rows, const Floats& queries) {
  return test::all_scores(*test::cache(specification, kShape)->keys(kLayer, kHead), rows, queries,
                          kD);
}

std::vector<std::uint16_t> halves(const Floats& rows, std::size_t token) {
  std::vector<std::uint16_t> row;
  for (std::size_t i = 0; i < kD; ++i) row.push_back(double_to_half(double{rows[token * kD + i]}));
  return row;
}

}  // namespace

TEST_CASE("keys of an encoder with feedback are records of a macro") {
  const test::TemporaryFolder folder;
  const Floats rows = test::gaussian(kTokens * kD, 11), queries = test::gaussian(kTokens * kD, 12);
  const files::QueryMoments known = moments(30);
  files::write_query_moments(folder / "moments", known, {}, false);
  for (const std::string kind : {"mse", "trellis"}) {
    CASE(kind);
    const std::string path = folder / kind + ".yaml";
    test::put(path, "macro: {head_dim: 64}\nquantizer: {kind: " + kind + ", scale: unbiased}\n");
    const std::string plain = "axelram:config=" + path + ",seed=7";
    const Floats scores =
        scores_of(plain + ",encoder=feedback:" + folder / "moments", rows, queries);
    CHECK(!test::same_bits(scores, scores_of(plain, rows, queries)));

    Parameters p = files::read_config(path).parameters;
    std::vector<std::int8_t> signs(kD);
    sign_vector(7, kLayer, kHead, kD, signs.data());
    Datapath encoder(p, std::make_shared<const CodebookRom>(codebook_rom(p)), signs, {});
    encoder.set_feedback(feedback_of(known.at(kLayer, kHead), signs.data(), kD));
    Macro macro(p, signs, {}, kTokens);
    KeyResult written;
    for (std::size_t t = 0; t < kTokens; ++t) {
      CASE(t);
      encoder.write(halves(rows, t).data(), &written);
      macro.write_record(written.record.data());
      const QueryResult result = macro.query(halves(queries, t).data());
      for (std::size_t key = 0; key <= t; ++key)
        CHECK_AT(key, scores[t * kTokens + key] ==
                          static_cast<float>(double{result.scores[key]} * macro.rom().score_scale));
    }

    // Nothing fed back: as the hardware encodes.
    files::write_query_moments(folder / "none", moments(0), {}, true);
    CHECK(test::same_bits(scores_of(plain + ",encoder=feedback:" + folder / "none", rows, queries),
                          scores_of(plain, rows, queries)));
  }
}

TEST_CASE("values and copies are the same with an encoder") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "exact.yaml";
  test::put(path,
            "macro: {head_dim: 64}\nquantizer: {scale: unbiased}\nexact: {first: 1, last: 64}\n");
  files::write_query_moments(folder / "moments", moments(30), {}, false);
  const std::string plain = "axelram:config=" + path,
                    fed = plain + ",encoder=feedback:" + folder / "moments";
  const Floats rows = test::gaussian(kTokens * kD, 13), queries = test::gaussian(kTokens * kD, 14);
  CHECK(test::same_bits(scores_of(plain, rows, queries), scores_of(fed, rows, queries)));
  const auto sums = [&](const std::string& specification) {
    const auto values = test::cache(specification, kShape)->values(kLayer, kHead);
    values->write(rows.data(), kTokens);
    Floats out(kTokens * kD);
    values->weighted_sum(test::causal_weights(kTokens, 3).data(), kTokens, 0, 0, kTokens,
                         out.data());
    return out;
  };
  CHECK(test::same_bits(sums(plain), sums(fed)));
}

TEST_CASE("an encoder that does not fit is rejected") {
  const test::TemporaryFolder folder;
  const auto rejected = [&](const std::string& specification, const std::string& part) {
    CASE(specification);
    try {
      test::cache(specification, kShape);
      FAIL("it was taken");
    } catch (const files::InputError& error) {
      CASE(error.what());
      CHECK(std::string(error.what()).find(part) != std::string::npos);
    }
  };
  const std::string path = folder / "c.yaml", moments_file = folder / "moments";
  test::put(path, "macro: {head_dim: 64}\n");
  files::QueryMoments other = moments(1);
  files::write_query_moments(moments_file, other, {}, false);
  rejected("axelram:config=" + path + ",encoder=nearest",
           "encoder is 'nearest'; write encoder=feedback:FILE");
  rejected("axelram:config=" + path + ",encoder=feedback:" + moments_file,
           "quantizer.scale is norm; an encoder with feedback needs unbiased");
  test::put(path, "macro: {head_dim: 64}\nquantizer: {scale: unbiased}\n");
  other.layers = 4;
  other.heads = 1;
  files::write_query_moments(moments_file, other, {}, true);
  rejected("axelram:config=" + path + ",encoder=feedback:" + moments_file,
           "it has 4 layers of 1 KV heads, the model 2 of 2");
  rejected("axelram:config=" + path + ",encoder=feedback:" + folder / "absent", "absent");
}
