#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "axelram/half.hpp"
#include "cli/program.hpp"
#include "needs.hpp"

using namespace axelram;
using namespace test;

namespace {

const std::string kCaptureTiny = "capture " + kTinyInputs;
const std::string kCaptureText = "capture " + kByteLlama + " text.txt ";

/// Cosines of the rows of a tensor [256, 128] of one byte of LICENSE, at least 64 tokens apart.
std::vector<double> cosines_of_one_byte(const files::Safetensors& trace, const char* name) {
  constexpr std::size_t n = 256, d = 128, apart = 64;
  const std::string text = content(kSource + "/LICENSE");
  const auto rows = trace.at(name).values<std::uint16_t>();
  REQUIRE(rows.size() == n * d);
  const auto product = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t e = 0; e < d; ++e)
      sum += half_to_double(rows[i * d + e]) * half_to_double(rows[j * d + e]);
    return sum;
  };
  std::vector<double> cosines;
  for (std::size_t i = apart; i < n; ++i)
    for (std::size_t j = 0; j + apart <= i; ++j)
      if (text[i] == text[j])
        cosines.push_back(product(i, j) / std::sqrt(product(i, i) * product(j, j)));
  return cosines;
}

Parameters small() { return {.head_dim = 32}; }

TEST_CASE("a captured trace goes through run and verify") {
  const TempDir axelram;
  const ProcessResult done = axelram(kCaptureTiny + "--layer 1 --head 1 -o t --threads 3");
  REQUIRE(done);
  CHECK(done.err.empty());
  CHECK(contains(done.out, "windows        2\n"));  // the rows of the file
  CHECK(contains(done.out, "keys           48\n"));
  CHECK(contains(done.out, "queries        96, 2 query heads one after the other\n"));

  const files::Trace trace = files::read_trace(axelram.at("t"), small(), 64);
  CHECK(trace.key_count() == 48);
  CHECK(trace.query_count() == 96);
  const files::Metadata expected = {{"model", "llama-f32"}, {"text", "expected.safetensors"},
                                    {"skip", "0"},          {"tokens", "48"},
                                    {"window", "64"},       {"layer", "1"},
                                    {"head", "1"},          {"element_format", "fp16"}};
  CHECK_SAME(trace.metadata, expected);
  const auto reference = files::Safetensors::read(kTinyLlama + "/expected.safetensors");
  const auto keys = reference.at("keys_1").values<float>();  // [48, 2 * 32]
  double worst = 0;
  for (std::size_t t = 0; t < 48; ++t)
    for (std::size_t i = 0; i < 32; ++i)
      worst = std::max(worst, std::abs(half_to_double(trace.keys[t * 32 + i]) -
                                       double{keys[(t * 2 + 1) * 32 + i]}));
  CHECK(worst < 4e-3);  // values up to 4, and an FP16 cache

  CHECK(axelram("run small.yaml t -o result"));
  CHECK(axelram("verify small.yaml t --vectors 20"));
  REQUIRE(axelram(kCaptureTiny + "--layer 1 --head 1 -o again --threads 1"));
  CHECK_SAME(axelram.content("again"), axelram.content("t"));
}

