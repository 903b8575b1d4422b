#include "keys/gguf_keys.hpp"

#include <cmath>

#include "checkpoints/changed_gguf.hpp"

using nlohmann::json;
using namespace test;

namespace {

using axelram::checkpoints::Architecture;
using axelram::checkpoints::gguf_keys;
using axelram::checkpoints::GgufKey;
using axelram::checkpoints::GgufType;
using axelram::checkpoints::is_one_of;
using axelram::checkpoints::kRejected;

void set(ChangedGguf& file, const std::string& key, GgufType type, const json& value) {
  if (type == GgufType::real)
    file.f32(key, value.get<float>());
  else if (type == GgufType::flag)
    file.flag(key, value.get<bool>());
  else if (type == GgufType::text)
    file.put(key, value.get<std::string>());
  else
    file.u32(key, value.get<std::uint32_t>());
}

Architecture changed(const std::string& name, const std::function<void(ChangedGguf&)>& change) {
  ChangedGguf file(name);
  change(file);
  return file.read().architecture;
}

void check_same_model(const Architecture& a, const Architecture& b) {
  CHECK(a.heads == b.heads);
  CHECK(a.kv_heads == b.kv_heads);
  CHECK(a.head_dim == b.head_dim);
  CHECK(a.norm_epsilon == b.norm_epsilon);
  CHECK(a.query_scalar == b.query_scalar);
  CHECK_SAME(a.rotary.frequencies, b.rotary.frequencies);
  CHECK(a.rotary.attention_factor == b.rotary.attention_factor);
  CHECK_SAME(a.local_rotary.frequencies, b.local_rotary.frequencies);
  CHECK_SAME(a.spans, b.spans);
}

/// Values that a row holds, and one that it does not, of a reference file.
std::pair<json, json> held_of(const GgufKey& row, const Architecture& a) {
  if (row.held.starts_with('[')) {
    json others = json::array();
    const json held = json::parse(row.held);
    for (const json& other : {json(true), json(false), json(3), json("relu")}) {
      const bool of_type = other.is_boolean() == (row.type == GgufType::flag) &&
                           other.is_string() == (row.type == GgufType::text);
      if (of_type && std::find(held.begin(), held.end(), other) == held.end())
        others.push_back(other);
    }
    return {held, others};
  }
  const bool is_heads = row.held == "=attention.head_count";
  const bool is_width = row.held == "=embedding_length";
  if (row.held.starts_with(">=")) return {{0, a.max_positions, a.max_positions + 1}, {1, 8}};
  if (row.held.starts_with("1/sqrt"))
    return {{0, 1 / std::sqrt(static_cast<double>(a.head_dim))}, {1.0, 0.5}};
  if (row.held.starts_with("sliding")) return {{6}, {5, 7}};
  if (row.held.starts_with("-1, ")) return {{-1, 0}, {1, 0.5}};  // no file has YaRN
  if (row.held == "*") return {json::array(), json::array()};
  const std::size_t right = is_heads ? a.heads : is_width ? a.hidden : a.head_dim;
  return {{right}, {right + 2}};
}

}  // namespace

TEST_CASE("GGUF: what llama.cpp needs is an error that names the key") {
  for (const std::string& name : kArchitectures)
    for (const GgufKey& row : gguf_keys()) {
      if (!is_one_of(row.of, name) || row.absent != kRejected) continue;
      const std::string key = name + "." + std::string(row.key);
      CASE(name, row.key);
      CHECK(failure(name, [&](ChangedGguf& f) { REQUIRE(f.fields.erase(key) == 1); }) ==
            key + " is missing; the model needs it");
    }
}

TEST_CASE("GGUF: a key that is absent has the value of llama.cpp") {
  const Architecture llama = changed("llama", [](ChangedGguf& f) {
    f.fields.erase("llama.attention.key_length");
    f.fields.erase("llama.vocab_size");
    f.fields.erase("llama.rope.freq_base");
  });
  CHECK(llama.head_dim == 16);
  CHECK(llama.vocabulary == 96);
  CHECK(llama.rotary.frequencies[1] == doctest::Approx(std::pow(10000.0, -1.0 / 8)).epsilon(1e-12));
  // All heads have keys of their own: the file has fewer rows.
  for (const std::string name : {"llama", "qwen2", "qwen3", "gemma3"})
    CHECK_AT(name,
             contains(failure(name,
                              [&](ChangedGguf& f) {
                                f.fields.erase(name + std::string(".attention.head_count_kv"));
                              }),
                      "tensor blk.0.attn_k.weight: shape is ["));
  // Not Qwen's and Gemma's own defaults, which a GGUF file does not have.
  for (const std::string name : {"qwen3", "gemma3"})
    CHECK_AT(name, contains(failure(name,
                                    [&](ChangedGguf& f) {
                                      for (const char* key :
                                           {"attention.key_length", "rope.dimension_count",
                                            "attention.value_length"})
                                        f.fields.erase(name + std::string(".") + key);
                                    }),
                            "; the file's metadata makes it [64, 64]"));
  const Architecture gemma = changed("gemma3", [](ChangedGguf& f) {
    f.fields.erase("gemma3.rope.freq_base");
    f.fields.erase("gemma3.rope.freq_base_swa");
  });
  CHECK_SAME(gemma.rotary.frequencies, gemma.local_rotary.frequencies);
  CHECK(gemma.rotary.frequencies[1] ==
        doctest::Approx(std::pow(10000.0, -1.0 / 24)).epsilon(1e-12));
}

