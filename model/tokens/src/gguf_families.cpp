#include "gguf_families.hpp"

#include <algorithm>

#include "axelram/files/messages.hpp"

namespace axelram::tokens {
namespace {

constexpr char kLlama3[] = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
                           R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
/// Llama 3's with one digit in place of three.
constexpr char kQwen2[] = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
                          R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr GgufFamily kFamilies[] = {
    {"gpt-2", "phi-2 gigachat mellum a.x-4.0", false, false, nullptr, false, false},
    {"smollm", "starcoder refact", false, true, nullptr, false, false},
    {"llama-bpe", "llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2", false, false, kLlama3,
     true, true},
    {"qwen2", "deepseek-r1-qwen kormo megrez", true, false, kQwen2, false, false},
};

bool is_alias(const GgufFamily& family, std::string_view pre) {
  const std::string all = " " + std::string(family.aliases) + " ";
  return pre.find(' ') == std::string_view::npos && !pre.empty() &&
         all.find(" " + std::string(pre) + " ") != std::string::npos;
}

}  // namespace

nlohmann::json GgufFamily::normalizer() const {
  if (!nfc) return nullptr;
  return {{"type", "NFC"}};
}

nlohmann::json GgufFamily::pre_tokenizer() const {
  nlohmann::json stages = nlohmann::json::array();
  if (digits) stages.push_back({{"type", "Digits"}, {"individual_digits", true}});
  if (split != nullptr)
    stages.push_back({{"type", "Split"},
                      {"pattern", {{"Regex", split}}},
                      {"behavior", "Isolated"},
                      {"invert", false}});
  stages.push_back({{"type", "ByteLevel"},
                    {"add_prefix_space", false},
                    {"trim_offsets", true},
                    {"use_regex", split == nullptr}});
  if (stages.size() == 1) return stages[0];
  return {{"type", "Sequence"}, {"pretokenizers", std::move(stages)}};
}

const GgufFamily* find_family(std::string_view pre) {
  const auto* place = std::find_if(
      std::begin(kFamilies), std::end(kFamilies),
      [&](const GgufFamily& family) { return pre == family.pre || is_alias(family, pre); });
  return place == std::end(kFamilies) ? nullptr : place;
}

std::string family_names() {
  std::vector<std::string> names;
  for (const GgufFamily& family : kFamilies) names.emplace_back(family.pre);
  return files::any_of(names);
}

}  // namespace axelram::tokens