TEST_CASE("text, windows, queries and format as asked for") {
  const TempDir axelram;
  axelram.put_text();
  REQUIRE(axelram(kCaptureText + "--layer 3 --head 0 -o usual"));
  const files::Trace usual = files::read_trace(axelram.at("usual"), Parameters{}, 4096);
  CHECK(usual.key_count() == 256);
  CHECK(usual.query_count() == 512);
  REQUIRE(
      axelram(kCaptureText + "--layer 3 --head 0 --tokens 90 --window 40 --queries 50 -o some"));
  const files::Trace some = files::read_trace(axelram.at("some"), Parameters{}, 4096);
  CHECK(some.key_count() == 90);
  CHECK(some.query_count() == 100);
  CHECK(some.metadata.at("window") == "40");

  // The second window of 40 is what a text that begins there has as its first.
  REQUIRE(axelram(kCaptureText + "--layer 3 --head 0 --skip 40 --tokens 40 -o skipped"));
  const files::Trace skipped = files::read_trace(axelram.at("skipped"), Parameters{}, 4096);
  double worst = 0;
  for (std::size_t i = 0; i < 40 * 128; ++i)
    worst = std::max(
        worst, std::abs(half_to_double(skipped.keys[i]) - half_to_double(some.keys[40 * 128 + i])));
  CHECK(worst < 0.02);
  CHECK_DIFFERENT(skipped.keys, usual.keys);
  CHECK_DIFFERENT(std::vector<std::uint16_t>(some.queries.begin(), some.queries.begin() + 128),
                  std::vector<std::uint16_t>(usual.queries.begin(), usual.queries.begin() + 128));

  REQUIRE(axelram(kCaptureText + "--layer 3 --head 0 --format bf16 -o wide"));
  Parameters bf16;
  bf16.element_format = ElementFormat::bf16;
  const files::Trace wide = files::read_trace(axelram.at("wide"), bf16, 4096);
  CHECK(bfloat16_to_double(wide.keys[700]) ==
        doctest::Approx(half_to_double(usual.keys[700])).epsilon(0.02));
}

TEST_CASE("what capture cannot do is told in one line") {
  const TempDir axelram;
  axelram.put_text();
  const std::size_t before = axelram.entries();
  axelram.rejected(kCaptureText + "-o t --head 0", "--layer is required");
  axelram.rejected(kCaptureText + "-o t --layer -1 --head 0", "--layer: '-1'; give a whole number");
  axelram.rejected(kCaptureText + "-o t --layer 4 --head 0",
                   "layer 4: the model has 4, counted from 0; give 0..3");
  axelram.rejected(kCaptureText + "-o t --layer 0 --head 2", "KV head 2: the model has 2");
  axelram.rejected(kCaptureText + "-o t --layer 0 --head 0 --tokens 685",
                   "684 tokens; fewer than the 685");
  axelram.rejected(kCaptureText + "-o t --layer 0 --head 0 --window 2049",
                   "--window: 2049; the model takes 1..2048");
  axelram.rejected(kCaptureText + "-o t --layer 0 --head 0 --queries 257",
                   "257 queries of 256 tokens");
  axelram.rejected(kCaptureText + "-o t --layer 0 --head 0 --format f32",
                   "--format: 'f32'; give fp16 or bf16");
  axelram.rejected(kCaptureText + "-o t --layer 0 --head 0 --skip 700",
                   "fewer than the 700 to skip");
  axelram.rejected(kCaptureText + "-o t --layer 0 --head 0 --bos", "no BOS");
  axelram.rejected(kCaptureText + "-o small.yaml --layer 0 --head 0", "small.yaml: exists already");
  axelram.rejected(kCaptureText + "-o text.txt --force --layer 0 --head 0", "is also an input");
  axelram.rejected("capture none text.txt -o t --layer 0 --head 0", "none");
  axelram.rejected(kCaptureTiny + "-o t --layer 0 --head 0 --bos", "a BOS, or bytes to skip");
  const std::string narrow = kSource + "/tests/model/transformer/reference/gpt2 ";
  axelram.rejected(
      "capture " + narrow + kTinyLlama + "/expected.safetensors -o t --layer 0 --head 0",
      "elements; the macro takes 32, 64, 128 or 256");
  CHECK(axelram.entries() == before);

  std::filesystem::copy(kTinyLlama, axelram.at("model"));
  axelram.rejected("capture model " + kTinyLlama +
                       "/expected.safetensors -o model/model.safetensors --force "
                       "--layer 0 --head 0",
                   "is also an input");
}

