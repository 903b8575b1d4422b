#include "seeds.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

namespace axelram::cli {
namespace {

constexpr std::size_t kMost = 1000;

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty()) return {};
  return value;
}

/// No value for an invalid list.
std::optional<std::vector<std::uint64_t>> parse(const std::string& list) {
  std::vector<std::uint64_t> seeds;
  std::stringstream entries(list + ",");
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t dash = entry.find('-');
    const auto first = number(entry.substr(0, dash));
    const auto last = dash == std::string::npos ? first : number(entry.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= kMost) return {};
    for (std::uint64_t seed = *first;; ++seed) {
      if (std::find(seeds.begin(), seeds.end(), seed) != seeds.end()) return {};
      seeds.push_back(seed);
      if (seed == *last) break;
    }
    if (seeds.size() > kMost) return {};
  }
  return seeds;
}

}  // namespace

CLI::Validator seed_list() {
  return CLI::Validator(
      [](const std::string& text) {
        return parse(text) ? std::string()
                           : "'" + text + "'; give different seeds, at most 1000, such as 1,2,5-8";
      },
      "");
}

std::vector<std::uint64_t> parse_seeds(const std::string& list) { return parse(list).value(); }

}  // namespace axelram::cli
