#include "axelram/transformer/session.hpp"

#include <algorithm>
#include <sstream>

#include "axelram/files/position_centers.hpp"
#include "axelram/files/safetensors.hpp"
#include "check.hpp"
#include "memory_events.hpp"
#include "support.hpp"
#include "transformer/some_ids.hpp"

using namespace axelram;
using test::Floats;

namespace {

const std::string kReference = std::string(AXELRAM_SOURCE) + "/tests/model/transformer/reference/";

/// A reference checkpoint for texts as long as its positions allow.
checkpoints::Checkpoint long_model(const std::string& name) {
  auto checkpoint = checkpoints::read_checkpoint(kReference + name);
  auto& a = checkpoint.architecture;
  if (a.positions != checkpoints::Positions::learned) a.max_positions = 300;
  a.layers = std::min<std::size_t>(a.layers, 3);
  return checkpoint;
}

/// Hidden states of a whole sequence, `chunk` tokens a step.
Floats in_steps(const transformer::Transformer& model, const transformer::KvCache& cache,
                const std::vector<std::int32_t>& ids, std::size_t chunk,
                transformer::CacheEvents* events) {
  transformer::Session session(model, cache);
  Floats all;
  for (std::size_t first = 0; first < ids.size(); first += chunk) {
    const transformer::Sequence more{
        std::span(ids).subspan(first, std::min(chunk, ids.size() - first)), 5};
    const Floats some = session.step({&more, 1});
    all.insert(all.end(), some.begin(), some.end());
  }
  *events = session.events();
  return all;
}

void check_steps(const checkpoints::Checkpoint& checkpoint, const std::string& specification) {
  CASE(specification);
  const auto& a = checkpoint.architecture;
  const auto cache = test::cache(specification, caches::shape_of(a));
  transformer::Workers one(1), three(3);
  const transformer::Transformer model(checkpoint, one), other(checkpoint, three);
  const std::vector<std::int32_t> ids = test::some_ids(a.max_positions);
  const transformer::Sequence whole{ids, 5};
  transformer::CacheEvents events, now;
  const Floats states = model.forward({&whole, 1}, *cache, {}, &events);
  REQUIRE(test::same_bits(other.forward({&whole, 1}, *cache), states));
  for (const std::size_t chunk :
       {std::size_t{1}, std::size_t{7}, std::size_t{32}, std::size_t{100}, ids.size()}) {
    CASE(chunk);
    REQUIRE(
        test::same_bits(in_steps(chunk == 7 ? other : model, *cache, ids, chunk, &now), states));
    CHECK_SAME(now.keys, events.keys);
    CHECK_SAME(now.values, events.values);
  }
}

/// Caches of head dimension d; files in `folder`.
std::vector<std::string> caches_of(const test::TemporaryFolder& folder,
                                   const caches::Shape& shape) {
  const std::string d = std::to_string(shape.head_dim);
  std::vector<std::string> all = {"fp16", "f32", "int4",
                                  "int4:mode=asymmetric,group=8,exact_tokens=3,exact_newest=9",
                                  "int4:code=hamming84,erasure=interpolate,ber=0.03,fault_seed=3"};
  if (shape.head_dim >= 16)
    all.insert(all.end(), {"turboquant:bits=2", "turboquant:kind=prod,bits=4,projection=orthogonal",
                           "keys=turboquant:bits=3;values=int4"});
  if (shape.head_dim < 32) return all;
  const auto macro = [&](const std::string& name, const std::string& text) {
    test::put(folder / (name + ".yaml"), "macro: {head_dim: " + d + ", max_keys: 300}\n" + text);
    return "axelram:config=" + (folder / (name + ".yaml"));
  };
  const auto heads = static_cast<std::uint64_t>(shape.layers * shape.heads);
  std::vector<std::uint16_t> center(heads * static_cast<std::uint64_t>(shape.head_dim), 0x3c00);
  files::write_safetensors(folder / "center",
                           {files::view("center", files::DataType::f16,
                                        {static_cast<std::uint64_t>(shape.layers),
                                         static_cast<std::uint64_t>(shape.heads),
                                         static_cast<std::uint64_t>(shape.head_dim)},
                                        center)},
                           {}, true);
  const auto half = static_cast<std::size_t>(shape.head_dim) / 2;
  files::PositionCenters positions{static_cast<std::size_t>(shape.layers),
                                   static_cast<std::size_t>(shape.heads),
                                   2 * half,
                                   test::gaussian(heads * 2 * half, 21),
                                   {},
                                   8,
                                   false};
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.layers) * half; ++i)
    positions.frequencies.push_back(1.0F / static_cast<float>(1 + i));
  files::write_position_centers(folder / "positions", positions, {}, true);
  const std::string faults = ",ber=0.03,fault_seed=5";
  all.insert(all.end(),
             {macro("plain", ""), macro("coded", "ecc: {code: golay24}\n") + faults,
              macro("repaired", "ecc: {code: hamming84, erasure: interpolate}\n") + faults,
              macro("exact",
                    "quantizer: {scale: unbiased}\nexact: {first: 2, last: 9}\n"
                    "ecc: {code: hamming84, erasure: interpolate}\n") +
                  faults,
              macro("centered", "rotation: {center: center}\n"),
              macro("plain", "") + ",centers=" + (folder / "positions"),
              macro("part", "") + ",layer=1,exact_newest=5"});
  std::ostringstream scale;
  scale.precision(17);
  scale << shape.attention_scale;
  all.push_back(macro("attends", "attention: {scale: " + scale.str() +
                                     "}\necc: {code: hamming84, erasure: interpolate}\n") +
                faults);
  const std::string blocks = "hot=5,step=8,group=8", sizes = blocks + ",value_group=8";
  const std::string records = ",warm_store=axelram4,archive_store=axelram2,config=";
  all.insert(all.end(),
             {"kivi:bits=2," + sizes, "kivi:bits=3,sink=3,rope=pre," + sizes,
              "tiered:warm=16," + sizes, "tiered:warm=7,archive_store=kivi3,rope=pre," + sizes,
              "keys=kivi:hot=1,step=8,group=8;values=kivi:hot=9,step=1,value_group=16",
              "tiered:warm=16," + blocks + records + (folder / "plain.yaml"),
              "tiered:warm=16," + blocks + records + (folder / "centered.yaml")});
  return all;
}

