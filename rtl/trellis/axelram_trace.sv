/// Trace back (bit-contract.md#trellis-search, step 8): from the last state of the cheapest path,
/// its indices, the last one first.
///
/// start_i with state_i: the survivors of a key are in the memory. read_o asks for those of step_o,
/// from HeadDim - 1 down to 0; upper_i and mus_i, of axelram_survivors and axelram_branches, follow
/// a cycle later. level_o = 4 * m + subset of the index 2 * m + x.
/// Latency: 1 cycle to the first index. Throughput: an index per cycle, HeadDim for a key.
`include "axelram_macros.svh"
`default_nettype none

module axelram_trace #(
    parameter int  HeadDim   = 128,
    parameter int  States    = 8,
    parameter int  IndexBits = 3,
    localparam int StateBits = $clog2(States),
    localparam int StepBits  = $clog2(HeadDim),
    localparam int MuPorts   = (IndexBits > 1) ? IndexBits - 1 : 1
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_ni,
    input  wire logic                 start_i,
    input  wire logic [StateBits-1:0] state_i,
    output logic                      read_o,
    output logic      [ StepBits-1:0] step_o,
    input  wire logic [   States-1:0] upper_i,
    input  wire logic [4*MuPorts-1:0] mus_i,
    output logic                      valid_o,
    output logic                      last_o,
    output logic      [IndexBits-1:0] index_o,
    output logic      [  IndexBits:0] level_o
);
  `AXELRAM_REQUIRE(states_4_8_or_16, States == 4 || States == 8 || States == 16)
  `AXELRAM_REQUIRE(head_dim_power_of_two, HeadDim >= 2 && (HeadDim & (HeadDim - 1)) == 0)
  `AXELRAM_REQUIRE(index_bits_in_1_to_4, IndexBits >= 1 && IndexBits <= 4)

  logic running_q;
  logic [StepBits-1:0] step_q;
  logic [StateBits-1:0] state_q, from;
  assign read_o = start_i || running_q;
  assign step_o = start_i ? '1 : step_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      valid_o   <= 1'b0;
    end else begin
      running_q <= start_i || (running_q && step_q != '0);
      valid_o   <= read_o;
    end
  end
  always_ff @(posedge clk_i) begin
    if (read_o) step_q <= step_o - 1'b1;
    last_o <= read_o && step_o == '0;
    if (start_i) state_q <= state_i;
    else if (valid_o) state_q <= from;
  end

  logic [1:0] subset;
  assign from = {upper_i[state_q], state_q[StateBits-1:1]};
  axelram_subset #(.States(States)) u_subset (
      .bit_i    (state_q[0]),
      .earlier_i(4'(from)),
      .subset_o (subset)
  );
  logic [MuPorts-1:0] mu;
  logic [MuPorts-1:0] mu_of_subset[4];
  for (genvar k = 0; k < 4; k++) begin : g_mu
    assign mu_of_subset[k] = mus_i[k*MuPorts+:MuPorts];
  end
  assign mu = mu_of_subset[subset];
  assign index_o = IndexBits'({mu, state_q[0]});
  assign level_o = (IndexBits + 1)'({mu, subset});

  `AXELRAM_ASSERT(one_key_at_a_time, start_i |-> !running_q)
endmodule

`default_nettype wire
