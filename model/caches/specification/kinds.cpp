#include "axelram/caches/kinds.hpp"

#include <string_view>

#include "axelram/caches/tuned.hpp"
#include "axelram/files/errors.hpp"
#include "specification/kind.hpp"

namespace axelram::caches {

const std::vector<CacheKind>& cache_kinds() {
  static const std::vector<CacheKind> kinds = [] {
    std::vector<CacheKind> all;
    for_each_kind([&](const auto& row) {
      CacheKind kind{std::string(row.kName), {}, row.kind().help, {"cpu"}};
      for (const auto& parameter : row.kind().parameters) kind.parameters.push_back(parameter.text);
      if (row.kOnGpu) kind.devices.emplace_back("cuda");
      all.push_back(std::move(kind));
    });
    // Stands for one of the others (tuned_specification).
    all.push_back({kTuned,
                   {{"", "DIR", "", "folder that 'axelram tune' wrote"}},
                   "the cache that 'axelram tune' found for this model, keys and values",
                   {"cpu"}});
    return all;
  }();
  return kinds;
}

std::string cache_help(const std::string& indent) {
  std::string text;
  for (const CacheKind& kind : cache_kinds()) {
    text += indent + kind.name;
    char separator = ':';
    for (const CacheParameter& parameter : kind.parameters) {
      text += separator + parameter.text();
      separator = ',';
    }
    text += '\n';
  }
  return text;
}

void reject_faults(std::string_view cache) {
  std::vector<std::string> others;
  for (const CacheKind& kind : cache_kinds())
    for (const CacheParameter& parameter : kind.parameters)
      if (parameter.key == "ber") others.push_back(kind.name);
  throw files::InputError("the cache " + std::string(cache) + " has no bit errors; use " +
                          files::any_of(others));
}

}  // namespace axelram::caches
