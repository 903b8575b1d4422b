#include "test_bench_parts.hpp"

#include "axelram/philox.hpp"

namespace axelram::rtl {

std::vector<std::uint16_t> BenchVectors::next() {
  constexpr std::uint32_t kSeed = 0x61786c72;
  const auto fraction = static_cast<unsigned>(parameters_.format_fraction_bits());
  const auto special = static_cast<std::uint16_t>(0x7fffU >> fraction << fraction);
  const auto bias = static_cast<unsigned>(parameters_.format_bias());
  std::vector<std::uint16_t> elements(static_cast<std::size_t>(parameters_.head_dim));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto word = philox4x32({static_cast<std::uint32_t>(i), count_, 0, 0}, {kSeed, 0})[0];
    const unsigned sign = word >> 31 << 15, low = word & ((1U << fraction) - 1);
    const unsigned field = bias - 3 + (word >> 16) % 5;  // magnitudes from 1/8 to 4
    unsigned bits = sign | field << fraction | low;
    if (count_ == 3) bits = 0;
    if (count_ == 5) bits = sign | low;
    if (count_ == 7 && i % 4 == 0) bits = sign | (special - 1U);
    if (with_nan_.count(count_) != 0 && i == elements.size() / 2) bits = special | 1U;
    elements[i] = static_cast<std::uint16_t>(bits);
  }
  ++count_;
  return elements;
}

std::string hex_of(const std::uint16_t* elements, std::size_t count) {
  std::string text;
  for (std::size_t i = count; i-- > 0;) text += hex(elements[i], 16);
  return text;
}

std::string error_counts(const std::vector<std::uint64_t>& counts, int errors) {
  std::string text;
  for (int e = 0; e < errors; ++e)
    text = "32'd" + std::to_string(counts[static_cast<std::size_t>(e)]) +
           (text.empty() ? "" : ", ") + text;
  return "{" + text + "}";
}

std::string filled(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values)
    for (std::size_t at = 0; (at = text.find("@" + name + "@", at)) != std::string::npos;)
      text.replace(at, name.size() + 2, value);
  return text;
}

std::string with_code(const std::string& bench, bool coded, const std::string& record) {
  const auto text = [&](const std::string& code) { return coded ? code : std::string(); };
  return filled(bench,
                {{"CODED", text("\n/// In every " + record +
                                " read one bit is inverted, which the code corrects.")},
                 {"ARMED", text(" && armed")},
                 {"LOAD", text("    load = rst_n && !armed && !busy;\n")},
                 {"CODE_CHECK",
                  text("      if (code_counts[31:0] === 32'd0 || code_counts[95:64] !== 32'd0 || "
                       "!code_first)\n        fail(\"wrong counters of the code\");\n")}});
}

void add_code_connections(const Layout& layout, std::vector<Connection>* connections) {
  if (!layout.code) return;
  connections->insert(connections->end(), {{"ecc_load_i", "1'b0"},
                                           {"ecc_erasure_i", "2'd0"},
                                           {"ecc_write_back_i", "1'b0"},
                                           {"ecc_counts_o", "code_counts"},
                                           {"ecc_first_valid_o", "code_first"},
                                           {"ecc_first_address_o", "code_address"},
                                           {"inject_load_i", "load"}});
  if (layout.attends) connections->push_back({"inject_value_i", "1'b0"});
  connections->insert(connections->end(),
                      {{"inject_mode_i", "2'd3"},
                       {"inject_mask_i", std::to_string(layout.stored_bits) + "'d1"},
                       {"inject_armed_o", "armed"}});
}

std::string top_instance(const Design& design, std::vector<Connection> connections) {
  std::string wires;
  if (design.observe)
    for (const Port& port : observation_ports(design.config, design.layout)) {
      const std::string wire = "unused_" + port.name;
      const std::string range =
          port.width == 1 ? "" : "[" + std::to_string(port.width - 1) + ":0] ";
      wires += "  logic " + range + wire + ";\n";
      connections.push_back({port.name, wire});
    }
  return wires + instance_text(design.prefix + "_top", "u_top", {}, connections);
}

}  // namespace axelram::rtl