void check_model(const std::string& name) {
  CASE(name);
  const test::TemporaryFolder folder;
  const auto checkpoint = long_model(name);
  for (const std::string& cache : caches_of(folder, caches::shape_of(checkpoint.architecture))) {
    CASE(cache);
    check_steps(checkpoint, cache);
  }
}

}  // namespace

TEST_CASE("a session: steps of 1, 7, 32, 100 and all tokens, bit by bit: llama") {
  check_model("llama-f32");
  check_model("llama3-rope");
}
TEST_CASE("a session: steps of any size, bit by bit: learned positions") { check_model("gpt2"); }
TEST_CASE("a session: steps of any size, bit by bit: key norms, biases") {
  check_model("qwen3");
  check_model("qwen2");
}
TEST_CASE("a session: steps of any size, bit by bit: attention spans, local rotations") {
  check_model("gemma3");
  check_model("gemma3-d256");
  check_model("mistral-sliding");
}

TEST_CASE("a session: steps of any size, bit by bit: spans longer than a piece of the sums") {
  auto checkpoint = long_model("mistral-sliding");
  checkpoint.architecture.max_positions = 700;
  checkpoint.architecture.spans = {300, 300};
  for (const std::string cache : {"fp16", "int4:exact_newest=9"}) {
    CASE(cache);
    check_steps(checkpoint, cache);
  }
}

