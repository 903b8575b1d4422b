#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/files/config.hpp"

namespace axelram::rtl {

/// Widths, sizes and latencies that follow from a configuration; the modules derive the same
/// numbers from their parameters. Cycles are counted from the last beat of a vector, without
/// stalls.
struct Layout {
  /// Throws files::InputError if the configuration has what no hardware is built for.
  explicit Layout(const files::Config& config);

  int parts;     ///< sub-vectors of a split, each with half of the lanes; 1 without one
  int rows;      ///< beats of a vector, rows of the key path: d / key_lanes
  int key_wait;  ///< cycles behind a key in which no vector starts: the search of a trellis, the
                 ///< second pass of a residual, or the rows of a split key
  int key_interval;      ///< cycles from a key to the next: rows + key_wait
  int read_rows;         ///< cycles of lookups per key: d / read_lanes
  int key_levels;        ///< levels of the adder tree over key_lanes, of a part
  int read_levels;       ///< levels of the adder tree over read_lanes, of a part
  int root_bits;         ///< width of N
  int network_bits;      ///< bits of an element in front of the Hadamard network
  int network_out_bits;  ///< behind it
  int scaled_words;  ///< words of the codebook that a key's norm scales: 2^b - 1, a trellis 2^b;
                     ///< of a residual those of the reconstructions are beside them; of both parts
  int address_bits;  ///< bits of a key number
  int count_bits;    ///< bits of the key counter
  int errors;        ///< flags of errors_o, each with a counter
  int row_delay;     ///< cycles that a rotated row waits for the norm or for the shift of the query
  int fifo_depth;    ///< scores that the FIFO can hold
  /// Largest biased exponent field of each rotation's center, at least 1.
  std::vector<int> center_exponents;
  int rotation_bits;  ///< of a channel in a row of the rotations: sign, balance exponent, center
  int exponent_bits;  ///< of the exponent of a vector: biased, with balance exponents signed

  std::optional<Code> code;  ///< code of the stored records; empty: no code
  int code_words;            ///< words of a record
  int stored_bits;           ///< bits of an SRAM word
  int code_stages;           ///< pipeline registers of the encoder, and of the decoder

  int align_latency;     ///< last beat to first aligned row
  int hadamard_latency;  ///< row in to the same row out
  int rotate_cycles;     ///< last beat of a query to its last row in the query buffer
  int second_pass;  ///< first row of a query in front of the network to that of its second pass; 0
                    ///< without residuals
  int residual_cycles;                      ///< the same of a key
  static constexpr int kQuotientBits = 13;  ///< of the division of axelram_scale
  std::array<bool, 2> sums_by_magnitude;  ///< form of axelram_correlation of a part: a sum for each
                                          ///< magnitude, not products
  int norms_waiting;  ///< square sums or norms that can wait for the indices of their keys
  int scale_cycles;  ///< part of store_cycles: the unbiased norm; 0 without it, or behind a trellis
  int search_cycles;  ///< first rotated row to the record: search and trace of a trellis; or 0
  int store_cycles;   ///< last beat of a key to its record in the SRAM
  int clock_cycles;  ///< behind the last beat in which the write path has a clock; 0: it always has
  int wait_cycles;   ///< that a query directly behind a key, once accepted, waits for its record
  int build_cycles;  ///< table generation, or 1 without a table; beside it the total of v
  int beats;         ///< of a record from outside
  int exact_first, exact_last;  ///< tokens with copies
  int copy_lanes;               ///< elements of a copy multiplied per cycle; 0 without exact tokens
  int copy_cycles;              ///< multiplications of a copy: d / copy_lanes; 0 likewise
  int copy_latency;  ///< start of the reads to the first accumulator of a copy, less copy_cycles
  int copy_waiting;  ///< keys whose shift and exponent wait for the rows of their copies
  int copy_slots;    ///< places for copies: with attention those of each segment, and a free one
  int place_bits;    ///< number of a place for a copy, of one segment
  int most_accumulator_bits;  ///< acc of a record or of a copy
  int sum_cycles;             ///< part of read_latency: both terms of a score to one
  int read_latency;           ///< SRAM read of a key to its score at the output
  int encode_cycles;          ///< part of store_cycles: encoder
  int decode_cycles;          ///< part of read_latency: decoder and interpolation
  int release_cycles;         ///< of the reset, from rst_ni to the registers
  int reset_cycles;           ///< then until vectors are accepted: initialisation of memories

  bool attends;  ///< a macro with attention
  // Only with it.
  bool rotation_ram;     ///< signs and centers lie in memories, which are loaded
  int group;             ///< G
  int out_rows;          ///< beats of an output of a head: d / output_lanes
  int sum_bits;          ///< width of a sum
  int denominator_bits;  ///< of L
  int sum_shift_bits;    ///< of sh
  int token_interval;    ///< cycles from a token to the next
  int tail_cycles;       ///< from the cycle behind the last row of the reads to the last output
};

/// Prefix of the names of everything that belongs to one macro: the configuration's name as an
/// identifier, such as paper_d128_b3.
std::string prefix(const files::Config& config);

/// Parameters of part j, of which a macro without a split has one.
Parameters part_parameters(const Parameters& parameters, int j);

/// For each place in the rows of a vector, row by row, the number of its element; with a split of
/// sub-vector 0 first.
std::vector<int> element_order(const files::Config& config);

/// A port of the generated top.
struct Port {
  bool input;
  int width;  ///< bits
  bool is_signed;
  std::string name;
  std::string meaning;
  std::string source;  ///< of an observation port: the net below the top that it shows
};

/// Ports that a code adds to axelram_macro, or to axelram_attention_macro.
std::vector<Port> code_ports(const Layout& layout);

/// Ports of the top, in order. Ports of a code are last and exist only with a code.
std::vector<Port> ports(const files::Config& config, const Layout& layout);

/// Ports obs_* of the observed top, in order.
std::vector<Port> observation_ports(const files::Config& config, const Layout& layout);

/// Both, as the observed top has them.
std::vector<Port> observed_top_ports(const files::Config& config, const Layout& layout);

/// A net below the top.
struct Net {
  std::string name;  ///< names of instances and of the net, joined by dots
  int width;         ///< bits
  bool is_vector;    ///< declared with a range, which may be that of one bit
};

/// Nets of the sequencer that show where a macro is, in the order in which a view shows them.
std::vector<Net> control_nets(const files::Config& config, const Layout& layout);

}  // namespace axelram::rtl
