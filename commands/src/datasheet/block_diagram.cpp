#include "axelram/code.hpp"
#include "axelram/rtl/layout.hpp"
#include "sections.hpp"

namespace axelram::commands::sheet {
namespace {

std::string times(int count, const std::string& what) {
  return std::to_string(count) + " × " + what;
}
std::string times(int count, int bits) { return times(count, std::to_string(bits)); }

/// Adds blocks and links, and knows the widths that several of them state.
class Drawing {
 public:
  explicit Drawing(const Facts& facts)
      : facts_(facts),
        config_(facts.config),
        p_(facts.config.parameters),
        part_(rtl::part_parameters(p_, 0)),
        layout_(facts.config) {}

  BlockDiagram drawn() {
    front();
    keys();
    store();
    queries();
    scores();
    if (p_.copies() != 0) copies();
    return diagram_;
  }

 private:
  using Kind = Block::Kind;
  using Flow = Link::Flow;

  void block(const std::string& id, const std::string& name, std::vector<std::string> lines,
             Kind kind = Kind::unit, int instances = 1) {
    diagram_.blocks.push_back({id, name, std::move(lines), kind, instances});
  }
  void link(const std::string& from, const std::string& to, const std::string& label, Flow flow) {
    diagram_.links.push_back({from, to, label, flow});
  }
  std::string count(const std::string& name) const { return number_text(facts_.line(name)); }
  int key_lanes() const { return config_.microarchitecture.key_lanes; }
  int read_lanes() const { return config_.microarchitecture.read_lanes; }

  /// What keys and queries share.
  void front() {
    block("stream", "vector stream", {"keys and queries"}, Kind::port);
    const std::string balance = p_.balanced ? "balance, " : "";
    block("align", balance + (p_.centered ? "align, center" : "align"), {"floats to integers"});
    block("signs", "sign flip", {"diag(s)"});
    block("sign_rom", "signs", {(p_.prod() ? "2 × " : "") + std::to_string(p_.head_dim) + " bits"},
          Kind::memory);
    block("hadamard", "Hadamard", {count("butterflies_in_hardware") + " butterflies"}, Kind::unit,
          layout_.parts);
    block("delay", "row delay",
          {times(layout_.row_delay, layout_.network_out_bits * key_lanes()) + " bits"},
          Kind::memory);
    link("stream", "align", times(key_lanes(), 16), Flow::both);
    link("align", "signs", times(key_lanes(), p_.aligned_bits()), Flow::both);
    link("signs", "hadamard", times(key_lanes(), layout_.network_bits), Flow::both);
    link("hadamard", "delay", times(key_lanes(), layout_.network_out_bits), Flow::both);
    link("sign_rom", "signs", "", Flow::constant);
    if (!p_.centered && !p_.balanced) return;
    const std::string holds = !p_.balanced   ? "center"
                              : !p_.centered ? "exponents"
                                             : "center, exponents";
    const int bits = (p_.centered ? 16 : 0) + (p_.balanced ? 4 : 0);
    block("align_rom", holds, {times(p_.head_dim, bits) + " bits"}, Kind::memory);
    link("align_rom", "align", "", Flow::constant);
  }

  std::string levels() const {
    const int first = part_.levels();
    const int second = p_.split() ? rtl::part_parameters(p_, 1).levels() : first;
    return first == second ? std::to_string(first) + " levels"
                           : std::to_string(first) + " and " + std::to_string(second) + " levels";
  }

  /// Indices that leave the quantizer in a cycle; of a trellis one for each sub-vector.
  std::string indices() const {
    if (p_.trellis())
      return p_.split() ? std::to_string(p_.split_high) + " + " + std::to_string(p_.split_low)
                        : times(1, p_.index_bits);
    return p_.split() ? std::to_string(key_lanes() / 2 * (p_.split_high + p_.split_low))
                      : times(key_lanes(), p_.codebook_bits());
  }

  /// The write path behind the rotation.
  void keys() {
    const bool scaled = p_.scale == ScaleKind::unbiased;
    const std::string quantizer = p_.trellis() ? "trellis" : "quantizer";
    block("norm", "norm", {"Σ m², root, FP16"}, Kind::unit, layout_.parts);
    block("quantizer", quantizer,
          p_.trellis()
              ? std::vector<std::string>{std::to_string(p_.states) + " states", levels()}
              : std::vector<std::string>{count("comparators_in_hardware") + " comparators"},
          Kind::unit, layout_.parts);
    if (p_.prod()) block("residual", "second pass", {"y − R of a key,", "u of a query"});
    if (scaled) block("scale", "unbiased norm", {"S / A, to FP16"}, Kind::unit, layout_.parts);
    block("record", "record", {record_text()});
    link("signs", "norm", times(key_lanes(), layout_.network_bits), Flow::key);
    link("norm", "quantizer", "N: " + std::to_string(layout_.root_bits), Flow::key);
    link("delay", "quantizer", times(key_lanes(), layout_.network_out_bits), Flow::key);
    if (p_.prod()) {
      link("delay", "residual", "y", Flow::key);
      link("residual", "signs", times(key_lanes(), p_.aligned_bits()) + ", second pass", Flow::key);
    }
    const std::string norms = p_.two_parts() ? times(2, 16) : "16";
    const std::string signs = p_.prod() ? ", " + times(key_lanes(), 1) : "";
    if (scaled)
      link("quantizer", "scale", indices() + ", A: " + std::to_string(part_.correlation_bits()),
           Flow::key);
    if (!scaled) link("norm", "record", norms, Flow::key);
    link(scaled ? "scale" : "quantizer", "record", indices() + (scaled ? ", " + norms : signs),
         Flow::key);
  }

