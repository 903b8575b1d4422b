/// The four branches of a coordinate (bit-contract.md#trellis-search, steps 3 and 4): for each
/// subset k = 0 .. 3 the level 4 * m + k next to the element, and the cost delta^2 of taking it.
///
/// reconstructions_i: R_j of the upper half of the levels, 32 bits each; the lower half is their
/// negative. shift_i: `places`, read IndexBits cycles behind the element. Products: element times
/// the centroid word of the chosen level, for the correlation (bit-contract.md#scale); 0 unless
/// Unbiased.
/// Widths: element Bits signed, delta 12, costs 24 bits each.
/// Latency: IndexBits + 2 cycles: distances, a tree of comparators with a register for each of its
/// IndexBits - 1 levels, delta, its square. Throughput: an element per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_branches #(
    parameter int  Bits        = 23,
    parameter int  RootBits    = 19,
    parameter int  IndexBits   = 3,
    parameter int  WordBits    = 8,
    parameter bit  Unbiased    = 1'b0,
    localparam int Upper       = 1 << IndexBits,
    localparam int Levels      = 2 * Upper,
    localparam int MuBits      = IndexBits - 1,
    localparam int MuPorts     = (MuBits > 0) ? MuBits : 1,
    localparam int ProductBits = Bits + WordBits
) (
    input  wire logic                       clk_i,
    input  wire logic                       rst_ni,
    input  wire logic [       Upper*32-1:0] reconstructions_i,
    input  wire logic [                4:0] shift_i,
    input  wire logic [Levels*WordBits-1:0] words_i,
    input  wire logic                       valid_i,
    input  wire logic                       first_i,
    input  wire logic                       last_i,
    input  wire logic [           Bits-1:0] element_i,
    output logic                            valid_o,
    output logic                            first_o,
    output logic                            last_o,
    output logic      [      4*MuPorts-1:0] mus_o,
    output logic      [           4*24-1:0] costs_o,
    output logic      [  4*ProductBits-1:0] products_o
);
  `AXELRAM_REQUIRE(index_bits_in_1_to_4, IndexBits >= 1 && IndexBits <= 4)
  `AXELRAM_REQUIRE(elements_of_29_bits_or_less, Bits >= 2 && Bits <= 29)
  `AXELRAM_REQUIRE(root_of_26_bits_or_less, RootBits >= 2 && RootBits <= 26)
  `AXELRAM_REQUIRE(word_bits_at_least_2, WordBits >= 2)

  // A level is below 4, so that R_j takes RootBits + 3 bits.
  localparam int DistanceBits = ((Bits > RootBits + 3) ? Bits : RootBits + 3) + 1;

  localparam int Rounding = MuBits, Squaring = MuBits + 1;  // valid_q of their inputs
  logic [Squaring:0] valid_q, first_q, last_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {valid_o, valid_q} <= '0;
    else {valid_o, valid_q} <= {valid_q, valid_i};
  end
  always_ff @(posedge clk_i) begin
    {first_o, first_q} <= {first_q, first_i};
    {last_o, last_q} <= {last_q, last_i};
  end
  logic [(Squaring+1)*Bits-1:0] element_q;
  always_ff @(posedge clk_i) element_q <= ((Squaring + 1) * Bits)'({element_q, element_i});

  for (genvar k = 0; k < 4; k++) begin : g_subset
    // Distances, and the least of them; a tie takes the lower level.
    for (genvar l = 0; l <= MuBits; l++) begin : g_tree
      localparam int Count = 1 << (MuBits - l);
      logic [Count*DistanceBits-1:0] distance_q;
      logic [Count*MuPorts-1:0] nearest;
      for (genvar m = 0; m < Count; m++) begin : g_node
        if (l == 0) begin : g_distance
          localparam int Level = 4 * m + k;
          localparam int Place = (Level < Upper) ? Upper - 1 - Level : Level - Upper;
          logic signed [DistanceBits:0] element, reconstruction, difference;
          assign element = (DistanceBits + 1)'($signed(element_i));
          assign reconstruction = (DistanceBits + 1)'($signed(reconstructions_i[Place*32+:32]));
          assign difference = (Level < Upper) ? element + reconstruction : element - reconstruction;
          assign nearest[m*MuPorts+:MuPorts] = MuPorts'(m);
          always_ff @(posedge clk_i)
            if (valid_i)
              distance_q[m*DistanceBits+:DistanceBits] <=
                  DistanceBits'(difference[DistanceBits] ? -difference : difference);
        end else begin : g_less
          logic less;
          logic [DistanceBits-1:0] low, high;
          logic [MuPorts-1:0] nearest_q;
          assign low  = g_tree[l-1].distance_q[2*m*DistanceBits+:DistanceBits];
          assign high = g_tree[l-1].distance_q[(2*m+1)*DistanceBits+:DistanceBits];
          assign less = high < low;
          assign nearest[m*MuPorts+:MuPorts] = nearest_q;
          always_ff @(posedge clk_i)
            if (valid_q[l-1]) begin
              distance_q[m*DistanceBits+:DistanceBits] <= less ? high : low;
              nearest_q <= less ? g_tree[l-1].nearest[(2*m+1)*MuPorts+:MuPorts]
                               : g_tree[l-1].nearest[2*m*MuPorts+:MuPorts];
            end
        end
      end
    end
    logic [DistanceBits-1:0] least;
    logic [MuPorts-1:0] nearest, chosen_q, mu_q;
    assign least = g_tree[MuBits].distance_q;
    assign nearest = g_tree[MuBits].nearest;

    // delta in units of 2^places, rounded half up and limited; its square.
    logic [DistanceBits:0] shifted;  // and the bit behind
    logic limited;
    logic [11:0] delta_q;
    logic [23:0] cost_q;
    assign shifted = {least, 1'b0} >> shift_i;
    assign limited = shifted[DistanceBits:13] != '0 || shifted[12:1] == '1;
    always_ff @(posedge clk_i) begin
      if (valid_q[Rounding]) begin
        delta_q  <= limited ? '1 : shifted[12:1] + 12'(shifted[0]);
        chosen_q <= nearest;
      end
      if (valid_q[Squaring]) begin
        cost_q <= 24'(delta_q) * 24'(delta_q);
        mu_q   <= chosen_q;
      end
    end
    assign mus_o[k*MuPorts+:MuPorts] = mu_q;
    assign costs_o[k*24+:24] = cost_q;

    if (Unbiased) begin : g_product
      logic [WordBits-1:0] word_q;
      logic [WordBits-1:0] words[1 << MuBits];
      for (genvar m = 0; m < (1 << MuBits); m++) begin : g_word
        assign words[m] = words_i[(4*m+k)*WordBits+:WordBits];
      end
      logic [ProductBits-1:0] product_q;
      always_ff @(posedge clk_i) begin
        if (valid_q[Rounding]) word_q <= words[nearest];
        if (valid_q[Squaring])
          product_q <= ProductBits'($signed(element_q[(Squaring+1)*Bits-1-:Bits])) *
              ProductBits'($signed(word_q));
      end
      assign products_o[k*ProductBits+:ProductBits] = product_q;
    end else begin : g_product
      assign products_o[k*ProductBits+:ProductBits] = '0;
    end

`ifdef AXELRAM_COVERS
    // Another level as near as the nearest; a distance that the limit changes.
    logic tie, beyond;
    logic [DistanceBits-1:0] first_least;
    int as_near;
    assign beyond = shifted[DistanceBits:13] != '0 || shifted[12:0] == '1;
    always_comb begin
      first_least = '1;
      for (int m = 0; m < (1 << MuBits); m++)
        if (g_tree[0].distance_q[m*DistanceBits+:DistanceBits] < first_least)
          first_least = g_tree[0].distance_q[m*DistanceBits+:DistanceBits];
      as_near = 0;
      for (int m = 0; m < (1 << MuBits); m++)
        if (g_tree[0].distance_q[m*DistanceBits+:DistanceBits] == first_least) as_near++;
      tie = as_near > 1 && first_least != '0;
    end
`endif
  end
  `AXELRAM_COVER(trellis_levels_tie, valid_q[0] &&
                 (g_subset[0].tie || g_subset[1].tie || g_subset[2].tie || g_subset[3].tie))
  `AXELRAM_COVER(trellis_cost_limited,
                 valid_q[Rounding] && (g_subset[0].beyond || g_subset[1].beyond ||
                                                            g_subset[2].beyond ||
                                                            g_subset[3].beyond))
  if (!Unbiased) begin : g_plain
    logic unused;
    assign unused = ^{words_i, element_q};
  end
endmodule

`default_nettype wire
