/// Repair of elements in uncorrectable words (bit-contract.md#erasures; references.md#ecc-kv-cache,
/// section 5.3 and equation 29). Records of tokens t-1 and t+1 are buffered, so no key is read
/// twice.
/// Policy of each element:
///   erasure_i 0 keep; 1 zero: index 2^(b-1), norm 0; 2 interpolate: the mean of the same element
///   of both neighbours as decoded, RNE (norms: exact mean, RNE to FP16, at most 65504); the
///   element of one neighbour if the other neighbour has none; unchanged if neither has one.
///
/// A record is output when its successor arrives. The last record of a query (last_i) is output
/// Spacing cycles after it arrived. Records arrive at least Spacing cycles apart. erased_i has one
/// bit per word of K bits.
/// Latency: Spacing + 4 cycles if records arrive Spacing cycles apart, for every erasure_i.
`include "axelram_macros.svh"
`default_nettype none

module axelram_interpolate #(
    parameter int  HeadDim    = 128,
    parameter int  IndexBits  = 3,
    parameter bit  Residual   = 1'b0,
    parameter int  SplitBits  = 0,
    parameter int  K          = 4,
    parameter int  Spacing    = 1,
    localparam int RecordBits = axelram_sizes::record_bits(HeadDim, IndexBits, Residual, SplitBits),
    localparam int Words      = (RecordBits + K - 1) / K
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_ni,
    input  wire logic [           1:0] erasure_i,
    input  wire logic                  valid_i,
    input  wire logic                  last_i,
    input  wire logic [RecordBits-1:0] record_i,
    input  wire logic [     Words-1:0] erased_i,
    output logic                       valid_o,
    output logic                       last_o,
    output logic      [RecordBits-1:0] record_o
);
  `AXELRAM_REQUIRE(spacing_at_least_1, Spacing >= 1)

  localparam int SpacingBits = $clog2(Spacing + 1);

  // Tokens t+1, t, t-1.
  logic after_valid_q, now_valid_q, before_valid_q, after_last_q, now_last_q, emit_q;
  logic [RecordBits-1:0] after_q, now_q, before_q;
  logic [Words-1:0] after_erased_q, now_erased_q, before_erased_q;
  logic [SpacingBits-1:0] wait_q;
  logic flush, shift;
  assign flush = after_valid_q && after_last_q && wait_q == '0;
  assign shift = valid_i || flush;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      after_valid_q <= 1'b0;
      now_valid_q <= 1'b0;
      before_valid_q <= 1'b0;
      emit_q <= 1'b0;
      wait_q <= '0;
    end else begin
      emit_q <= shift && after_valid_q;
      if (valid_i) wait_q <= SpacingBits'(Spacing - 1);
      else if (wait_q != '0) wait_q <= wait_q - 1'b1;
      if (shift) begin
        after_valid_q  <= valid_i;
        now_valid_q <= after_valid_q;
        before_valid_q <= now_valid_q;
      end else if (emit_q && now_last_q) begin
        now_valid_q <= 1'b0;
        before_valid_q <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      after_q <= record_i;
      after_erased_q <= erased_i;
      after_last_q <= last_i;
    end
  always_ff @(posedge clk_i)
    if (shift) begin
      now_q <= after_q;
      now_erased_q <= after_erased_q;
      now_last_q <= after_last_q;
      before_q <= now_q;
      before_erased_q <= now_erased_q;
    end

  // Erased words of the neighbours.
  logic [Words-1:0] left_lacks, right_lacks;
  assign left_lacks  = before_valid_q ? before_erased_q : '1;
  assign right_lacks = after_valid_q ? after_erased_q : '1;

  // Indices; signs of a residual stay as received. Then the norms.
  localparam bit Split = SplitBits > 0;
  localparam int Count = Split ? HeadDim / 2 : HeadDim;
  localparam int IndicesBits = Count * IndexBits;
  localparam int Norms = (Residual || Split) ? 2 : 1;
  localparam int NormFirst = RecordBits - 16 * Norms;
  logic [IndicesBits-1:0] indices_q;
  axelram_repair_indices #(
      .Count(Count),
      .Bits (IndexBits),
      .First(0),
      .K(K), .Words(Words)
  ) u_indices (
      .clk_i, .rst_ni, .erasure_i,
      .enable_i      (emit_q),
      .now_lacks_i   (now_erased_q),
      .before_lacks_i(left_lacks),
      .after_lacks_i (right_lacks),
      .now_i         (now_q[IndicesBits-1:0]),
      .before_i      (before_q[IndicesBits-1:0]),
      .after_i       (after_q[IndicesBits-1:0]),
      .indices_o     (indices_q)
  );

  for (genvar j = 0; j < Norms; j++) begin : g_norm
    localparam int First = NormFirst + 16 * j;
    localparam int FirstWord = First / K;
    localparam int LastWord = (First + 15) / K;
    axelram_repair_norm u_norm (
        .clk_i, .rst_ni, .erasure_i,
        .enable_i      (emit_q),
        .now_lacks_i   (now_erased_q[LastWord:FirstWord] != '0),
        .before_lacks_i(left_lacks[LastWord:FirstWord] != '0),
        .after_lacks_i (right_lacks[LastWord:FirstWord] != '0),
        .now_i         (now_q[First+:16]),
        .before_i      (before_q[First+:16]),
        .after_i       (after_q[First+:16]),
        .norm_o        (record_o[First+:16])
    );
  end

  // All but the norms waits for them.
  logic repaired_valid_q, last_q;
  logic [NormFirst-1:0] repaired;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) repaired_valid_q <= 1'b0;
    else repaired_valid_q <= emit_q;
  end
  always_ff @(posedge clk_i) if (emit_q) last_q <= now_last_q;
  if (Residual) begin : g_signs
    logic [HeadDim-1:0] signs_q;
    always_ff @(posedge clk_i) if (emit_q) signs_q <= now_q[IndicesBits+:HeadDim];
    assign repaired = {signs_q, indices_q};
    logic unused;  // signs of token t-1 repair none
    assign unused = ^before_q[IndicesBits+:HeadDim];
  end else if (Split) begin : g_split
    localparam int SplitIndices = Count * SplitBits;
    logic [SplitIndices-1:0] split_q;
    axelram_repair_indices #(
        .Count(Count),
        .Bits (SplitBits),
        .First(IndicesBits),
        .K(K), .Words(Words)
    ) u_second (
        .clk_i, .rst_ni, .erasure_i,
        .enable_i      (emit_q),
        .now_lacks_i   (now_erased_q),
        .before_lacks_i(left_lacks),
        .after_lacks_i (right_lacks),
        .now_i         (now_q[IndicesBits+:SplitIndices]),
        .before_i      (before_q[IndicesBits+:SplitIndices]),
        .after_i       (after_q[IndicesBits+:SplitIndices]),
        .indices_o     (split_q)
    );
    assign repaired = {split_q, indices_q};
  end else begin : g_one_part
    assign repaired = indices_q;
  end
  axelram_pipeline #(.Bits(NormFirst + 1), .Depth(2)) u_late (
      .clk_i, .rst_ni,
      .valid_i(repaired_valid_q),
      .data_i ({last_q, repaired}),
      .valid_o,
      .data_o ({last_o, record_o[NormFirst-1:0]})
  );

  `AXELRAM_ASSERT(records_apart, valid_i |-> wait_q == '0 && !flush)
endmodule

`default_nettype wire
