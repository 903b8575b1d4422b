// A cache of a macro with attention: its integers, bit for bit those of the golden macro.
#include <algorithm>

#include "axelram/attention_macro.hpp"
#include "axelram/files/config.hpp"
#include "axelram/half.hpp"
#include "support.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr std::size_t kD = 64, kTokens = 40;
constexpr int kLayer = 1, kHead = 2;
const caches::Shape kShape{2, 3, 64, 0.125};

const char* const kAttends = "macro: {head_dim: 64, max_keys: 40}\nattention: {group: 2";

struct Attending {
  explicit Attending(const std::string& more = "}\n", const std::string& faults = "") {
    path = folder / "attends.yaml";
    test::put(path, kAttends + more);
    config = files::read_config(path);
    cache = test::cache("axelram:config=" + path + ",seed=9" + faults, kShape);
  }
  std::unique_ptr<transformer::HeadAttention> head() const {
    return cache->attention(kLayer, kHead);
  }

  test::TemporaryFolder folder;
  std::string path;
  files::Config config;
  std::unique_ptr<transformer::KvCache> cache;
};

std::vector<std::uint16_t> elements(const float* row, ElementFormat format) {
  std::vector<std::uint16_t> all(kD);
  for (std::size_t i = 0; i < kD; ++i) all[i] = double_to_element(row[i], format);
  return all;
}

float output(const files::Config& config, std::uint32_t bits) {
  if (config.attention.parameters.output == OutputFormat::fp16)
    return static_cast<float>(half_to_double(static_cast<std::uint16_t>(bits)));
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Each token is appended, and its query sees at most `span` tokens, as in a window that slides.
Floats golden(const files::Config& config, const Floats& keys, const Floats& values,
              const Floats& queries, std::size_t span) {
  const Parameters& p = config.parameters;
  AttentionMacro macro(p, config.attention.parameters, {{seeded_rotation(p, 9, kLayer, kHead), {}}},
                       1, kTokens, files::protection(config.ecc));
  REQUIRE(macro.allocate(0, {0, kTokens}));
  const auto group = static_cast<std::size_t>(config.attention.parameters.group);
  Floats out;
  for (std::size_t t = 0; t < kTokens; ++t) {
    CASE(t);
    macro.append(0, elements(&keys[t * kD], p.element_format).data(),
                 elements(&values[t * kD], p.element_format).data());
    if (t >= span) REQUIRE(macro.evict(0, 1));
    std::vector<std::uint16_t> all = elements(&queries[t * kD], p.element_format);
    all.resize(group * kD);  // the other queries of the group are zeros
    const GroupResult result = macro.attend(0, all.data());
    REQUIRE(result.places.size() == std::min(t + 1, span));
    for (const std::uint32_t bits : result.outputs[0].outputs) out.push_back(output(config, bits));
  }
  return out;
}

Floats attended(transformer::HeadAttention& head, const Floats& keys, const Floats& values,
                const Floats& queries, std::size_t span) {
  head.begin(3);
  head.write(keys.data(), values.data(), kTokens);
  std::vector<std::size_t> oldest;
  for (std::size_t t = 0; t < kTokens; ++t) oldest.push_back(t < span ? 0 : t + 1 - span);
  Floats out(kTokens * kD);
  head.attend(queries.data(), kTokens, 0, oldest.data(), kShape.attention_scale, out.data());
  return out;
}

const Floats keys = test::gaussian(kTokens * kD, 1, 2), values = test::gaussian(kTokens * kD, 2),
             queries = test::gaussian(kTokens * kD, 3, 2);

}  // namespace

