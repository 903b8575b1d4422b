#include "sram/key_store.hpp"

#include <algorithm>
#include <variant>

#include "axelram/rtl/layout.hpp"
#include "sram/estimate.hpp"

namespace axelram::report {
namespace {

constexpr const char* kTitle = "key store in silicon";

}  // namespace

SramEstimate estimate_of_source(const files::Config& config, const SramShape& shape) {
  if (const auto* table = std::get_if<files::PublishedTable>(&config.sram_source))
    return estimate_of_table(*table, shape);
  if (const auto* macro = std::get_if<files::SramMacro>(&config.sram_source))
    return estimate_of_macro(*macro, shape, config.sram.node);
  const std::string reason = "sram.model is none";
  const files::SourceFigure missing = {{}, reason};
  return {{}, reason, missing, missing, missing, missing, missing};
}

SramEstimate sram_of(const files::Config& config) {
  const rtl::Layout layout(config);
  return estimate_of_source(config,
                            {static_cast<std::uint64_t>(config.max_keys), layout.stored_bits});
}

// A memory with a code reads the records of exact tokens, too: its corrections do not depend on
// them (rtl/store/axelram_store.sv).
std::uint64_t reads_of_query(const files::Config& config, std::uint64_t keys) {
  const auto copies = static_cast<std::uint64_t>(config.parameters.copies());
  return config.ecc.code == "none" ? keys - std::min(keys, copies) : keys;
}

void add_key_store(const files::Config& config, Lines* lines) {
  const SramEstimate sram = sram_of(config);

  Section section(lines, kTitle);
  const auto add = [&section](const char* name, const files::SourceFigure& figure,
                              const char* unit) {
    if (figure.value)
      section.figure(name, *figure.value, unit, Method::estimated, figure.note);
    else
      section.missing(name, unit, figure.note);
  };
  if (sram.tiles)
    lines->push_back(
        {kTitle, "key_store_tiles", *sram.tiles, "macros", Method::estimated, {}, sram.tiles_note});
  else
    section.missing("key_store_tiles", "macros", sram.tiles_note);
  add("key_store_area", sram.area, "mm^2");
  add("key_store_read_energy", sram.read, "pJ");
  add("key_store_write_energy", sram.write, "pJ");
  add("key_store_read_time", sram.access, "ns");
  add("key_store_leakage", sram.leakage, "uW");

  const auto keys = static_cast<std::uint64_t>(config.max_keys);
  const std::uint64_t reads = reads_of_query(config, keys);
  const bool copied = reads != keys;
  files::SourceFigure query = {{}, sram.read.note};
  if (sram.read.value)
    query = {*sram.read.value * static_cast<double>(reads) * 1e-3,
             std::to_string(reads) + " reads of a record" +
                 (copied ? ", T = max_keys without exact tokens; " : ", T = max_keys; ") +
                 sram.read.note};
  add("query_read_energy", query, "nJ");
}

}  // namespace axelram::report
