#include "axelram/commands/run_cache.hpp"

#include <chrono>

#include "axelram/caches/tiered_run.hpp"
#include "axelram/fast.hpp"
#include "axelram/files/atomic_file.hpp"
#include "json.hpp"
#include "outputs.hpp"

namespace axelram::commands {
namespace {

const UnitTable& units_of(EngineKind engine) {
  switch (engine) {
    case EngineKind::golden:
      return reference_units();
    case EngineKind::fast:
      return fast_units();
    case EngineKind::rtl:
    case EngineKind::cuda:
      break;
  }
  throw files::InputError("--engine " + name_of(engine) +
                          " has no tiered caches; use golden or fast");
}

Json half_json(const files::TierHalf& half) {
  const std::size_t rows = half.bounds.size();
  return {{"warm_end", rows == 0 ? Json() : Json(half.bounds[rows - 2])},
          {"archive_end", rows == 0 ? Json() : Json(half.bounds[rows - 1])},
          {"warm_blocks", half.warm.rows()},
          {"archive_blocks", half.archive.rows()}};
}

}  // namespace

RunCacheResult run_cache(const RunCacheOptions& options, const Progress&,
                         const Show<RunCacheResult>& show) {
  const UnitTable& units = units_of(options.engine);
  const caches::Specification cache = caches::parse_specification(options.cache);
  const files::TierTrace trace =
      files::read_tier_trace(options.trace, caches::stores_keys_before_rotary(cache));
  Outputs outputs(options.force, {options.trace});
  for (const std::string& file : caches::other_files(cache)) outputs.protect(file);
  for (const std::string& name : caches::configurations(cache)) outputs.protect(read_config(name));
  for (const std::string& path : {options.output, options.json}) outputs.add(path);

  RunCacheResult result{caches::to_string(cache), options.trace, options.engine, {}, 0};
  const auto start = std::chrono::steady_clock::now();
  result.result = caches::run_tiers(cache, trace, units);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  show_figures(show, result);
  files::write_tier_result(options.output, result.result, options.force);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const RunCacheResult& r) {
  const files::TierResult& result = r.result;
  return text_of({{"cache", r.cache},
                  {"engine", name_of(r.engine)},
                  {"trace", r.trace},
                  {"tokens", result.tokens},
                  {"queries", result.queries},
                  {"head_dim", result.d},
                  {"keys", half_json(result.keys)},
                  {"values", half_json(result.values)},
                  {"bytes",
                   {{"fp16", result.bytes_fp16},
                    {"warm", result.bytes_warm},
                    {"archive", result.bytes_archive}}},
                  {"seconds", r.seconds}});
}

}  // namespace axelram::commands
