#include "axelram/rtl/layout.hpp"
#include "counts/counts.hpp"
#include "lines/paper.hpp"

namespace axelram::report {
namespace {

constexpr int kBoundaryBits = 20;        // bits of a boundary ROM word
constexpr int kLayers = 32, kHeads = 8;  // 8B model of references.md#axelram, section III-D
constexpr double kMebibyte = 1024.0 * 1024.0;

}  // namespace

std::string levels_text(const Parameters& parameters) {
  return parameters.trellis() ? "2^(b+1)" : parameters.prod() ? "2^(b-1)" : "2^b";
}

std::string entries_text(const files::Config& config) {
  const Parameters& p = config.parameters;
  const std::string half =
      config.microarchitecture.score_lane == files::ScoreLane::half_table ? " / 2" : "";
  if (!p.split()) return "d * " + levels_text(p) + half;
  return (p.trellis() ? "d/2 * (2^(h+1) + 2^(l+1))" : "d/2 * (2^h + 2^l)") + half;
}

int element_levels(const Parameters& parameters) {
  return sum_of_parts(parameters,
                      [](const Parameters& part, int) { return part.head_dim * part.levels(); });
}

int table_entries(const files::Config& config) {
  return sum_of_parts(config.parameters, [&](const Parameters& part, int) {
    return part.head_dim * files::table_levels(config, part);
  });
}

bool lanes_multiply(const files::Config& config) {
  return config.microarchitecture.score_lane == files::ScoreLane::multiplier;
}

void add_operations(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  const Paper paper(config);
  const int d = p.head_dim;
  const rtl::Layout layout(config);

  Section vector(lines, "operations per vector (key or query)");
  vector.count("element_alignments_per_vector", d, "shifts with rounding",
               "floats to integers with one exponent; the paper omits it");
  if (p.balanced)
    vector.count("exponent_additions_per_vector", d, "additions",
                 "of balance exponents to those of the elements; the hardware makes each twice");
  vector.count("sign_flips_per_vector", d, "negations", "diag(s), at most");
  vector.count("butterflies_per_vector", d / 2 * (p.log2_dim() - (p.split() ? 1 : 0)),
               "butterflies",
               std::string(p.split() ? "d/2 * (log2(d) - 1): the stage that pairs the halves is out"
                                     : "d/2 * log2(d)") +
                   ", each one addition and one subtraction; no multiplier",
               paper(448));

  Section key(lines, "operations per key written");
  if (p.centered) key.count("center_subtractions_per_key", d, "subtractions", "the key center");
  if (!p.trellis())
    key.count("comparisons_per_key", element_levels(p) - d, "comparisons",
              p.split() ? "d/2 * (2^h + 2^l - 2)" : "d * (" + levels_text(p) + " - 1)", paper(896));
  key.count("squarings_per_key", d, "multiplications",
            "norm extraction: sum of squares; the paper omits it");
  key.count("square_sum_additions_per_key", d - layout.parts, "additions",
            "norm extraction; the paper omits it");
  key.count("square_roots_per_key", layout.parts, "square roots",
            "norm extraction, " + std::to_string(layout.root_bits) +
                " steps of shift and subtract; the paper omits it");
  key.count("norm_roundings_per_key", layout.parts, "roundings",
            "norm to FP16; the paper omits it");
  if (p.trellis())
    key.count("reconstruction_multiplications_per_key", layout.scaled_words, "multiplications",
              "2^b level words times the norm; the paper has boundaries");
  else
    key.count("threshold_multiplications_per_key", layout.scaled_words, "multiplications",
              (p.split() ? "2^h + 2^l - 1" : levels_text(p)) +
                  " - 1 boundaries times the norm (one boundary is 0); the paper omits them");

  Section query(lines, "operations per query");
  query.count("query_roundings_per_query", d, "shifts with rounding",
              "rotated query to query_bits; the paper omits it");
  const bool trellis = p.trellis();
  const bool half = config.microarchitecture.score_lane == files::ScoreLane::half_table;
  const bool multiply = lanes_multiply(config);
  query.count("table_multiplications_per_query", table_entries(config), "multiplications",
              multiply ? "no table: the read lanes multiply"
                       : entries_text(config) + (trellis ? ": twice the levels" : "") +
                             (half ? "; products with the upper half of the levels" : ""),
              paper(1024));
  const std::string by_record = p.copies() == 0 ? "" : "; of a key scored by its record";
  query.count("lookups_per_key_scored", d, "lookups",
              (multiply ? "words of levels, one per coordinate" : "one per coordinate") + by_record,
              paper(128));
  if (half)
    query.count("lane_negations_per_key_scored", d, "negations",
                "at most: of entries, for lower levels" + by_record);
  if (multiply)
    query.count("lane_multiplications_per_key_scored", d, "multiplications",
                "u_i times the word of its level, in place of a table");
  query.count("additions_per_key_scored", d - layout.parts, "additions",
              (p.split() ? "adder trees: d - 2" : "adder tree: d - 1") + by_record, paper(127));
  query.count("norm_multiplications_per_key_scored", layout.parts, "multiplications",
              "score times norm" + by_record, paper(1));
}

void add_multiplications(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  const Paper paper(config);
  const auto d = static_cast<std::uint64_t>(p.head_dim);
  const auto keys = static_cast<std::uint64_t>(config.max_keys);
  const auto table = static_cast<std::uint64_t>(table_entries(config));
  const std::uint64_t copies = copies_scored(config);
  const auto terms = static_cast<std::uint64_t>(1 + term_multiplications(config));
  const bool multiply = lanes_multiply(config);
  const std::uint64_t in_lanes = multiply ? d * keys : 0;
  const std::uint64_t read = table + in_lanes + d * copies + terms * (keys - copies);
  const bool trellis = p.trellis();
  const std::string entries = (multiply ? "T * d" : entries_text(config)) + " + " +
                              (terms == 1 ? "" : std::to_string(terms) + " * ") + "T";
  const std::string reads =
      copies == 0 ? entries : entries + " + " + std::to_string(copies) + " * (d - 1)";
  const std::uint64_t conventional = keys * d;
  const bool unbiased = p.scale == ScaleKind::unbiased;
  const auto correlated =
      static_cast<std::uint64_t>(unbiased ? correlation_multiplications(config) : 0);
  const auto searched = static_cast<std::uint64_t>(search_multiplications(config));
  const auto scaled = static_cast<std::uint64_t>(rtl::Layout(config).scaled_words);
  const auto residual = static_cast<std::uint64_t>(residual_multiplications(config));
  const std::uint64_t written = d + scaled + searched + correlated + residual;
  const std::string writes = (trellis ? (p.split() ? "d + 2^h + 2^l + 4 * d" : "d + 2^b + 4 * d")
                              : p.split() ? "d + 2^h + 2^l - 2"
                                          : "d + " + levels_text(p) + " - 1") +
                             (unbiased ? " + " + std::to_string(correlated) : "") +
                             (residual > 0 ? " + d + 2^(b-2)" : "");
  const auto ratio = [&](std::uint64_t ours) {
    return static_cast<double>(conventional) / static_cast<double>(ours);
  };

  Section section(lines, "multiplications at T = max_keys = " + std::to_string(keys));
  section.count("conventional_multiplications_per_query", conventional, "multiplications",
                "T * d: inner products with floating-point keys", paper.at_4096_keys(524288));
  section.count("multiplications_per_query", read, "multiplications",
                reads + ": the read path alone" +
                    (multiply ? ", d products of a key in the lanes" : "") +
                    (copies == 0 ? "" : "; a copy takes d, a record 1, by its norm") +
                    (terms == 1  ? ""
                     : p.split() ? "; a record takes 2, by both norms"
                                 : "; a record takes 3, by both norms and Z"),
                paper.at_4096_keys(5120));
  section.figure("multiplication_reduction", ratio(read), "x", Method::counted,
                 "T * d / (" + reads + "): the read path alone", paper.at_4096_keys(102.4));
  section.count(
      "write_path_multiplications_per_key", written, "multiplications",
      std::string(trellis     ? "d squarings, 2^b reconstructions and 4 d costs"
                  : p.split() ? "d squarings and 2^h + 2^l - 2 thresholds"
                              : "d squarings and " + levels_text(p) + " - 1 thresholds") +
          (unbiased ? ", and those of the unbiased norm" : "") +
          (residual > 0 ? ", d squarings and 2^(b-2) reconstructions of the residual" : "") +
          ", once per key; the paper counts none");
  section.count("multiplications_per_decoding_step", read + written, "multiplications",
                "one key written, one query on T keys: " + reads + " + " + writes);
  section.figure("multiplication_reduction_per_decoding_step", ratio(read + written), "x",
                 Method::counted,
                 "T * d / (" + reads + " + " + writes + "): the write path counted, a query a key");
  section.figure("multiplication_reduction_single_query", ratio(read + keys * written), "x",
                 Method::counted,
                 "T * d / (" + reads + " + T * (" + writes + ")): T keys written for one query");
}

void add_memory(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  const Paper paper(config);
  const int words = rtl::Layout(config).scaled_words;
  const int reconstructions = p.prod() ? p.levels() / 2 : 0;
  const int levels = sum_of_parts(p, [](const Parameters& of, int) { return of.levels(); });
  const int rom_bits = (words + reconstructions) * kBoundaryBits + levels * p.centroid_bits;
  const int float_bytes = p.head_dim * 2;
  const int stored_bytes = (rtl::Layout(config).stored_bits + 7) / 8;
  const bool coded = config.ecc.code != "none";
  const double vectors = 2.0 * kLayers * kHeads * config.max_keys;
  const auto mebibytes = [&](int bytes) { return vectors * bytes / kMebibyte; };
  const std::string model = "32 layers * 8 KV heads * max_keys * 2 (keys and values, alike)";

  Section section(lines, "memory");
  section.figure("codebook_rom", rom_bits / 8.0, "bytes", Method::counted,
                 std::to_string(words) +
                     (p.trellis() ? " level words of 20 bits, " : " boundaries of 20 bits, ") +
                     (p.prod() ? std::to_string(reconstructions) + " reconstructions, " : "") +
                     std::to_string(levels) + " centroids of " + std::to_string(p.centroid_bits) +
                     " bits; the paper: 15 FP16 words",
                 paper(30));
  section.count("sign_rom", p.head_dim / 8, "bytes",
                "d bits for each layer and KV head; the paper: each layer", paper(16));
  if (p.centered)
    section.count("center_rom", float_bytes, "bytes", "d floats for each layer and KV head");
  if (p.balanced)
    section.count("balance_rom", p.head_dim / 2, "bytes",
                  "d exponents of 4 bits for each layer and KV head");
  section.count("table_memory", table_entries(config) * p.product_bits() / 8, "bytes",
                lanes_multiply(config)
                    ? "no table: the read lanes multiply"
                    : entries_text(config) + " entries of " + std::to_string(p.product_bits()) +
                          " bits; the paper's 2 KB are 2048 bytes",
                paper(2048));
  section.count("bytes_per_key", p.record_bytes(), "bytes",
                p.prod()    ? "d * (b - 1) index bits, d signs and two FP16 norms"
                : p.split() ? "d/2 * (h + l) index bits and two FP16 norms"
                            : "d * b index bits and an FP16 norm",
                paper(50));
  if (coded)
    section.count("stored_bytes_per_key", stored_bytes, "bytes", "codewords of the record");
  section.count("bytes_per_key_uncompressed", float_bytes, "bytes", "d 16-bit floats", paper(256));
  section.figure("compression", static_cast<double>(float_bytes) / stored_bytes, "x",
                 Method::counted,
                 coded        ? "of the codewords; the paper has no code"
                 : paper(5.1) ? "the paper rounds 256 / 50"
                              : "of 16-bit floats",
                 paper(5.1));
  section.figure("key_store", static_cast<double>(config.max_keys) * stored_bytes / 1024.0, "KiB",
                 Method::counted,
                 coded ? "SRAM of one macro: max_keys records in codewords"
                       : "SRAM of one macro: max_keys records");
  if (p.copies() != 0) {
    section.figure("copies_memory", copies_bytes(config) / 1024.0, "KiB", Method::counted,
                   "beside the key store: copies of S + R keys with exponents, whatever max_keys");
    section.figure("compression_with_copies",
                   static_cast<double>(config.max_keys) * float_bytes /
                       (static_cast<double>(config.max_keys) * stored_bytes + copies_bytes(config)),
                   "x", Method::counted, "key store and copies of one macro with max_keys keys");
  }
  section.figure("model_cache", mebibytes(stored_bytes), "MiB", Method::counted,
                 model + "; the paper's MB are MiB", paper.at_4096_keys(100));
  if (p.copies() != 0)
    section.figure("model_copies", kLayers * kHeads * copies_bytes(config) / kMebibyte, "MiB",
                   Method::counted, "beside it: 32 layers * 8 KV heads, keys alone");
  section.figure("model_cache_uncompressed", mebibytes(float_bytes), "MiB", Method::counted,
                 model + "; the paper's MB are MiB", paper.at_4096_keys(512));
}

}  // namespace axelram::report
