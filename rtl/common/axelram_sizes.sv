/// Sizes that several modules derive from the same parameters.
`default_nettype none

package axelram_sizes;
  /// Bits of a record (bit-contract.md#write-5, bit-contract.md#two-parts).
  function automatic int record_bits(input int head_dim, input int index_bits, input bit residual,
                                     input int split_bits);
    record_bits = (split_bits > 0) ? head_dim / 2 * (index_bits + split_bits) + 32 :
        head_dim * (index_bits + 32'(residual)) + (residual ? 32 : 16);
  endfunction

  /// Bits of a stored record, as codewords of n bits for k data bits; n = 0: without a code.
  function automatic int stored_bits(input int bits, input int n, input int k);
    stored_bits = (n > 0) ? (bits + k - 1) / k * n : bits;
  endfunction

  /// Levels of a codebook of so many index bits; none for 0 bits.
  function automatic int levels(input int bits, input int states);
    levels = (bits == 0) ? 0 : (states > 0) ? 2 << bits : 1 << bits;
  endfunction

  /// Its words of 20 bits: boundaries, or the upper half of the levels of a trellis.
  function automatic int boundaries(input int bits, input int states);
    boundaries = (bits == 0) ? 0 : (1 << bits) - ((states > 0) ? 0 : 1);
  endfunction

  /// Words of both codebooks, and of the reconstructions of residuals.
  function automatic int words(input int index_bits, input int split_bits, input bit residual,
                               input int states);
    words = boundaries(index_bits, states) + boundaries(split_bits, states) +
        (residual ? (1 << index_bits) / 2 : 0);
  endfunction

  /// log2 of the elements of a vector, or with a split of a sub-vector.
  function automatic int log2_size(input int head_dim, input int split_bits);
    log2_size = $clog2((split_bits > 0) ? head_dim / 2 : head_dim);
  endfunction

  /// Bits of the root N of a key of 2^size elements.
  function automatic int root_bits(input int sig_bits, input bit center, input int size);
    root_bits = (2 * (sig_bits + 32'(center) - 1) + size + 1) / 2;
  endfunction

  /// Cycles that a rotated row waits for a root of so many bits.
  function automatic int row_delay(input int root, input int rows);
    row_delay = (root + 5 - $clog2(rows) > rows + 2) ? root + 5 - $clog2(rows) : rows + 2;
  endfunction

  /// Cycles by which a code of n bits (0: none) delays a record that is read (axelram_store).
  function automatic int code_delay(input int n, input int stages, input int read_rows);
    code_delay = (n > 0) ? stages + read_rows + 5 : 0;
  endfunction

  /// Reads that may be under way, one every read_rows cycles: places for their scores, which come
  /// `late` cycles later than those of records of one part without a code.
  function automatic int outstanding(input int read_rows, input int read_lanes, input int late);
    outstanding = 1 << $clog2((2 * read_rows + $clog2(read_lanes) + 6 + late) / read_rows + 1);
  endfunction
endpackage

`default_nettype wire
