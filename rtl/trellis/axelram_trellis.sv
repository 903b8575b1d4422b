/// Indices of a key by a search through a trellis (bit-contract.md#trellis).
///
///   rows -> element -> axelram_branches -> axelram_survivors --> correlation
///                              '-------> memory <-'   '-> axelram_trace -> indices, the last first
///
/// An element per cycle. A key's rows come one a cycle, and keys at least HeadDim + 4 cycles apart:
/// no row waits for an earlier key. While a key is traced back, the next one is searched; each has
/// a half of the memory of survivors, HeadDim words of States + 4 * (IndexBits - 1) bits.
/// words_i: the upper half of the level words, 20 bits each; root_i and next_i:
/// axelram_scaled_words. centroids_i: words of all levels. Widths: axelram_branches,
/// axelram_survivors.
/// Latency, from a key's first row: HeadDim + IndexBits + 3 + log2(States) cycles to best_*, the
/// first index 1 more, and its last index HeadDim more.
`include "axelram_macros.svh"
`default_nettype none

module axelram_trellis #(
    parameter int  HeadDim         = 128,
    parameter int  Lanes           = 128,
    parameter int  Bits            = 23,
    parameter int  RootBits        = 19,
    parameter int  IndexBits       = 3,
    parameter int  States          = 8,
    parameter int  FractionBits    = 13,
    parameter int  WordBits        = 8,
    parameter int  CorrelationBits = 34,
    parameter bit  Unbiased        = 1'b0,
    localparam int Upper           = 1 << IndexBits
) (
    input  wire logic                                clk_i,
    input  wire logic                                rst_ni,
    input  wire logic        [         Upper*20-1:0] words_i,
    input  wire logic        [ 2*Upper*WordBits-1:0] centroids_i,
    input  wire logic        [         RootBits-1:0] root_i,
    input  wire logic                                next_i,
    input  wire logic                                valid_i,
    input  wire logic        [       Lanes*Bits-1:0] data_i,
    output logic                                     best_valid_o,
    output logic             [                 31:0] best_cost_o,
    output logic      signed [  CorrelationBits-1:0] best_correlation_o,
    output logic                                     valid_o,
    output logic                                     last_o,
    output logic             [        IndexBits-1:0] index_o,
    output logic             [          IndexBits:0] level_o
);
  `AXELRAM_REQUIRE(head_dim_power_of_two_in_16_to_256,
                   HeadDim >= 16 && HeadDim <= 256 && (HeadDim & (HeadDim - 1)) == 0)
  `AXELRAM_REQUIRE(lanes_power_of_two_up_to_head_dim,
                   Lanes >= 1 && Lanes <= HeadDim && (Lanes & (Lanes - 1)) == 0)

  localparam int Rows = HeadDim / Lanes;
  localparam int StepBits = $clog2(HeadDim);
  localparam int StateBits = $clog2(States);
  localparam int MuBits = IndexBits - 1;
  localparam int MuPorts = (MuBits > 0) ? MuBits : 1;
  localparam int ProductBits = Bits + WordBits;
  localparam int SurvivorBits = States + 4 * MuBits;

  // ---- Reconstructions, and the places that a distance loses
  logic row_first, unused_row_last;
  logic [Upper*32-1:0] reconstructions;
  axelram_scaled_words #(
      .Words  (Upper),
      .Rows(Rows), .RootBits(RootBits), .FractionBits(FractionBits),
      .Nearest(1'b1)
  ) u_reconstructions (
      .clk_i, .rst_ni, .words_i, .root_i, .next_i,
      .first_o (row_first),
      .last_o  (unused_row_last),
      .scaled_o(reconstructions)
  );
  logic [4:0] shift, shift_q;
  always_comb begin
    shift = '0;
    for (int i = 10; i < RootBits; i++) if (root_i[i]) shift = 5'(i - 9);
  end
  always_ff @(posedge clk_i) if (row_first) shift_q <= shift;

  // ---- Rows become elements
  localparam int LaneBits = (Lanes > 1) ? $clog2(Lanes) : 1;
  logic busy_q, row_ends, row_taken, row_ready;
  logic [LaneBits-1:0] lane_q;
  logic [StepBits-1:0] step_q;
  logic [Lanes*Bits-1:0] row_q, row;
  assign row_ends  = lane_q == LaneBits'(Lanes - 1);
  assign row_taken = row_ready && (!busy_q || row_ends);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      lane_q <= '0;
      step_q <= '0;
    end else begin
      busy_q <= row_taken || (busy_q && !row_ends);
      if (busy_q) begin
        lane_q <= row_ends ? '0 : lane_q + 1'b1;
        step_q <= step_q + 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i)
    if (row_taken) row_q <= row;
    else if (busy_q) row_q <= (Lanes * Bits)'({Bits'(0), row_q} >> Bits);

  if (Rows == 1 || Lanes == 1) begin : g_direct
    assign row_ready = valid_i;
    assign row = data_i;
  end else begin : g_waiting
    // The first row of a key never waits; the others have a place each.
    localparam int RowBits = $clog2(Rows);
    logic [Lanes*Bits-1:0] waiting_q[Rows-1];
    logic [RowBits-1:0] arrived_q, taken_q;
    logic waiting;
    assign waiting = arrived_q != taken_q;
    assign row_ready = waiting || valid_i;
    assign row = waiting ? waiting_q[taken_q-1'b1] : data_i;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        arrived_q <= '0;
        taken_q   <= '0;
      end else begin
        if (valid_i) arrived_q <= arrived_q + 1'b1;
        if (row_taken) taken_q <= taken_q + 1'b1;
      end
    end
    always_ff @(posedge clk_i)
      if (valid_i && (waiting || !row_taken)) waiting_q[arrived_q-1'b1] <= data_i;
    `AXELRAM_ASSERT(first_row_does_not_wait, valid_i && arrived_q == '0 |-> !waiting && row_taken)
  end

  // ---- Search
  logic branch_valid, branch_first, branch_last;
  logic [4*MuPorts-1:0] mus;
  logic [4*24-1:0] costs;
  logic [4*ProductBits-1:0] products;
  axelram_branches #(
      .Bits(Bits), .RootBits(RootBits), .IndexBits(IndexBits), .WordBits(WordBits),
      .Unbiased(Unbiased)
  ) u_branches (
      .clk_i, .rst_ni,
      .reconstructions_i(reconstructions),
      .shift_i          (shift_q),
      .words_i          (centroids_i),
      .valid_i          (busy_q),
      .first_i          (step_q == '0),
      .last_i           (step_q == '1),
      .element_i        (row_q[Bits-1:0]),
      .valid_o          (branch_valid),
      .first_o          (branch_first),
      .last_o           (branch_last),
      .mus_o            (mus),
      .costs_o          (costs),
      .products_o       (products)
  );

  logic [States-1:0] upper;
  logic [StateBits-1:0] best_state;
  axelram_survivors #(
      .HeadDim(HeadDim), .States(States), .ProductBits(ProductBits),
      .CorrelationBits(CorrelationBits), .Unbiased(Unbiased)
  ) u_survivors (
      .clk_i, .rst_ni,
      .valid_i     (branch_valid),
      .first_i     (branch_first),
      .last_i      (branch_last),
      .costs_i     (costs),
      .products_i  (products),
      .upper_o     (upper),
      .best_valid_o,
      .best_state_o(best_state),
      .best_cost_o, .best_correlation_o
  );

  // ---- Memory of survivors: a half for the key that is searched, one for the key that is traced
  // back
  logic half_q, trace_half_q, read;
  logic [StepBits-1:0] write_step_q, read_step;
  logic [SurvivorBits-1:0] survivors;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      half_q <= 1'b0;
      trace_half_q <= 1'b0;
      write_step_q <= '0;
    end else begin
      if (branch_valid) begin
        write_step_q <= write_step_q + 1'b1;
        half_q <= half_q ^ branch_last;
      end
      trace_half_q <= trace_half_q ^ (valid_o && last_o);
    end
  end
  axelram_sram_1r1w #(.Bits(SurvivorBits), .Depth(2 * HeadDim)) u_memory (
      .clk_i,
      .wen_i  (branch_valid),
      .waddr_i({half_q, write_step_q}),
      .data_i (SurvivorBits'({mus, upper})),
      .ren_i  (read),
      .raddr_i({trace_half_q, read_step}),
      .data_o (survivors)
  );

  axelram_trace #(.HeadDim(HeadDim), .States(States), .IndexBits(IndexBits)) u_trace (
      .clk_i, .rst_ni,
      .start_i(best_valid_o),
      .state_i(best_state),
      .read_o (read),
      .step_o (read_step),
      .upper_i(survivors[States-1:0]),
      .mus_i  ((4 * MuPorts)'({1'b0, survivors} >> States)),
      .valid_o, .last_o, .index_o, .level_o
  );

  logic unused;
  assign unused = unused_row_last;
  `AXELRAM_ASSERT(a_row_finds_a_place, valid_i |-> Rows > 1 || row_taken)
endmodule

`default_nettype wire
