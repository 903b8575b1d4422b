#include "recipes.hpp"

#include <algorithm>
#include <set>

#include "axelram/caches/tuned.hpp"
#include "axelram/files/errors.hpp"

namespace axelram::commands::tunes {
namespace {

constexpr int kLeastBits = 2, kMostBits = 4, kUsualBits = 3;
constexpr std::size_t kHalfPrecision = 2;  // bytes of an element

std::string bits_text(const TuneWidths& bits) {
  const auto half = [](int b) { return b == 0 ? "FP16" : std::to_string(b) + " bits"; };
  return "keys of " + half(bits.keys) + " and values of " + half(bits.values);
}

}  // namespace

std::string Half::name() const {
  return (values ? "values-" : "keys-") + std::to_string(bits) + "-" + std::string(way->name);
}

bool Half::plain() const { return way == &(values ? value_ways() : key_ways()).front(); }

std::string Recipe::name() const {
  if (keys && values) return keys->name() + " " + values->name();
  return keys ? keys->name() : values->name();
}

std::string Recipe::what() const {
  const auto half = [](const Half& of) {
    return std::string(of.values ? "values of " : "keys of ") + std::to_string(of.bits) +
           " bits: " + std::string(of.way->what);
  };
  if (keys && values) return half(*keys) + "; " + half(*values);
  return half(keys ? *keys : *values);
}

TuneWidths Recipe::bits() const { return {keys ? keys->bits : 0, values ? values->bits : 0}; }

bool Recipe::plain() const { return (!keys || keys->plain()) && (!values || values->plain()); }

std::vector<std::string> Recipe::files() const {
  std::vector<std::string> names;
  for (const std::optional<Half>& half : {keys, values}) {
    if (!half) continue;
    names.push_back(half->configuration_name());
    for (const std::string& name : files_of(*half->way)) names.push_back(name);
  }
  return names;
}

caches::Specification Recipe::specification(const std::string& folder) const {
  const auto rows = [&](const std::optional<Half>& half) -> caches::RowSpecification {
    if (!half) return caches::Float16{};
    return rows_of(*half->way, folder, half->configuration_name());
  };
  return {rows(keys), rows(values)};
}

std::size_t token_bytes(const checkpoints::Architecture& a, const TuneWidths& bits) {
  const auto half = [&](int b) {
    return b == 0 ? kHalfPrecision * a.head_dim : record_bytes(static_cast<int>(a.head_dim), b);
  };
  return a.layers * a.kv_heads * (half(bits.keys) + half(bits.values));
}

std::vector<TuneWidths> widths_of(const TuneOptions& options, const checkpoints::Architecture& a) {
  const bool keys = options.part != TunePart::values, values = options.part != TunePart::keys;
  const auto of = [&](int k, int v) { return TuneWidths{keys ? k : 0, values ? v : 0}; };
  const auto fits = [&](const TuneWidths& bits) {
    return options.bytes == 0 || token_bytes(a, bits) <= options.bytes;
  };
  if (options.bits || options.bytes == 0) {
    const int bits = options.bits.value_or(kUsualBits);
    const TuneWidths one = of(bits, bits);
    if (fits(one)) return {one};
    throw files::InputError("--bytes " + std::to_string(options.bytes) + ": " + bits_text(one) +
                            " take " + std::to_string(token_bytes(a, one)) +
                            " bytes a token; give as many, or leave out --bits");
  }
  std::vector<TuneWidths> all;
  for (int k = kLeastBits; k <= kMostBits; ++k)
    for (int v = kLeastBits; v <= kMostBits; ++v)
      if (const TuneWidths one = of(k, v);
          fits(one) && std::find(all.begin(), all.end(), one) == all.end())
        all.push_back(one);
  if (all.empty()) {
    const TuneWidths least = of(kLeastBits, kLeastBits);
    throw files::InputError("--bytes " + std::to_string(options.bytes) + ": the least is " +
                            std::to_string(token_bytes(a, least)) + " bytes a token, " +
                            bits_text(least) + "; give as many");
  }
  std::vector<TuneWidths> best;
  for (const TuneWidths& one : all)
    if (std::none_of(all.begin(), all.end(), [&](const TuneWidths& other) {
          return other != one && other.keys >= one.keys && other.values >= one.values;
        }))
      best.push_back(one);
  return best;
}

std::vector<std::string> tuned_files() {
  std::set<std::string> names = {caches::kTunedCache, caches::kTunedRecipe, "report.md"};
  const auto add = [&](bool values, std::span<const Way> ways) {
    for (const Way& way : ways)
      for (int bits = kLeastBits; bits <= kMostBits; ++bits) {
        names.insert(Half{values, &way, bits}.configuration_name());
        for (const std::string& name : files_of(way)) names.insert(name);
      }
  };
  add(false, key_ways());
  add(true, value_ways());
  return {names.begin(), names.end()};
}

}  // namespace axelram::commands::tunes
