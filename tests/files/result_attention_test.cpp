// Tensors and metadata of attention in a result.
#include <algorithm>
#include <functional>

#include "contract_tensors.hpp"
#include "result_example.hpp"
#include "support.hpp"

using namespace axelram::files;
using axelram::OutputFormat;
using namespace test;

namespace {

/// The example with attention, and with the outcome of five commands.
Result with_attention(Result r, OutputFormat output, bool commands) {
  const std::size_t t = r.tokens, q = r.queries;
  r.output = output;
  if (commands) r.commands = 5;
  allocate(&r);
  r.value_indices = counting<std::uint8_t>(t * 32, 0);
  r.value_norms = counting<std::uint16_t>(t, 0x3c00);
  r.value_records = counting<std::uint8_t>(t * 10, 90);
  r.value_codewords = counting<std::uint8_t>(t * r.codeword_bytes, 8);
  r.logits = counting<std::int32_t>(q * t, -3);
  r.weights = counting<std::int32_t>(q * t, 4);
  r.weight_references = counting<std::int32_t>(q * t, -5);
  r.maxima = counting<std::int32_t>(q, -6);
  r.denominators = counting<std::uint64_t>(q, 7);
  r.sums = counting<std::int64_t>(q * 32, -8);
  r.output_shifts = counting<std::int32_t>(q, 9);
  r.rotated_outputs = counting<std::int32_t>(q * 32, -10);
  r.reciprocals = counting<std::uint32_t>(q, 11);
  if (output == OutputFormat::fp16)
    r.half_outputs = counting<std::uint16_t>(q * 32, 0x3c00);
  else
    r.float_outputs = counting<float>(q * 32, -12);
  if (commands) r.refused = {0, 1, 0, 0, 1};
  r.softmax_scale = {52279, -31};
  r.value_scale = {13119285, -36};
  r.weight_bits = 20;
  return r;
}

}  // namespace

TEST_CASE("tensors and metadata of attention are read, and written again byte for byte") {
  const test::TemporaryFolder folder;
  for (const OutputFormat output : {OutputFormat::fp16, OutputFormat::fp32})
    for (const bool commands : {false, true})
      for (const std::size_t tokens : {0U, 3U}) {
        CASE(output, commands, tokens);
        const Result result = with_attention(example(tokens, 2, 20), output, commands);
        write_result(folder / "a", result, true);
        const Result got = read_result(folder / "a");
        CHECK(first_difference(result, got) == std::nullopt);
        CHECK(got.output == output);
        CHECK_SAME(got.commands, result.commands);
        CHECK_SAME(got.refused, result.refused);
        write_result(folder / "b", got, true);
        CHECK_SAME(test::content(folder / "a"), test::content(folder / "b"));
      }

  write_result(folder / "r", with_attention(example(3, 2, 20), OutputFormat::fp16, true), false);
  const Safetensors file = Safetensors::read(folder / "r");
  CHECK(test::tensors_of(file) ==
        test::contract_tensors({{"tokens", 3},
                                {"queries", 2},
                                {"d", 32},
                                {"boundary words", 3},
                                {"bytes of a record", 10},
                                {"codeword bytes", 20},
                                {"rows", 5}},
                               {"code", "attention", "fp16", "commands"}));
  CHECK(file.metadata_at("softmax_scale") == "52279,-31");
  CHECK(file.metadata_at("value_scale") == "13119285,-36");
  CHECK(file.metadata_at("weight_bits") == "20");
}

TEST_CASE("files with attention that are no results") {
  const test::TemporaryFolder folder;
  write_result(folder / "r", with_attention(example(3, 2), OutputFormat::fp32, true), false);
  const Safetensors good = Safetensors::read(folder / "r");
  std::vector<Tensor> tensors;
  Metadata metadata;
  const auto message = [&](const std::function<void()>& damage) {
    tensors = good.tensors();
    metadata = good.metadata();
    damage();
    write_safetensors(folder / "x", tensors, metadata, true);
    return test::message([&] { read_result(folder / "x"); });
  };
  CHECK(message([] {}) == "");
  const auto first = static_cast<std::size_t>(
      std::find_if(good.tensors().begin(), good.tensors().end(),
                   [](const Tensor& tensor) { return tensor.name == "value_indices"; }) -
      good.tensors().begin());
  for (std::size_t i = first; i < good.tensors().size(); ++i) {
    const std::string name = good.tensors()[i].name;
    CASE(i, name);
    const std::string missing =
        message([&] { tensors.erase(tensors.begin() + static_cast<long>(i)); });
    if (name == "refused")  // of a trace without commands
      CHECK(missing == "");
    else if (name == "value_indices")
      CHECK(contains(missing, "tensor value_norms: not part of a result"));
    else
      CHECK(contains(missing, "no tensor '" + name + "'"));
    CHECK(contains(message([&] { tensors[i].shape.push_back(1); }), "tensor " + name + ": shape"));
  }
  for (const char* key : {"softmax_scale", "value_scale"})
    for (const char* text : {"", "1", "1,", ",1", "1, 2", "1,2,3", "-1,2", "x,y", "4294967296,0"}) {
      CASE(key, text);
      CHECK(contains(message([&] { metadata[key] = text; }),
                     "it must be a significand and an exponent with a comma between"));
    }
  CHECK(contains(message([&] { metadata["weight_bits"] = "2 "; }), "it must be a whole number"));
  for (const char* key : {"softmax_scale", "value_scale", "weight_bits"}) {
    CASE(key);
    CHECK_AT(key,
             contains(message([&] { metadata.erase(key); }), std::string("no metadata '") + key));
  }
}

TEST_CASE("the first difference of attention, by name and place") {
  const Result a = with_attention(example(), OutputFormat::fp32, true);
  const auto text = [&a](const std::function<void(Result&)>& damage) {
    Result b = a;
    damage(b);
    return first_difference(a, b)->text();
  };
  CHECK(text([](Result& t) { t.denominators[1] = 1; }) == "denominators, row 1: 8 against 1");
  CHECK(text([](Result& t) { t.float_outputs[33] = 0; }) ==
        "outputs, row 1, column 1: 21 (0x41a80000) against 0 (0x0)");
  CHECK(text([](Result& t) { t.refused[4] = 0; }) == "refused, row 4: 1 against 0");
  CHECK(text([](Result& t) { t.softmax_scale.exponent = 1; }) ==
        "softmax_scale: 52279,-31 against 52279,1");
  CHECK(text([](Result& t) { t.commands.reset(); }) == "number of tensors: 22 against 21");
  CHECK(text([](Result& t) { t = with_attention(example(), OutputFormat::fp16, true); }) ==
        "type of outputs: F32 against F16");
}