TEST_CASE(
    "GGUF: a key that says what holds anyway is accepted, another value is rejected by name") {
  for (const std::string& name : kArchitectures) {
    CASE(name);
    const Architecture right = ChangedGguf(name).read().architecture;
    for (const GgufKey& row : gguf_keys()) {
      const std::string key = name + "." + std::string(row.key);
      if (!is_one_of(row.of, name) || !row.to.empty() || row.held.empty() ||
          row.held == "=rope.freq_base" || row.held == "=rope.freq_base_swa" ||
          row.key == "rope.scaling.type")
        continue;
      const auto [held, others] = held_of(row, right);
      for (const json& value : held) {
        CASE(row.key, value.dump());
        check_same_model(changed(name, [&](ChangedGguf& f) { set(f, key, row.type, value); }),
                         right);
      }
      for (const json& value : others) {
        CASE(row.key, value.dump());
        const std::string line =
            failure(name, [&](ChangedGguf& f) { set(f, key, row.type, value); });
        CHECK(contains(line, key + " is "));
        CHECK(contains(line, "; supported "));
      }
    }
  }
}

TEST_CASE("GGUF: numbers of other types, and a list with a number for each layer") {
  const Architecture llama = ChangedGguf("llama").read().architecture;
  check_same_model(changed("llama",
                           [](ChangedGguf& f) {
                             f.u32("llama.rope.freq_base", 50000);
                             f.list("llama.attention.head_count", {4, 4});
                             f.list("llama.attention.head_count_kv", {2, 2});
                             f.list("llama.feed_forward_length", {64, 64});
                           }),
                   llama);
  CHECK(
      contains(failure("llama",
                       [](ChangedGguf& f) {
                         f.list("llama.feed_forward_length", {64, 32});
                       }),
               "llama.feed_forward_length is a list of 2; supported is the same number for each"));
  const Architecture gemma = ChangedGguf("gemma3").read().architecture;
  check_same_model(
      changed("gemma3",
              [](ChangedGguf& f) {
                f.list("gemma3.attention.sliding_window_pattern", {1, 1, 1, 1, 1, 0}, true);
              }),
      gemma);
  for (const std::vector<std::uint32_t>& sizes : {std::vector<std::uint32_t>{}, {2}, {2, 2, 2}})
    for (const char* key : {"attention.head_count_kv", "expert_used_count"}) {
      CASE(key, sizes.size());
      const std::string full = std::string("llama.") + key;
      CHECK(failure("llama", [&](ChangedGguf& f) { f.list(full, sizes); }) ==
            full + " is a list of " + std::to_string(sizes.size()) +
                "; it must have an entry for each of the 2 layers");
    }
  for (const std::vector<std::uint32_t>& pattern :
       {std::vector<std::uint32_t>{}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 0, 1}})
    CHECK_AT(pattern.size(), contains(failure("gemma3",
                                              [&](ChangedGguf& f) {
                                                f.list("gemma3.attention.sliding_window_pattern",
                                                       pattern, true);
                                              }),
                                      "; it must have an entry for each of the 6 layers"));
  CHECK(contains(
      failure("gemma3",
              [](ChangedGguf& f) {
                f.list("gemma3.attention.sliding_window_pattern", {1, 0, 1, 1, 1, 0}, true);
              }),
      "gemma3.attention.sliding_window_pattern is a list of 6; supported is 6"));
}

