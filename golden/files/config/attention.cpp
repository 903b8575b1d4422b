#include "attention.hpp"

#include <stdexcept>

#include "axelram/attention_output.hpp"
#include "axelram/logit.hpp"
#include "key_types.hpp"

namespace axelram::files {
namespace {

constexpr const char* kAttention = "attention";
constexpr const char* kStore = "store";
constexpr int kMostSegments = 256;

const Rule kGroup{"1, 2, 4, 8", [](int value, const Config&) -> std::string {
                    return is_power_of_two(value) ? "" : "it must be 1, 2, 4 or 8";
                  }};

ConfigKey of_attention(ConfigKey key) {
  return only_with(
      std::move(key), "section `attention`",
      [](const Config& config) { return config.attention.given; },
      "the macro ends at the scores; give attention: {} too");
}

ConfigKey weight_bits() {
  ConfigKey key =
      of_attention(integer(kAttention, "weight_bits", MEMBER(attention.parameters.weight_bits),
                           {12, 28}, "FW, bits of the weight of a token"));
  key.default_value = "8 + log2 max_keys";
  key.set_default = [](Config& config) {
    config.attention.parameters.weight_bits =
        default_weight_bits(static_cast<std::size_t>(config.max_keys));
  };
  return key;
}

ConfigKey scale() {
  const auto read = [](const DocumentValue& value, const std::string& origin, Config& config) {
    config.attention.parameters.scale =
        positive_of(value, origin, config.attention.parameters.scale);
  };
  const auto show = [](const Config& config) -> std::optional<std::string> {
    return shortest(config.attention.parameters.scale);
  };
  ConfigKey key = of_attention({kAttention, "scale",
                                "factor of inner products in the softmax; a register in hardware",
                                "number", "> 0", read, show, "1 / sqrt(head_dim)", nullptr});
  key.set_default = [](Config& config) {
    config.attention.parameters.scale = default_attention_scale(dimension(config));
  };
  return key;
}

}  // namespace

std::vector<ConfigKey> attention_keys() {
  return {
      of_attention(integer(kAttention, "group", MEMBER(attention.parameters.group), {1, 8},
                           "G, query heads that read the same tokens together", kGroup)),
      weight_bits(),
      scale(),
      of_attention(choice(kAttention, "output", MEMBER(attention.parameters.output),
                          "floating-point format of outputs")),
      of_attention(integer(kAttention, "output_lanes", MEMBER(attention.output_lanes),
                           {1, dimension}, "elements of an output per cycle", lanes_rule())),
      of_attention(integer(kStore, "segments", MEMBER(store.segments), {1, kMostSegments},
                           "sequences that the store can hold")),
      of_attention(integer(kStore, "rotations", MEMBER(store.rotations), {1, kMostSegments},
                           "rows of signs and centers, from that of rotation.head on")),
      of_attention(choice(kStore, "rotation_memory", MEMBER(store.rotation_memory),
                          "what holds these rows")),
  };
}

void check_attention(const Document& document, const std::string& origin, const Config& config) {
  const DocumentSection* const section = document.find(kAttention);
  if (section == nullptr) return;
  const Parameters& p = config.parameters;
  const auto line_of = [&](const char* part, const char* key) {
    const DocumentValue* const value = document.find(part, key);
    return value != nullptr ? value->line : section->line;
  };
  if (p.prod())
    fail_at(origin, line_of("quantizer", "kind"),
            "kind is prod, but the macro attends; values need the kind mse or trellis");
  if (p.split())
    fail_at(origin, line_of("split", "bits"),
            "split, but the macro attends; values need records of one part");
  const Rotation& rotation = config.rotation;
  const int last = rotation.head + config.store.rotations - 1;
  if (rotation.source != Rotation::Source::signs_file && last > kMaxLayer)
    fail_at(origin, document.find(kStore)->line,
            "rotations is " + std::to_string(config.store.rotations) +
                ", so that the last head is " + std::to_string(last) + "; it must lie in 0.." +
                std::to_string(kMaxLayer));
  const auto checked = [&](const char* key, const auto& check) {
    try {
      check();
    } catch (const std::invalid_argument& error) {
      fail_at(origin, line_of(kAttention, key), std::string("attention: ") + error.what());
    }
  };
  const AttentionParameters& a = config.attention.parameters;
  checked("scale", [&] { softmax_scale(codebook_rom(p).score_scale, a.scale); });
  checked("weight_bits", [&] { check(a, p, static_cast<std::size_t>(config.max_keys)); });
}

}  // namespace axelram::files