// The traces were made by another implementation, in PyTorch.
TEST_CASE("the traces of byte-llama-d128 come out of an FP16 cache too" * needs_data) {
  const std::string data = test::data();
  const TempDir axelram;
  const std::string folder = data;
  for (const std::string layer : {"0", "3"}) {
    CASE(layer);
    REQUIRE(axelram("capture " + kByteLlama + " " + quoted(folder + "/text/shakespeare.txt") +
                    " --skip 1003854 --layer " + layer + " --head 1 -o t --force"));
    const files::Trace trace = files::read_trace(axelram.at("t"), Parameters{}, 4096);
    const files::Trace expected = files::read_trace(
        folder + "/traces/byte-llama-d128-l" + layer + "h1.safetensors", Parameters{}, 4096);
    REQUIRE(trace.keys.size() == expected.keys.size());
    REQUIRE(trace.queries.size() == expected.queries.size());
    const auto difference = [](const auto& a, const auto& b) {
      double worst = 0;
      for (std::size_t row = 0; row < a.size(); row += 128) {
        double most = 0, error = 0;
        for (std::size_t i = row; i < row + 128; ++i) {
          most = std::max(most, std::abs(half_to_double(b[i])));
          error = std::max(error, std::abs(half_to_double(a[i]) - half_to_double(b[i])));
        }
        worst = std::max(worst, error / most);
      }
      return worst;
    };
    CHECK(difference(trace.keys, expected.keys) < 1.0 / 512);
    CHECK(difference(trace.queries, expected.queries) < 1.0 / 512);
  }
}

}  // namespace

TEST_CASE("captured queries have their tokens, head after head or token after token") {
  const TempDir axelram;
  REQUIRE(axelram(kCaptureTiny + "--layer 1 --head 1 -o t"));
  REQUIRE(axelram(kCaptureTiny + "--layer 1 --head 1 --by-token -o b --json j"));
  REQUIRE(axelram(kCaptureTiny + "--layer 1 --head 1 --by-token --queries 5 -o few"));
  CHECK(axelram.json("j")["by_token"] == true);
  const auto usual = files::Safetensors::read(axelram.at("t")),
             ordered = files::Safetensors::read(axelram.at("b")),
             few = files::Safetensors::read(axelram.at("few"));
  const auto tokens = usual.at("query_tokens", files::DataType::i32, 1).values<std::int32_t>(),
             in_order = ordered.at("query_tokens").values<std::int32_t>();
  const auto queries = usual.at("queries").values<std::uint16_t>(),
             by_token = ordered.at("queries").values<std::uint16_t>(),
             last = few.at("queries").values<std::uint16_t>();
  REQUIRE(tokens.size() == 96);
  CHECK_SAME(ordered.at("keys").values<std::uint16_t>(), usual.at("keys").values<std::uint16_t>());
  CHECK_SAME(ordered.at("values").values<std::uint16_t>(),
             usual.at("values").values<std::uint16_t>());
  for (std::size_t i = 0; i < 96; ++i) {
    CASE(i);
    CHECK(tokens[i] == static_cast<std::int32_t>(i % 48));
    CHECK(in_order[i] == static_cast<std::int32_t>(i / 2));
    // Query head i % 2 of token i / 2.
    for (std::size_t c = 0; c < 32; ++c)
      REQUIRE_AT(c, by_token[i * 32 + c] == queries[(i % 2 * 48 + i / 2) * 32 + c]);
  }
  CHECK_SAME(few.at("query_tokens").values<std::int32_t>(),
             std::vector<std::int32_t>{43, 43, 44, 44, 45, 45, 46, 46, 47, 47});
  CHECK_SAME(last, std::vector<std::uint16_t>(by_token.end() - 10 * 32, by_token.end()));
}