  std::string record_text() const { return std::to_string(p_.record_bits()) + " bits"; }

  void store() {
    const std::string word = std::to_string(layout_.stored_bits);
    block("store", "key store",
          {times(config_.max_keys, layout_.stored_bits) + " bits",
           facts_.value("key_store") + " SRAM"},
          Kind::memory);
    if (layout_.code) block("encoder", "encoder", {times(layout_.code_words, config_.ecc.code)});
    const std::string last = layout_.code ? "encoder" : "store";
    link("record", last, std::to_string(p_.record_bits()), Flow::key);
    if (layout_.code) link("encoder", "store", word, Flow::key);
    link("stream", last, "records from outside: " + std::to_string(p_.record_bits()), Flow::key);
  }

  void queries() {
    const int multipliers = config_.microarchitecture.table_multipliers * layout_.parts;
    block("rounding", p_.copies() == 0 ? "query rounding" : "rounding",
          p_.copies() == 0
              ? std::vector<std::string>{"to " + std::to_string(p_.query_bits) + " bits"}
              : std::vector<std::string>{"queries to " + std::to_string(p_.query_bits) + " bits",
                                         "copies to " + std::to_string(p_.exact_bits)});
    if (multiply())
      block("table", "query buffer", {times(p_.head_dim, p_.query_bits) + " bits"}, Kind::memory,
            layout_.parts);
    else
      block("table", half() ? "half score table" : "score table",
            {count("table_multiplications_per_query") + " entries",
             std::to_string(multipliers) + " multipliers"},
            Kind::memory, layout_.parts);
    link("delay", "rounding", times(key_lanes(), layout_.network_out_bits), Flow::query);
    link("rounding", "table", times(p_.head_dim, p_.query_bits), Flow::query);
  }

  void scores() {
    const std::string word = std::to_string(layout_.stored_bits);
    const std::string record = std::to_string(p_.record_bits());
    if (layout_.code)
      block("decoder", "decoder",
            {"corrects " + std::to_string(layout_.code->correctable) + " of " +
                 std::to_string(layout_.code->n) + " bits",
             "and interpolation"});
    if (p_.trellis())
      block("levels", "levels", {"of " + std::to_string(read_lanes()) + " indices"});
    const std::string products = multiply() ? "multipliers" : "lookups";
    block("lookups", products + (p_.prod() ? ", signs" : ""),
          {std::to_string(read_lanes()) + " a cycle", count("adders_in_hardware") + " adders"},
          Kind::unit, layout_.parts);
    block("score", "score", {p_.two_parts() ? "two terms, to FP32" : "times norm, to FP32"});
    block("fifo", "score FIFO", {times(layout_.fifo_depth, 34) + " bits"}, Kind::memory);
    block("scores", "score stream", {"FP32"}, Kind::port);
    const std::string first = p_.trellis() ? "levels" : "lookups";
    if (layout_.code) link("store", "decoder", word, Flow::key);
    link(layout_.code ? "decoder" : "store", first, record, Flow::key);
    if (p_.trellis())
      link("levels", "lookups", times(read_lanes(), part_.index_bits + 1), Flow::key);
    link("table", "lookups", times(read_lanes(), multiply() ? p_.query_bits : p_.product_bits()),
         Flow::query);
    link("lookups", "score", sums(), Flow::query);
    link("score", "fifo", "32 + 2", Flow::query);
    link("fifo", "scores", "32 + 2", Flow::query);
  }

  bool multiply() const {
    return config_.microarchitecture.score_lane == files::ScoreLane::multiplier;
  }
  bool half() const { return config_.microarchitecture.score_lane == files::ScoreLane::half_table; }

  /// Sums of lookups, of both parts if there are two.
  std::string sums() const {
    std::string first = std::to_string(part_.accumulator_bits());
    if (p_.split())
      return first + ", " + std::to_string(rtl::part_parameters(p_, 1).accumulator_bits());
    if (p_.prod()) return first + ", " + std::to_string(p_.query_bits + p_.log2_dim());
    return first;
  }

  void copies() {
    block("copies", "copies", {times(p_.copies(), p_.head_dim * p_.exact_bits) + " bits"},
          Kind::memory);
    link("rounding", "copies", times(key_lanes(), p_.exact_bits), Flow::key);
    link("copies", "table", times(layout_.copy_lanes, p_.exact_bits), Flow::key);
    link("table", "score", "copies: " + std::to_string(p_.copy_accumulator_bits()), Flow::query);
  }

  const Facts& facts_;
  const files::Config& config_;
  const Parameters& p_;
  const Parameters part_;
  const rtl::Layout layout_;
  BlockDiagram diagram_;
};

}  // namespace

BlockDiagram blocks_of(const Facts& facts) { return Drawing(facts).drawn(); }

}  // namespace axelram::commands::sheet