TEST_CASE("GGUF: scaling by its older name, and without a type") {
  const Architecture plain = ChangedGguf("llama").read().architecture;
  for (const char* key : {"llama.rope.scale_linear", "llama.rope.scaling.factor"}) {
    CASE(key);
    const Architecture scaled = changed("llama", [&](ChangedGguf& f) { f.f32(key, 4); });
    for (std::size_t i = 0; i < 8; ++i)
      CHECK_AT(i, scaled.rotary.frequencies[i] == plain.rotary.frequencies[i] / 4);
    for (const float none : {0.0F, 1.0F}) {
      CASE(none);
      CHECK_SAME(changed("llama", [&](ChangedGguf& f) { f.f32(key, none); }).rotary.frequencies,
                 plain.rotary.frequencies);
    }
  }
  CHECK_SAME(changed("llama", [](ChangedGguf& f) { f.put("llama.rope.scaling.type", "linear"); })
                 .rotary.frequencies,
             plain.rotary.frequencies);
}

TEST_CASE("GGUF: messages name the key that the file has") {
  const auto line = [](const std::string& name, const std::string& key, const std::string& erased) {
    return failure(name, [&](ChangedGguf& f) {
      f.fields.erase(erased);
      f.f32(key, -1);
    });
  };
  const std::string what = " is -1.0; it must be a positive number";
  for (const std::string key : {"llama.rope.scale_linear", "llama.rope.scaling.factor"})
    CHECK_AT(key, line("llama", key, "") == key + what);
  for (const std::string base : {"gemma3.rope.freq_base", "gemma3.rope.freq_base_swa"}) {
    const bool local = base.ends_with("swa");
    const std::string other = std::string("gemma3.rope.") + (local ? "local" : "global");
    CHECK_AT(base, line("gemma3", other + ".freq_base", base) == other + ".freq_base" + what);
    CHECK_AT(base, line("gemma3", base, "") == base + what);
  }
}

TEST_CASE("GGUF: the share of YaRN's ramp by the kind of scaling") {
  const std::string key = "llama.rope.scaling.yarn_ext_factor";
  const auto with = [&](const std::string& type, float value) {
    return failure("llama", [&](ChangedGguf& f) {
      if (!type.empty()) f.put("llama.rope.scaling.type", type);
      f.f32("llama.rope.scaling.factor", 4);
      f.f32(key, value);
    });
  };
  for (const std::string type : {"", "none", "linear", "yarn"}) {
    CASE(type);
    const bool yarn = type == "yarn";
    CHECK_SAME(with(type, -1), "");
    CHECK_SAME(with(type, yarn ? 1 : 0), "");
    CHECK(contains(with(type, yarn ? 0 : 1), key + " is "));
    CHECK(contains(with(type, yarn ? 0 : 1),
                   yarn ? "; supported are -1 or 1, where rope.scaling.type"
                        : "; supported are -1 or 0, where rope.scaling.type"));
    CHECK(contains(with(type, 0.5F), key + " is "));
  }
  for (const std::string bound : {"fast", "slow"})
    CHECK_AT(bound, contains(failure("llama",
                                     [&](ChangedGguf& f) {
                                       f.put("llama.rope.scaling.type", "yarn");
                                       f.f32("llama.rope.scaling.factor", 4);
                                       f.f32("llama.rope.scaling.yarn_beta_" + bound, 0);
                                     }),
                             "yarn_beta_" + bound + " is 0.000000; it must be a positive number"));
}

TEST_CASE("GGUF: Gemma's bases under the names of another converter") {
  const Architecture gemma = changed("gemma3", [](ChangedGguf& f) {
    f.fields.erase("gemma3.rope.freq_base");
    f.fields.erase("gemma3.rope.freq_base_swa");
    f.f32("gemma3.rope.global.freq_base", 1e6F);
    f.f32("gemma3.rope.local.freq_base", 5000);
  });
  CHECK(gemma.rotary.frequencies[1] == doctest::Approx(std::pow(1e6, -1.0 / 24)).epsilon(1e-12));
  CHECK(gemma.local_rotary.frequencies[1] ==
        doctest::Approx(std::pow(5000.0, -1.0 / 24)).epsilon(1e-12));
  CHECK(contains(failure("gemma3",
                         [](ChangedGguf& f) {
                           f.f32("gemma3.rope.freq_base", 1e6F);
                           f.f32("gemma3.rope.global.freq_base", 1e4F);
                         }),
                 "gemma3.rope.global.freq_base is 10000.000000; supported is 1000000.0"));
}

TEST_CASE("GGUF: keys of whoever made the file say nothing about the model") {
  CHECK(failure("llama", [](ChangedGguf& f) {
          f.put("mradermacher.quantized_by", "somebody");
          f.put("general.sampling.sequence", "k");
          f.u32("quantize.imatrix.chunks_count", 3);
        }) == "");
  for (const char* key : {"clip.size", "adapter.type", "controlvector.layers", "qwen2.block_count"})
    CHECK_AT(key, contains(failure("llama", [&](ChangedGguf& f) { f.u32(key, 1); }),
                           key + std::string(" is 1; no key of a llama model")));
}
