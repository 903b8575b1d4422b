#include "axelram/gguf/gguf.hpp"

#include <cmath>
#include <random>

#include "checkpoints/changed_gguf.hpp"

using axelram::checkpoints::Checkpoint;
using namespace test;

TEST_CASE("GGUF: the reference files, written again") {
  for (const std::string& name : kArchitectures)
    CHECK_AT(name, failure(name, [](ChangedGguf&) {}) == "");
}

TEST_CASE("GGUF: every tensor missing, in another shape, of another type, left over") {
  for (const std::string& name : kArchitectures) {
    CASE(name);
    const ChangedGguf whole(name);
    for (const auto& [tensor, place] : whole.tensors) {
      CASE(tensor);
      const auto without = [&tensor = tensor](ChangedGguf& file) { file.tensors.erase(tensor); };
      if (tensor != "output.weight" && !contains(tensor, ".bias") && tensor != "token_embd.weight")
        CHECK(contains(failure(name, without), " is missing; "));
      const auto flat = [&tensor = tensor](ChangedGguf& file) {
        file.tensors.at(tensor).shape.push_back(1);
      };
      CHECK(contains(failure(name, flat), "tensor " + tensor + ": shape is [1, "));
      CHECK(contains(failure(name, flat), "; the file's metadata makes it ["));
    }
    CHECK(contains(failure(name,
                           [](ChangedGguf& file) {
                             file.rename(file.tensors.begin()->first, "blk.0.attn_sinks.weight");
                           }),
                   "tensor "));
    CHECK(contains(
        failure(name,
                [](ChangedGguf& file) {
                  file.tensors["blk.0.more.weight"] = {{1}, 0, (file.data.size() + 31) / 32 * 32};
                  file.data.resize((file.data.size() + 31) / 32 * 32 + 4);
                }),
        "tensor blk.0.more.weight: no weight of the "));
  }
  // The other name of a weight that is there.
  CHECK(contains(
      failure("llama",
              [](ChangedGguf& file) {
                file.tensors["model.norm.weight"] = {{1}, 0, (file.data.size() + 31) / 32 * 32};
                file.data.resize((file.data.size() + 31) / 32 * 32 + 4);
              }),
      "another tensor stands for the same weight"));
}

TEST_CASE("GGUF: every size missing, of another type, or not fitting") {
  for (const std::string& name : kArchitectures) {
    CASE(name);
    const ChangedGguf whole(name);
    for (const auto& [key, field] : whole.fields) {
      const std::string prefix = name + ".";
      if (!key.starts_with(prefix)) continue;
      CASE(key);
      const auto as_text = [&key = key](ChangedGguf& file) { file.put(key, "7"); };
      CHECK(contains(failure(name, as_text), key + " is '7'; it must be a"));
      if (field.type != 4) continue;
      const auto zero = [&key = key](ChangedGguf& file) { file.u32(key, 0); };
      CHECK(contains(failure(name, zero), key + " is 0; "));
      const auto odd = [&key = key](ChangedGguf& file) { file.u32(key, 3); };
      if (!key.ends_with("context_length") && !key.ends_with("sliding_window"))
        CHECK(failure(name, odd) != "");
    }
  }
  CHECK(contains(failure("llama", [](ChangedGguf& f) { f.fields.erase("llama.context_length"); }),
                 "llama.context_length is missing; the model needs it"));
  CHECK(
      contains(failure("llama", [](ChangedGguf& f) { f.u32("llama.attention.head_count_kv", 3); }),
               "llama.attention.head_count_kv is 3; it must divide"));
}

TEST_CASE("GGUF: what is not supported is rejected by its key") {
  const auto line = [](const char* name, const std::function<void(ChangedGguf&)>& change) {
    return failure(name, change);
  };
  CHECK(contains(
      line("llama", [](ChangedGguf& f) { f.put("general.architecture", "mamba"); }),
      "general.architecture is 'mamba'; supported are llama, qwen2, qwen3, gemma3 or gpt2"));
  CHECK(contains(line("llama", [](ChangedGguf& f) { f.fields.erase("general.architecture"); }),
                 "general.architecture is missing"));
  CHECK(contains(line("llama", [](ChangedGguf& f) { f.put("general.type", "adapter"); }),
                 "general.type is 'adapter'; supported is 'model'"));
  CHECK(contains(line("llama", [](ChangedGguf& f) { f.u32("clip.size", 1); }),
                 "clip.size is 1; no key of a llama model"));
  CHECK(contains(line("llama", [](ChangedGguf& f) { f.u32("llama.logit_scale", 2); }),
                 "llama.logit_scale is 2; supported are 0 or 1"));
  CHECK(contains(line("llama", [](ChangedGguf& f) { f.u32("llama.new_scale", 2); }),
                 "llama.new_scale is 2; this key is not supported"));
  CHECK(contains(line("llama", [](ChangedGguf& f) { f.u32("llama.expert_count", 8); }),
                 "llama.expert_count is 8; supported is 0"));
  CHECK(contains(line("llama", [](ChangedGguf& f) { f.u32("llama.rope.dimension_count", 8); }),
                 "llama.rope.dimension_count is 8; supported is 16"));
  CHECK(contains(line("qwen3", [](ChangedGguf& f) { f.u32("qwen3.attention.value_length", 32); }),
                 "qwen3.attention.value_length is 32; supported is 64"));
  CHECK(
      contains(line("llama", [](ChangedGguf& f) { f.put("llama.rope.scaling.type", "longrope"); }),
               "llama.rope.scaling.type is 'longrope'; supported are none, linear or yarn"));
  CHECK(
      contains(line("gemma3", [](ChangedGguf& f) { f.f32("gemma3.final_logit_softcapping", 30); }),
               "gemma3.final_logit_softcapping is 30.000000; supported is 0"));
}

