#include "llama3_scaling.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/files/errors.hpp"
#include "gguf_names.hpp"
#include "rotary.hpp"

namespace axelram::checkpoints {
namespace {

// Converters compute the divisors in floats, from frequencies in floats.
constexpr double kRounding = 1e-6;

bool are_equal(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return std::abs(x - y) <= kRounding * std::abs(y); });
}

}  // namespace

void add_llama3_scaling(const GgufModel& model, nlohmann::json* config) {
  const auto found = model.tensors.all().find(kRotaryFactors);
  if (found == model.tensors.all().end()) return;
  const Stored& stored = found->second;
  const std::string refuge = "; measure the GGUF file itself, which needs no conversion";
  if (config->contains("rope_scaling"))
    throw files::InputError(stored.place + "the metadata scales the rotary embedding too, and a " +
                            "folder has one scaling" + refuge);
  const Architecture& a = model.checkpoint.architecture;
  const std::vector<float> divisors = vector_of(stored, a.rotary.frequencies.size());
  const float factor = *std::max_element(divisors.begin(), divisors.end());
  nlohmann::json scaled = *config;
  scaled["rope_scaling"] = {{"rope_type", "llama3"},
                            {"factor", static_cast<double>(factor)},
                            {"low_freq_factor", 1.0},
                            {"high_freq_factor", 4.0},
                            {"original_max_position_embeddings", 8192U}};
  const JsonObject object = JsonObject::of(scaled, stored.place, {});
  if (!are_equal(rotary(object, a.head_dim, a.max_positions).frequencies, a.rotary.frequencies))
    throw files::InputError(
        stored.place + "its divisors are not those of llama3 scaling by the factor " +
        std::to_string(factor) + " (low_freq_factor 1, high_freq_factor 4, " +
        "original_max_position_embeddings 8192), and a folder has no others" + refuge);
  if (factor != 1) *config = std::move(scaled);
}

}  // namespace axelram::checkpoints