TEST_CASE("a session: sequences side by side are as if alone") {
  const auto checkpoint = long_model("llama-f32");
  const auto cache = test::cache("int4:code=hamming84,erasure=interpolate,ber=0.03,fault_seed=3",
                                 caches::shape_of(checkpoint.architecture));
  transformer::Workers workers(2);
  const transformer::Transformer model(checkpoint, workers);
  const std::size_t width = checkpoint.architecture.hidden;
  struct Text {
    std::uint32_t number;
    std::vector<std::int32_t> ids;
    Floats alone, together;
    std::size_t done = 0;
  };
  std::vector<Text> texts;
  for (const std::uint32_t number : {7U, 2U, 9U}) {
    Text& text =
        texts.emplace_back(Text{number, test::some_ids(90 + 3 * number, 96, number), {}, {}});
    const transformer::Sequence sequence{text.ids, number};
    text.alone = model.forward({&sequence, 1}, *cache);
  }
  transformer::Session session(model, *cache);
  for (std::size_t step = 0; step < 60; ++step) {
    std::vector<transformer::Sequence> more;
    std::vector<Text*> of;
    for (std::size_t k = 0; k < texts.size(); ++k) {
      Text& text = texts[(k + step) % texts.size()];
      const std::size_t count = std::min((step * 5 + k * 3) % 11, text.ids.size() - text.done);
      if (count == 0) continue;  // not every sequence has a part in every step
      more.push_back({std::span(text.ids).subspan(text.done, count), text.number});
      of.push_back(&text);
      text.done += count;
    }
    const Floats states = session.step(more);
    std::size_t at = 0;
    for (std::size_t k = 0; k < more.size(); ++k) {
      const std::size_t size = more[k].ids.size() * width;
      of[k]->together.insert(of[k]->together.end(), &states[at], &states[at] + size);
      at += size;
    }
  }
  for (const Text& text : texts) {
    CASE(text.number);
    REQUIRE(text.done == text.ids.size());
    CHECK(session.tokens(text.number) == text.done);
    CHECK(test::same_bits(text.together, text.alone));
  }
}

TEST_CASE("a session: ends, begins again, refuses what it cannot pass") {
  const auto checkpoint = long_model("llama-f32");
  const auto& a = checkpoint.architecture;
  const auto cache = test::cache("fp16", caches::shape_of(a));
  transformer::Workers workers(1);
  const transformer::Transformer model(checkpoint, workers);
  transformer::Session session(model, *cache);
  const std::vector<std::int32_t> ids = test::some_ids(290);
  const auto step = [&](std::size_t first, std::size_t count, std::uint32_t number = 1) {
    const transformer::Sequence more{std::span(ids).subspan(first, count), number};
    return session.step({&more, 1});
  };
  const Floats first = step(0, 20);
  CHECK(session.tokens(1) == 20);
  CHECK_THROWS_WITH_AS(step(0, 281), "a sequence of 301 tokens; the model takes 1..300",
                       files::InputError);
  CHECK_THROWS_WITH_AS(step(0, 0), "a sequence of 20 tokens and no more; the model takes 1..300",
                       files::InputError);
  const std::vector<transformer::Sequence> twice = {{std::span(ids).first(3), 4},
                                                    {std::span(ids).first(2), 4}};
  CHECK_THROWS_WITH_AS(session.step(twice),
                       "sequence 4 is given twice in one step; give all its ids together",
                       files::InputError);
  const std::vector<std::int32_t> wrong = {1, 96};
  const transformer::Sequence unknown{wrong, 1};
  CHECK_THROWS_WITH_AS(session.step({&unknown, 1}),
                       "sequence 1, token 21: id 96; the model's vocabulary has 96",
                       files::InputError);
  CHECK(session.tokens(1) == 20);  // nothing was written
  CHECK(session.tokens(4) == 0);
  session.end(1);
  CHECK(session.tokens(1) == 0);
  CHECK(test::same_bits(step(0, 20), first));
}