TEST_CASE("GGUF: rotary embedding by the metadata") {
  const auto frequencies = [](const std::function<void(ChangedGguf&)>& change) {
    ChangedGguf file("llama");
    change(file);
    return file.read().architecture.rotary.frequencies;
  };
  const auto plain = frequencies([](ChangedGguf&) {});
  REQUIRE(plain.size() == 8);
  CHECK(plain[1] == doctest::Approx(std::pow(50000.0, -1.0 / 8)));
  const auto linear = frequencies([](ChangedGguf& f) {
    f.put("llama.rope.scaling.type", "linear");
    f.f32("llama.rope.scaling.factor", 4);
  });
  const auto none = frequencies([](ChangedGguf& f) {
    f.put("llama.rope.scaling.type", "none");
    f.f32("llama.rope.scaling.factor", 4);
  });
  const auto yarn = frequencies([](ChangedGguf& f) {
    f.put("llama.rope.scaling.type", "yarn");
    f.f32("llama.rope.scaling.factor", 4);
    f.u32("llama.rope.scaling.original_context_length", 64);
  });
  // Llama 3.1's scaling is a tensor of divisors.
  const auto divided = frequencies([](ChangedGguf& f) {
    f.data.resize((f.data.size() + 31) / 32 * 32);
    f.tensors["rope_freqs.weight"] = {{8}, 0, f.data.size()};
    for (const float divisor : {1.F, 1.F, 2.F, 2.F, 4.F, 8.F, 8.F, 8.F}) {
      CASE(divisor);
      std::uint32_t bits = 0;
      std::memcpy(&bits, &divisor, 4);
      f.data += GgufBuilder::bytes(bits, 4);
    }
  });
  CHECK_SAME(none, plain);
  for (std::size_t i = 0; i < 8; ++i) CHECK_AT(i, linear[i] == plain[i] / 4);
  CHECK(yarn[0] == plain[0]);
  CHECK(yarn[7] == plain[7] / 4);
  CHECK(divided[3] == plain[3] / 2);
  CHECK(divided[7] == plain[7] / 8);
  CHECK(contains(failure("llama",
                         [](ChangedGguf& f) {
                           f.data.resize((f.data.size() + 31) / 32 * 32 + 32);
                           f.tensors["rope_freqs.weight"] = {{8}, 0, f.data.size() - 32};
                         }),
                 "rope_freqs.weight must hold positive numbers"));
}

TEST_CASE("GGUF: rows of queries and keys in the order of the heads' halves") {
  CHECK(axelram::checkpoints::paired_place(0, 8) == 0);
  CHECK(axelram::checkpoints::paired_place(1, 8) == 2);
  CHECK(axelram::checkpoints::paired_place(4, 8) == 1);
  CHECK(axelram::checkpoints::paired_place(8 + 7, 8) == 8 + 7);
  const Checkpoint llama = ChangedGguf("llama").read(), qwen = ChangedGguf("qwen2").read();
  CHECK(llama.layers[0].q.paired_head == 16);
  CHECK(llama.layers[0].k.paired_head == 16);
  CHECK(llama.layers[0].v.paired_head == 0);
  CHECK(qwen.layers[0].q.paired_head == 0);
}

TEST_CASE("GGUF: mutants are read or rejected in one line") {
  for (const std::string& name : kArchitectures) {
    CASE(name);
    const std::string whole = ChangedGguf(name).bytes();
    const std::size_t header = whole.size() - ChangedGguf(name).data.size();
    std::mt19937 random(20261123);
    int good = 0, bad = 0;
    for (int i = 0; i < 300; ++i) {
      CASE(i);
      std::string text = whole;
      for (int change = 0; change < 1 + i % 3; ++change) {
        const std::size_t at = std::uniform_int_distribution<std::size_t>(0, header - 1)(random);
        text[at] = static_cast<char>(i % 2 == 0 ? random() : text[at] ^ (1 << random() % 8));
      }
      const test::TemporaryFolder folder;
      test::put(folder / "model.gguf", text);
      CASE(i);
      try {
        test::sum_of_all(axelram::checkpoints::read_checkpoint(folder / "model.gguf"));
        ++good;
      } catch (const axelram::files::InputError& error) {
        REQUIRE_FALSE(contains(error.what(), "\n"));
        REQUIRE(contains(error.what(), "model.gguf"));
        ++bad;
      } catch (const axelram::files::EnvironmentError& error) {
        REQUIRE_FALSE(contains(error.what(), "\n"));
        ++bad;
      }
    }
    CHECK(good > 2);
    CHECK(bad > 50);
  }
}
