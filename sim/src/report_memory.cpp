#include "axelram/rtl/layout.hpp"
#include "report_lines.hpp"

namespace axelram::sim {
namespace {

constexpr int kBoundaryBits = 20;        // a word of the boundary ROM
constexpr int kLayers = 32, kHeads = 8;  // the paper's 8B model (section III-D)
constexpr double kMebibyte = 1024.0 * 1024.0;

}  // namespace

void add_memory(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  const Paper paper(config);
  const int rom_bits = p.boundaries() * kBoundaryBits + p.levels() * p.centroid_bits;
  const int float_bytes = p.head_dim * 2;
  const int stored_bytes = (rtl::Layout(config).stored_bits + 7) / 8;
  const bool coded = config.ecc.code != "none";
  const double vectors = 2.0 * kLayers * kHeads * config.max_keys;
  const auto mebibytes = [&](int bytes) { return vectors * bytes / kMebibyte; };
  const std::string model = "32 layers * 8 KV heads * max_keys * 2 (keys and values, alike)";

  Section section(lines, "memory");
  section.figure("codebook_rom", rom_bits / 8.0, "bytes", Method::counted,
                 std::to_string(p.boundaries()) + " boundaries of 20 bits, " +
                     std::to_string(p.levels()) + " centroids of " +
                     std::to_string(p.centroid_bits) + " bits; the paper: 15 FP16 words",
                 paper(30));
  section.count("sign_rom", p.head_dim / 8, "bytes",
                "d bits for each layer and KV head; the paper: each layer", paper(16));
  if (p.centered)
    section.count("center_rom", float_bytes, "bytes", "d floats for each layer and KV head");
  section.count("table_memory", p.head_dim * p.levels() * p.product_bits() / 8, "bytes",
                "d * 2^b entries of " + std::to_string(p.product_bits()) +
                    " bits; the paper's 2 KB are 2048 bytes",
                paper(2048));
  section.count("bytes_per_key", p.record_bytes(), "bytes", "d * b index bits and an FP16 norm",
                paper(50));
  if (coded) section.count("stored_bytes_per_key", stored_bytes, "bytes", "its codewords");
  section.count("bytes_per_key_uncompressed", float_bytes, "bytes", "d 16-bit floats", paper(256));
  section.figure(
      "compression", static_cast<double>(float_bytes) / stored_bytes, "x", Method::counted,
      coded ? "of the codewords; the paper has no code" : "the paper rounds 256 / 50", paper(5.1));
  section.figure("key_store", static_cast<double>(config.max_keys) * stored_bytes / 1024.0, "KiB",
                 Method::counted,
                 coded ? "SRAM of one macro: max_keys records in codewords"
                       : "SRAM of one macro: max_keys records");
  section.figure("model_cache", mebibytes(stored_bytes), "MiB", Method::counted,
                 model + "; the paper's MB are MiB", paper.at_4096_keys(100));
  section.figure("model_cache_uncompressed", mebibytes(float_bytes), "MiB", Method::counted,
                 model + "; the paper's MB are MiB", paper.at_4096_keys(512));
}

}  // namespace axelram::sim