TEST_CASE("a cache of a macro with attention has the bits of the golden macro") {
  for (const char* const more : {
           "}\n",
           ", output: fp32, weight_bits: 24}\n",
           "}\nquantizer: {kind: trellis, scale: unbiased}\n",
           "}\necc: {code: hamming84, erasure: interpolate}\n",
           "}\nquantizer: {scale: unbiased}\nexact: {first: 2, last: 3}\n",
       }) {
    CASE(more);
    const Attending attending(more);
    const auto head = attending.head();
    const Floats out = attended(*head, keys, values, queries, kTokens);
    CHECK(test::same_bits(out, golden(attending.config, keys, values, queries, kTokens)));
    // What a sequence leaves is gone with the next one.
    CHECK(test::same_bits(out, attended(*head, keys, values, queries, kTokens)));
  }
}

TEST_CASE("a query sees no token before its oldest one") {
  const Attending attending;
  for (const std::size_t span : {std::size_t{1}, std::size_t{7}}) {
    CASE(span);
    const Floats out = attended(*attending.head(), keys, values, queries, span);
    CHECK(test::same_bits(out, golden(attending.config, keys, values, queries, span)));
  }
}

TEST_CASE("a query attends as if no later token had been written, erasures included") {
  const Attending attending("}\necc: {code: hamming84, erasure: interpolate}\n", ",ber=0.01");
  const auto head = attending.head();
  const Floats all = attended(*head, keys, values, queries, kTokens);
  CHECK(head->events().keys.detected > 0);
  CHECK(head->events().values.detected > 0);
  head->begin(3);
  const std::size_t oldest = 0;
  Floats out(kTokens * kD);
  for (std::size_t t = 0; t < kTokens; ++t) {
    head->write(&keys[t * kD], &values[t * kD], 1);
    head->attend(&queries[t * kD], 1, t, &oldest, kShape.attention_scale, &out[t * kD]);
  }
  CHECK(test::same_bits(all, out));
  CHECK(!test::same_bits(all, attended(*Attending("}\n").head(), keys, values, queries, kTokens)));
}

TEST_CASE("bytes of a macro with attention are those of its keys and values") {
  const Attending attending("}\nquantizer: {scale: unbiased}\nexact: {first: 2, last: 3}\n");
  const auto head = attending.head();
  CHECK(head->bytes_per_token() == 2 * (64 * 3 / 8 + 2));
  CHECK(head->bytes_per_sequence() == 5 * (64 * 2 + 2));  // copies of keys alone
}

TEST_CASE("a macro with attention says what it cannot do for a model") {
  const Attending attending;
  const std::string spec = "axelram:config=" + attending.path;
  const auto message = [](const std::string& text, const caches::Shape& shape) {
    return test::message([&] { test::cache(text, shape); });
  };
  using test::contains;
  CHECK(contains(message(spec, {2, 3, 64, 0.2}), "attention.scale is 0.125, the model's is 0.2"));
  CHECK(message(spec, {2, 3, 64, 0.125 * (1 + 1e-9)}).empty());
  CHECK(contains(message("keys=" + spec + ";values=fp16", kShape),
                 "a cache of keys or of values alone ends at the scores"));
  CHECK(contains(message(spec + ",exact_tokens=1", kShape),
                 "a cache with rows or channels in FP16 ends at the scores"));
  const auto head = attending.head();
  head->begin(0);
  head->write(keys.data(), values.data(), kTokens);
  CHECK(contains(test::message([&] { head->write(keys.data(), values.data(), 1); }),
                 "macro.max_keys is 40; a sequence has 41 tokens"));
}

TEST_CASE("another layer or head of a macro with attention is FP16 if only a part is asked for") {
  const Attending attending;
  const auto part = test::cache("axelram:config=" + attending.path + ",seed=9,layer=1", kShape);
  const auto fp16 = test::cache("fp16", kShape);
  const Floats own = attended(*attending.head(), keys, values, queries, kTokens);
  CHECK(test::same_bits(attended(*part->attention(1, kHead), keys, values, queries, kTokens), own));
  CHECK(test::same_bits(attended(*part->attention(0, kHead), keys, values, queries, kTokens),
                        attended(*fp16->attention(0, kHead), keys, values, queries, kTokens)));
  CHECK(
      !test::same_bits(attended(*part->attention(0, kHead), keys, values, queries, kTokens), own));
}
