#include <algorithm>
#include <array>

#include "counts/counts.hpp"

namespace axelram::report {

void add_plain(const files::Config& config, Lines* lines) {
  files::Config plain = config;
  Parameters& p = plain.parameters;
  p.kind = QuantizerKind::mse;
  p.scale = ScaleKind::norm;
  p.split_high = p.split_low = 0;
  p.exact_first = p.exact_last = 0;
  if (p.kind == config.parameters.kind && p.scale == config.parameters.scale &&
      config.parameters.copies() == 0)
    return;

  constexpr std::array kNames = {"write_path_multiplications_per_key",
                                 "multiplications_per_query",
                                 "multiplications_per_decoding_step",
                                 "table_memory",
                                 "key_interval_cycles",
                                 "key_store_latency_cycles"};
  Lines all;
  add_multiplications(plain, &all);
  add_memory(plain, &all);
  add_cycles(plain, std::nullopt, &all);
  for (const char* name : kNames) {
    Line line =
        *std::find_if(all.begin(), all.end(), [name](const Line& one) { return one.name == name; });
    line.section = "the same macro with quantizer: {kind: mse, scale: norm} and no exact tokens";
    line.name = std::string("plain_") + name;
    line.paper.reset();
    lines->push_back(line);
  }
}

}  // namespace axelram::report
