#include "axelram/report/token.hpp"

#include <algorithm>

#include "axelram/report/cells.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "sram/estimate.hpp"
#include "sram/key_store.hpp"
#include "token/token_lines.hpp"

namespace axelram::report {
namespace {

constexpr const char* kTokenSection = "a token";
constexpr const char* kWithoutShape =
    "--shape layers=N,kv_heads=N,query_heads=N,context=N: of the model whose token it is";

/// Adds lines that are n/a without a shape.
class TokenLines {
 public:
  TokenLines(bool known, Lines* lines) : known_(known), section_(lines, kTokenSection) {}
  void count(const char* name, std::uint64_t value, const char* unit, const std::string& note) {
    if (known_)
      section_.count(name, value, unit, note);
    else
      section_.missing(name, unit, kWithoutShape);
  }
  void figure(const char* name, double value, const char* unit, Method method,
              const std::string& note) {
    if (known_)
      section_.figure(name, value, unit, method, note);
    else
      section_.missing(name, unit, kWithoutShape);
  }
  /// pJ of one access, and how many there are.
  void energy(const char* name, const files::SourceFigure& access, std::uint64_t accesses,
              const char* of) {
    if (known_ && access.value)
      section_.figure(
          name, *access.value * static_cast<double>(accesses) * 1e-6, "uJ", Method::estimated,
          std::to_string(accesses) + of + number(*access.value) + " pJ; " + access.note);
    else
      section_.missing(name, "uJ", known_ ? access.note : kWithoutShape);
  }
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
  }

 private:
  bool known_;
  Section section_;
};

}  // namespace

StepCounts counts_of(const files::Config& config, const ModelShape& shape) {
  const rtl::Layout layout(config);
  const auto places = static_cast<std::uint64_t>(config.max_keys);
  const std::uint64_t full = shape.context / places, rest = shape.context % places;
  StepCounts counts;
  counts.macros_of_head = full + (rest > 0 ? 1 : 0);
  counts.macros = shape.layers * shape.kv_heads * counts.macros_of_head;
  counts.queries = shape.query_heads / shape.kv_heads;
  counts.fullest = std::min(shape.context, places);
  // Keys are sent without a pause, so that the last of them begins this much later.
  const std::uint64_t earlier =
      static_cast<std::uint64_t>(layout.key_interval) * (counts.fullest - 1);
  counts.layer_cycles =
      sim::cycle_model(layout, {counts.fullest, 0}, counts.queries).total - earlier;
  counts.reads = shape.layers * shape.query_heads *
                 (full * reads_of_query(config, places) + reads_of_query(config, rest));
  counts.writes = shape.layers * shape.kv_heads;
  return counts;
}

void add_token(const files::Config& config, const DecodingStep* step, const MappedDesign* design,
               Lines* lines) {
  const ModelShape shape = step != nullptr ? step->shape : ModelShape{1, 1, 1, 1};
  const StepCounts counts = counts_of(config, shape);
  const rtl::Layout layout(config);
  const std::uint64_t keys = shape.layers * shape.kv_heads * shape.context;
  const auto record = static_cast<std::uint64_t>(layout.stored_bits + 7) / 8;
  const auto dim = static_cast<std::uint64_t>(config.parameters.head_dim);
  const std::string of_head =
      std::to_string(shape.layers) + " layers * " + std::to_string(shape.kv_heads) + " KV heads * ";
  const bool copies = config.parameters.copies() != 0;

  TokenLines section(step != nullptr, lines);
  section.count(
      "token_macros", counts.macros, "macros",
      of_head + std::to_string(counts.macros_of_head) + ", context / max_keys rounded up");
  section.count("token_key_bytes", keys * record, "bytes",
                of_head + std::to_string(shape.context) + " records of " + std::to_string(record) +
                    " bytes" + (copies ? ", without the copies of exact tokens" : ""));
  section.count("token_fp16_key_bytes", keys * 2 * dim, "bytes",
                "the same keys, d floats of 2 bytes each");
  section.count("token_layer_cycles", counts.layer_cycles, "cycles",
                "first beat of the new key to the last score: a key written, " +
                    std::to_string(counts.queries) + " queries one after another on " +
                    std::to_string(counts.fullest) +
                    " keys; the macros of a layer work at the same time, without stalls");
  const double period = step != nullptr ? step->period : 0;
  section.figure("token_time",
                 static_cast<double>(shape.layers * counts.layer_cycles) * period * 1e-3, "us",
                 Method::counted,
                 "layers one after another, at a period of " + TokenLines::number(period) +
                     " ns; scores alone, nothing between layers");
  section.count("token_sram_reads", counts.reads, "reads",
                "of records: a query reads each key of its KV head" +
                    std::string(copies && config.ecc.code == "none"
                                    ? ", of each macro without its exact tokens"
                                    : "") +
                    "; no scrubs");
  section.count("token_sram_writes", counts.writes, "writes",
                "of records: a key of each layer and KV head; nothing written back");
  const SramEstimate sram = sram_of(config);
  section.energy("token_sram_read_energy", sram.read, counts.reads, " reads of ");
  section.energy("token_sram_write_energy", sram.write, counts.writes, " writes of ");
  add_token_energy(config, step, design, kWithoutShape, lines);
  if (step != nullptr && design != nullptr && step->activity != nullptr)
    add_activity(*design, *step->activity, lines);
}

}  // namespace axelram::report
