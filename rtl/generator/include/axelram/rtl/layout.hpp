#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/files/config.hpp"

namespace axelram::rtl {

/// Widths, sizes and latencies that follow from a configuration; the modules derive the same
/// numbers from their parameters. Cycles count from the last beat of a vector, without stalls.
struct Layout {
  explicit Layout(const files::Config& config);

  int rows;             ///< beats of a vector, rows of the key path: d / key_lanes
  int read_rows;        ///< cycles of lookups a key: d / read_lanes
  int key_levels;       ///< levels of the adder tree over key_lanes
  int read_levels;      ///< levels of the adder tree over read_lanes
  int root_bits;        ///< width of N
  int address_bits;     ///< of the key store
  int count_bits;       ///< of the key counter
  int row_delay;        ///< cycles a rotated row waits for the norm or the query's shift
  int fifo_depth;       ///< places for scores
  int center_exponent;  ///< largest biased exponent field of the center, at least 1

  std::optional<Code> code;  ///< of the stored records; none: as they are
  int code_words;            ///< of a record
  int stored_bits;           ///< of a word of the key store's SRAM
  int code_stages;           ///< pipeline registers of the encoder, and of the decoder

  int align_latency;     ///< last beat to first aligned row
  int hadamard_latency;  ///< row in to the same row out
  int rotate_cycles;     ///< last beat of a query to the last row of u in the query buffer
  int store_cycles;      ///< last beat of a key to its record in the SRAM
  int build_cycles;      ///< table generation
  int read_latency;      ///< SRAM read of a key to its score at the output
  int encode_cycles;     ///< of them in store_cycles: the encoder
  int decode_cycles;     ///< of them in read_latency: decoder and interpolation
  int reset_cycles;      ///< from reset until vectors are taken: initialisation of coded memory
};

/// A port of the generated top.
struct Port {
  bool input;
  int width;  ///< bits
  bool is_signed;
  std::string name;
  std::string meaning;
};

/// What a code adds to the ports of axelram_macro.
std::vector<Port> code_ports(const files::Config& config, const Layout& layout);

/// All ports of axelram_top, in order; those of a code, last, only where the configuration has one.
std::vector<Port> ports(const files::Config& config, const Layout& layout);

}  // namespace axelram::rtl
