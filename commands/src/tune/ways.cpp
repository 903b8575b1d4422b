#include "ways.hpp"

namespace axelram::commands::tunes {
namespace {

using calibration::BalanceQueries;
using calibration::Rank;
using Kind = QuantizerKind;
using Scale = ScaleKind;

constexpr int kTrellisStates = 8, kNewest = 16;

/// A way with a trellis, an unbiased norm and exact tokens.
constexpr Way records(std::string_view name, std::string_view what,
                      Centering centering = Centering::none,
                      std::optional<BalanceQueries> balance = {}, Rank feedback = Rank::none) {
  return {name, what, Kind::trellis, Scale::unbiased, kNewest, centering, balance, feedback};
}

constexpr auto kDeflated = BalanceQueries::deflated, kWhole = BalanceQueries::whole;

constexpr Way kKeys[] = {
    {"plain", "the paper's macro"},
    records("records", "trellis, unbiased norm, exact tokens"),
    records("center", "trellis, unbiased norm, exact tokens, one center", Centering::one),
    records("center-balance", "trellis, unbiased norm, exact tokens, one center, balance",
            Centering::one, kWhole),
    records("positions-feedback",
            "trellis, unbiased norm, exact tokens, centers of positions, feedback",
            Centering::positions, {}, Rank::one),
    records("center-feedback", "trellis, unbiased norm, exact tokens, one center, feedback",
            Centering::one, {}, Rank::one),
    records("positions-balance-feedback",
            "trellis, unbiased norm, exact tokens, centers of positions, balance, feedback",
            Centering::positions, kDeflated, Rank::one),
    records("center-balance-feedback",
            "trellis, unbiased norm, exact tokens, one center, balance, feedback", Centering::one,
            kDeflated, Rank::one),
    records("positions-full",
            "trellis, unbiased norm, exact tokens, centers of positions, feedback of full rank",
            Centering::positions, {}, Rank::full),
    records("positions-balance-full",
            "trellis, unbiased norm, exact tokens, centers of positions, balance, feedback of full "
            "rank",
            Centering::positions, kDeflated, Rank::full),
};

constexpr Way kValues[] = {
    {"plain", "the paper's macro"},
    {"unbiased", "unbiased norm, exact tokens", Kind::mse, Scale::unbiased, kNewest},
    records("records", "trellis, unbiased norm, exact tokens"),
    // Exact values cost memory alone, no multiplier of a macro.
    {"newest", "trellis, unbiased norm, exact tokens, the newest 32", Kind::trellis,
     Scale::unbiased, 2 * kNewest},
};

/// "feedback-balanced.safetensors"
std::string file_name(std::string_view stem, const Way& way) {
  const char* const suffix = !way.balance                ? ""
                             : *way.balance == kDeflated ? "-balanced"
                                                         : "-balanced-whole";
  return std::string(stem) + suffix + ".safetensors";
}

}  // namespace

std::span<const Way> key_ways() { return kKeys; }
std::span<const Way> value_ways() { return kValues; }

std::size_t record_bytes(int head_dim, int bits) {
  Parameters parameters;
  parameters.head_dim = head_dim;
  parameters.index_bits = bits;
  return static_cast<std::size_t>(parameters.record_bytes());
}

std::string center_name(const Way& way) {
  return way.centering == Centering::one ? file_name("center", way) : "";
}

// Centers of positions are of keys as they come, balanced or not.
std::string centers_name(const Way& way) {
  return way.centering == Centering::positions ? "centers.safetensors" : "";
}

std::string balance_name(const Way& way) {
  if (!way.balance) return "";
  return *way.balance == kWhole ? "balance-whole.safetensors" : "balance.safetensors";
}

std::string feedback_name(const Way& way) {
  if (way.feedback == Rank::none) return "";
  return file_name(way.feedback == Rank::one ? "feedback" : "feedback-full", way);
}

std::vector<std::string> files_of(const Way& way) {
  std::vector<std::string> names;
  for (const std::string& name :
       {center_name(way), centers_name(way), balance_name(way), feedback_name(way)})
    if (!name.empty()) names.push_back(name);
  return names;
}

std::string configuration(const Way& way, int bits, const Macro& macro,
                          const std::string& comment) {
  std::string text = "# " + comment + "\nmacro:     {head_dim: " + std::to_string(macro.head_dim) +
                     ", index_bits: " + std::to_string(bits) +
                     ", max_keys: " + std::to_string(macro.max_keys) + "}\n";
  text += "quantizer: {kind: " + name_of(way.kind);
  if (way.kind == Kind::trellis) text += ", states: " + std::to_string(kTrellisStates);
  text += ", scale: " + name_of(way.scale) + "}\n";
  text += "rotation:  {seed: " + std::to_string(macro.seed);
  if (const std::string file = center_name(way); !file.empty()) text += ", center: " + file;
  if (const std::string file = balance_name(way); !file.empty()) text += ", balance: " + file;
  text += "}\n";
  if (way.newest != 0) text += "exact:     {first: 1, last: " + std::to_string(way.newest) + "}\n";
  return text;
}

caches::Axelram rows_of(const Way& way, const std::string& folder, const std::string& config) {
  const auto in_folder = [&](const std::string& name) {
    return name.empty() ? name : folder + name;
  };
  caches::Axelram rows;
  rows.config = folder + config;
  rows.feedback = in_folder(feedback_name(way));
  rows.centers = in_folder(centers_name(way));
  return rows;
}

}  // namespace axelram::commands::tunes