TEST_CASE("keys before rotary embedding turn into those behind it") {
  const TempDir axelram;
  const std::string references = kSource + "/tests/model/transformer/reference/";
  for (const std::string name : {"llama-f32", "llama-yarn", "qwen3", "gemma3"}) {
    CASE(name);
    const std::string line = "capture " + references + name + " " + references + name +
                             "/expected.safetensors --layer 1 --head 0 --force -o ";
    const ProcessResult done = axelram(line + "before --before-rotary --json j --window 20");
    if (done.code == 2 && contains(done.err, "the macro takes")) continue;
    REQUIRE(done);
    CHECK(axelram.json("j")["before_rotary"] == true);
    CHECK(contains(done.out, ", before rotary embedding\n"));
    REQUIRE(axelram(line + "behind --by-token --window 20"));
    const auto before = files::Safetensors::read(axelram.at("before")),
               behind = files::Safetensors::read(axelram.at("behind"));
    CHECK(before.metadata_at("rotation_pairs") == "halves");
    CHECK(behind.metadata().count("rotation_pairs") == 0);
    CHECK(behind.find("cosines") == nullptr);
    CHECK(before.find("key_offset") == nullptr);
    CHECK_SAME(before.at("queries").values<std::uint16_t>(),
               behind.at("queries").values<std::uint16_t>());
    CHECK_SAME(before.at("query_tokens").values<std::int32_t>(),
               behind.at("query_tokens").values<std::int32_t>());
    const auto keys = before.at("keys").values<std::uint16_t>(),
               turned = behind.at("keys").values<std::uint16_t>();
    const std::size_t d = before.at("keys").shape[1], pairs = d / 2, tokens = keys.size() / d;
    CHECK_SAME(before.at("cosines", files::DataType::f32, 2).shape, files::Shape{tokens, pairs});
    const auto cosines = before.at("cosines").values<float>(),
               sines = before.at("sines", files::DataType::f32, 2).values<float>();
    double worst = 0, moved = 0;
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t p = 0; p < pairs; ++p) {
        const double c = cosines[t * pairs + p], s = sines[t * pairs + p],
                     a = half_to_double(keys[t * d + p]),
                     b = half_to_double(keys[t * d + p + pairs]),
                     x = half_to_double(turned[t * d + p]),
                     y = half_to_double(turned[t * d + p + pairs]);
        const double size = std::max(0.1, std::hypot(a, b));
        worst = std::max(
            {worst, std::abs(a * c - b * s - x) / size, std::abs(a * s + b * c - y) / size});
        moved = std::max(moved, std::abs(a - x));
      }
    CHECK(worst < 2e-3);
    CHECK(moved > 0.1);
  }
}

TEST_CASE("a constant that a model adds to keys stands beside those before rotary embedding") {
  const TempDir axelram;
  REQUIRE(axelram("stress " + kTinyLlama + " -o hard --layers all --bias 10"));
  const std::string text = " " + kTinyLlama + "/expected.safetensors --layer 1 --head 1 -o ";
  REQUIRE(axelram("capture " + kTinyLlama + text + "plain --before-rotary"));
  REQUIRE(axelram("capture hard" + text + "t --before-rotary"));
  const auto plain = files::Safetensors::read(axelram.at("plain")),
             hard = files::Safetensors::read(axelram.at("t"));
  const auto offset = hard.at("key_offset", files::DataType::f32, 1).values<float>();
  REQUIRE(offset.size() == 32);
  double square = 0;
  for (const float element : offset) square += double{element} * element;
  CHECK(std::sqrt(square) > 1);
  const auto a = plain.at("keys").values<std::uint16_t>(),
             b = hard.at("keys").values<std::uint16_t>();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(half_to_double(a[i]) - half_to_double(b[i])));
  CHECK(worst < 0.05);
}

TEST_CASE(
    "values of one byte are equal in the first layer alone, keys that are far apart in none") {
  const TempDir axelram;
  const auto mean = [](const std::vector<double>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  };
  for (const std::string layer : {"0", "1", "2", "3"}) {
    CASE(layer);
    REQUIRE(axelram("capture " + kByteLlama + " " + kSource + "/LICENSE --head 0 --memory -o t " +
                    "--tokens 256 --window 256 --force --layer " + layer));
    const auto trace = files::Safetensors::read(axelram.at("t"));
    const auto values = cosines_of_one_byte(trace, "values");
    const auto keys = cosines_of_one_byte(trace, "keys");
    REQUIRE(values.size() > 500);
    if (layer == "0") {
      CHECK(*std::ranges::min_element(values) > 0.999999);
    } else {
      CHECK(mean(values) < 0.9);
      CHECK(*std::ranges::min_element(values) < 0.3);
    }
    CHECK(mean(keys) < 0.5);
    CHECK(*std::ranges::max_element(keys) < 0.9);
  }
}
