/// Add, compare, select (bit-contract.md#trellis-search, steps 5 to 8): each state keeps its
/// cheapest path, and the cheapest of all is chosen behind the last coordinate.
///
/// upper_o, in the cycle of valid_i: for each state, whether its path comes from the upper
/// predecessor, state/2 + States/2. Costs of the States paths are kept, and, Unbiased, the
/// correlation of each: the sum of its products (bit-contract.md#scale).
/// The search starts in state 0: any other starts with a cost of 2^CostBits, which no path exceeds,
/// and none of these is the cheapest of a state behind log2(States) coordinates.
/// Widths: costs of branches 24 bits, of paths CostBits = 24 + log2(HeadDim) at most 32; products
/// ProductBits, the correlation CorrelationBits, signed.
/// Latency: from last_i to best_* 1 + log2(States) cycles. Throughput: a coordinate per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_survivors #(
    parameter int  HeadDim         = 128,
    parameter int  States          = 8,
    parameter int  ProductBits     = 31,
    parameter int  CorrelationBits = 34,
    parameter bit  Unbiased        = 1'b0,
    localparam int StateBits       = $clog2(States),
    localparam int CostBits        = 24 + $clog2(HeadDim)
) (
    input  wire logic                              clk_i,
    input  wire logic                              rst_ni,
    input  wire logic                              valid_i,
    input  wire logic                              first_i,
    input  wire logic                              last_i,
    input  wire logic        [           4*24-1:0] costs_i,
    input  wire logic        [  4*ProductBits-1:0] products_i,
    output logic             [         States-1:0] upper_o,
    output logic                                   best_valid_o,
    output logic             [      StateBits-1:0] best_state_o,
    output logic             [               31:0] best_cost_o,
    output logic      signed [CorrelationBits-1:0] best_correlation_o
);
  `AXELRAM_REQUIRE(states_4_8_or_16, States == 4 || States == 8 || States == 16)
  `AXELRAM_REQUIRE(head_dim_in_16_to_256, HeadDim >= 16 && HeadDim <= 256)
  `AXELRAM_REQUIRE(correlation_wider_than_a_product,
                   ProductBits >= 2 && CorrelationBits > ProductBits)

  localparam int PathBits = CostBits + 1;
  localparam int SumBits = Unbiased ? CorrelationBits : 1;

  logic [States*PathBits-1:0] cost_q, cost;
  logic [States*SumBits-1:0] sum_q, sum;
  for (genvar s = 0; s < States; s++) begin : g_start
    assign cost[s*PathBits+:PathBits] =
        !first_i ? cost_q[s*PathBits+:PathBits] : {s != 0, CostBits'(0)};
    assign sum[s*SumBits+:SumBits] = !first_i ? sum_q[s*SumBits+:SumBits] : '0;
  end

  // Choices below are conditions, because a part select at a multiple of a width takes a multiplier
  // in some tools, and because Icarus 11 computes wrong sums with arrays of nets here.
  for (genvar s = 0; s < States; s++) begin : g_state
    // {upper, lower} predecessor: its path with the branch to this state.
    logic [2*PathBits-1:0] path;
    logic [2*SumBits-1:0] path_sum;
    for (genvar p = 0; p < 2; p++) begin : g_from
      localparam int From = s / 2 + p * States / 2;
      logic [1:0] subset;
      axelram_subset #(.States(States)) u_subset (
          .bit_i    (1'(s % 2)),
          .earlier_i(4'(From)),
          .subset_o (subset)
      );
      logic [47:0] costs;  // of the two subsets with subset[1]
      assign costs = subset[1] ? costs_i[2*24+:48] : costs_i[0+:48];
      logic [23:0] branch;
      assign branch = subset[0] ? costs[24+:24] : costs[0+:24];
      assign path[p*PathBits+:PathBits] = cost[From*PathBits+:PathBits] + PathBits'(branch);
      if (Unbiased) begin : g_sum
        logic [2*ProductBits-1:0] products;
        logic signed [ProductBits-1:0] product;
        assign products = subset[1] ? products_i[2*ProductBits+:2*ProductBits] :
            products_i[0+:2*ProductBits];
        assign product = subset[0] ? products[ProductBits+:ProductBits] : products[0+:ProductBits];
        assign path_sum[p*SumBits+:SumBits] = sum[From*SumBits+:SumBits] + SumBits'(product);
      end else begin : g_sum
        assign path_sum[p*SumBits+:SumBits] = '0;
      end
    end
    assign upper_o[s] = path[PathBits+:PathBits] < path[0+:PathBits];
    always_ff @(posedge clk_i)
      if (valid_i) begin
        cost_q[s*PathBits+:PathBits] <= upper_o[s] ? path[PathBits+:PathBits] : path[0+:PathBits];
        sum_q[s*SumBits+:SumBits] <= upper_o[s] ? path_sum[SumBits+:SumBits] : path_sum[0+:SumBits];
      end
  end

  // The cheapest path, in a tree of registers; a tie takes the lower state.
  logic [StateBits:0] level_valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) level_valid_q <= '0;
    else level_valid_q <= {level_valid_q[StateBits-1:0], valid_i && last_i};
  end
  for (genvar l = 0; l <= StateBits; l++) begin : g_level
    localparam int Count = States >> l;
    logic [Count*PathBits-1:0] cost_of;
    logic [Count*SumBits-1:0] sum_of;
    logic [Count*StateBits-1:0] state_of;
    if (l == 0) begin : g_in
      assign cost_of = cost_q;
      assign sum_of  = sum_q;
      for (genvar s = 0; s < States; s++) begin : g_number
        assign state_of[s*StateBits+:StateBits] = StateBits'(s);
      end
    end else begin : g_in
      for (genvar i = 0; i < Count; i++) begin : g_pair
        logic upper;
        logic [PathBits-1:0] low_cost, high_cost, kept_cost_q;
        logic [SumBits-1:0] kept_sum_q;
        logic [StateBits-1:0] kept_state_q;
        assign low_cost = g_level[l-1].cost_of[2*i*PathBits+:PathBits];
        assign high_cost = g_level[l-1].cost_of[(2*i+1)*PathBits+:PathBits];
        assign upper = high_cost < low_cost;
        always_ff @(posedge clk_i)
          if (level_valid_q[l-1]) begin
            kept_cost_q <= upper ? high_cost : low_cost;
            kept_sum_q <= upper ? g_level[l-1].sum_of[(2*i+1)*SumBits+:SumBits]
                : g_level[l-1].sum_of[2*i*SumBits+:SumBits];
            kept_state_q <= upper ? g_level[l-1].state_of[(2*i+1)*StateBits+:StateBits]
                : g_level[l-1].state_of[2*i*StateBits+:StateBits];
          end
        assign cost_of[i*PathBits+:PathBits] = kept_cost_q;
        assign sum_of[i*SumBits+:SumBits] = kept_sum_q;
        assign state_of[i*StateBits+:StateBits] = kept_state_q;
      end
    end
  end
  assign best_valid_o = level_valid_q[StateBits];
  assign best_state_o = g_level[StateBits].state_of;
  assign best_cost_o = 32'(g_level[StateBits].cost_of);
  assign best_correlation_o = CorrelationBits'($signed(g_level[StateBits].sum_of));

  if (PathBits > 32) begin : g_wide  // of the first coordinates alone
    logic unused;
    assign unused = ^g_level[StateBits].cost_of[PathBits-1:32];
  end
  if (!Unbiased) begin : g_plain
    logic unused;
    assign unused = ^{products_i, sum};
  end

  `AXELRAM_ASSERT(best_path_starts_in_state_0, best_valid_o |->
                  !g_level[StateBits].cost_of[PathBits-1])

`ifdef AXELRAM_COVERS
  logic [States-1:0] ties;
  logic [PathBits-1:0] least;
  int cheapest;
  for (genvar s = 0; s < States; s++) begin : g_tie
    assign ties[s] = g_state[s].path[0+:PathBits] == g_state[s].path[PathBits+:PathBits] &&
        g_state[s].path[0+:PathBits] != '0 && !g_state[s].path[PathBits-1];
  end
  always_comb begin
    least = '1;
    for (int s = 0; s < States; s++)
      if (cost_q[s*PathBits+:PathBits] < least) least = cost_q[s*PathBits+:PathBits];
    cheapest = 0;
    for (int s = 0; s < States; s++) if (cost_q[s*PathBits+:PathBits] == least) cheapest++;
  end
`endif
  `AXELRAM_COVER(trellis_paths_tie, valid_i && ties != '0)
  `AXELRAM_COVER(trellis_best_paths_tie, level_valid_q[0] && cheapest > 1 && least != '0)
endmodule

`default_nettype wire
