/// Alignment: d floats become integers with one exponent (bit-contract.md#align).
///   E = max(exponent field, 1) over the vector; m_i = RNE(x_i * 2^-(E - bias - (W - 2)))
///
/// A vector is Rows beats of Lanes elements. Beats are buffered until the last beat determines the
/// largest exponent. The rows are then output in consecutive cycles while the next vector fills the
/// buffer. For a vector with a NaN or an infinity rejected_o pulses and no row is output.
/// With a center (Center = 1) the exponent of a key is at least center_exponent_i, and center_o is
/// the row of the center with the same alignment. value_i: a value, which has no center.
/// With Balance (bit-contract.md#exponents) an element of a key counts with its exponent field less
/// its balance exponent, one of a query with the sum of both, a value or the center with its field
/// alone. balance_i: a signed exponent of 4 bits for each channel of a vector, of use from the
/// cycle behind the first beat to that in which the last row leaves.
/// Ordered: element i of row r is channel Order[8*(Lanes*r + i)+:8] of the vector, by wiring
/// (bit-contract.md#split); so is row r of the center. A row may then take elements of every beat,
/// and the next vector starts Rows - 1 cycles later.
///
/// Widths: SigBits (W) per lane, signed, |m| < 2^(W-1); exponent_o is the biased field (1 .. max),
/// with Balance signed (-7 .. max + 8). Latency: 3 cycles from the last beat to the first row.
/// Throughput: a vector every Rows cycles.
`include "axelram_macros.svh"
`default_nettype none

module axelram_align #(
    parameter int  Lanes     = 128,
    parameter int  Rows      = 1,
    parameter int  ExpBits   = 5,
    parameter int  SigBits   = 16,
    parameter bit  Center    = 1'b0,
    parameter bit  Ordered   = 1'b0,
    parameter bit [Lanes*Rows*8-1:0] Order = '0,
    parameter bit  Balance   = 1'b0,
    localparam int RowBits   = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int FieldBits = Balance ? ExpBits + 2 : ExpBits
) (
    input  wire logic                     clk_i,
    input  wire logic                     rst_ni,
    // One beat, always accepted.
    input  wire logic                     valid_i,
    input  wire logic                     last_i,
    input  wire logic                     query_i,
    input  wire logic                     value_i,
    input  wire logic [      RowBits-1:0] row_i,
    input  wire logic [     Lanes*16-1:0] data_i,
    input  wire logic [ Lanes*Rows*4-1:0] balance_i,
    // Center: its largest exponent field, 1 or more; row to align; the aligned row (Center = 1).
    input  wire logic [      ExpBits-1:0] center_exponent_i,
    output logic      [      RowBits-1:0] center_row_o,
    input  wire logic [     Lanes*16-1:0] center_i,
    output logic                          valid_o,
    output logic                          query_o,
    output logic                          value_o,
    output logic      [    FieldBits-1:0] exponent_o,
    output logic      [Lanes*SigBits-1:0] data_o,
    output logic      [Lanes*SigBits-1:0] center_o,
    output logic                          rejected_o,
    output logic                          rejected_query_o
);
  `AXELRAM_REQUIRE(lanes_power_of_two, Lanes >= 1 && (Lanes & (Lanes - 1)) == 0)
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(exp_bits_5_or_8, ExpBits == 5 || ExpBits == 8)
  `AXELRAM_REQUIRE(sig_bits_in_12_to_20, SigBits >= 12 && SigBits <= 20)

  localparam int FracBits = 15 - ExpBits;
  // The place of an element is its exponent field, 1 at least; with Balance plus an addend that is
  // not negative: 7 less its exponent in a key, 8 plus its exponent in a query, 8 in a value.
  localparam int PlaceBits = Balance ? ExpBits + 1 : ExpBits;

  function automatic logic [3:0] addend_of(input logic [3:0] exponent, input logic query,
                                           input logic value);
    logic [3:0] raised;
    raised = exponent ^ 4'd8;  // 8 more
    addend_of = value ? 4'd8 : query ? raised : ~raised;
  endfunction
  function automatic logic [PlaceBits-1:0] place_of(input logic [ExpBits-1:0] field,
                                                    input logic [3:0] addend);
    place_of = (field == '0) ? PlaceBits'(1) : PlaceBits'(field);
    if (Balance) place_of = place_of + PlaceBits'(addend);
  endfunction

  // RNE of one float over 2^e. An element far below the largest becomes zero: a shift by SigBits
  // drops all of its SigBits - 1 bits and leaves less than one half.
  function automatic logic signed [SigBits-1:0] align_element(
      input logic [15:0] element, input logic [PlaceBits-1:0] place,
      input logic [PlaceBits-1:0] largest);
    logic [ExpBits-1:0] field;
    logic [PlaceBits-1:0] below;
    logic [2*SigBits-2:0] placed;
    logic [SigBits-1:0] magnitude;
    field = element[14:FracBits];
    below = largest - place;
    placed = (2*SigBits-1)'({field != '0, element[FracBits-1:0]}) << (2 * SigBits - 2 - FracBits);
    placed = (32'(below) > SigBits) ? placed >> SigBits : placed >> below;
    magnitude = {1'b0, placed[2*SigBits-2:SigBits]};
    if (placed[SigBits-1] && (placed[SigBits] || placed[SigBits-2:0] != '0))
      magnitude = magnitude + 1'b1;
    align_element = element[15] ? -$signed(magnitude) : $signed(magnitude);
  endfunction

  // Beat: store it and take its largest place, and whether a field of ones is a NaN or an infinity.
  logic valid_q, last_q, query_q, value_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i) {last_q, query_q, value_q} <= {last_i, query_i, value_i};

  logic [Lanes*ExpBits-1:0] fields;
  for (genvar i = 0; i < Lanes; i++) begin : g_field
    assign fields[i*ExpBits+:ExpBits] = data_i[i*16+FracBits+:ExpBits];
  end
  logic [PlaceBits-1:0] beat_largest;
  logic beat_special;
  if (Balance) begin : g_beat
    // A cycle behind the beat, because the exponents are those of its item from there on.
    logic [RowBits-1:0] row_q;
    logic [Lanes*ExpBits-1:0] fields_q;
    logic [Lanes*4-1:0] exponents;
    logic [Lanes*PlaceBits-1:0] places;
    logic [Lanes-1:0] specials;
    always_ff @(posedge clk_i) if (valid_i) {row_q, fields_q} <= {row_i, fields};
    assign exponents = balance_i[32'(row_q)*Lanes*4+:Lanes*4];
    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      assign places[i*PlaceBits+:PlaceBits] =
          place_of(fields_q[i*ExpBits+:ExpBits], addend_of(exponents[i*4+:4], query_q, value_q));
      assign specials[i] = fields_q[i*ExpBits+:ExpBits] == '1;
    end
    axelram_maximum #(.Count(Lanes), .Bits(PlaceBits)) u_maximum (
        .clk_i,
        .enable_i (valid_q),
        .data_i   (places),
        .largest_o(beat_largest)
    );
    assign beat_special = specials != '0;
  end else begin : g_beat
    // The largest field of each of Groups groups of lanes, then of the beat.
    localparam int Groups = (Lanes > 8) ? 8 : Lanes;
    localparam int GroupLanes = Lanes / Groups;
    logic [Groups*ExpBits-1:0] groups_q;
    for (genvar g = 0; g < Groups; g++) begin : g_group
      axelram_maximum #(.Count(GroupLanes), .Bits(ExpBits), .Registered(1)) u_maximum (
          .clk_i,
          .enable_i (valid_i),
          .data_i   (fields[g*GroupLanes*ExpBits+:GroupLanes*ExpBits]),
          .largest_o(groups_q[g*ExpBits+:ExpBits])
      );
    end
    axelram_maximum #(.Count(Groups), .Bits(ExpBits)) u_maximum (
        .clk_i,
        .enable_i (valid_q),
        .data_i   (groups_q),
        .largest_o(beat_largest)
    );
    assign beat_special = beat_largest == '1;
  end

  // Vector: largest place so far. After the last beat it is copied and the rows are output.
  logic [PlaceBits-1:0] running_q, largest, largest_q, center_place, center_largest_q;
  logic [FieldBits-1:0] exponent, leaving_exponent_q, exponent_q;
  logic special, complete, accept, draining_q, leaving_q, row_query_q, row_value_q, above, key;
  assign largest = (beat_largest > running_q) ? beat_largest : running_q;
  assign complete = valid_q && last_q;
  assign accept = complete && !special;
  assign rejected_o = complete && special;
  assign rejected_query_o = query_q;

  localparam logic [PlaceBits-1:0] Least = Balance ? '0 : PlaceBits'(1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) running_q <= Least;
    else if (valid_q) running_q <= last_q ? Least : largest;
  end
  assign key   = !query_q && !value_q;
  assign above = Center && key && largest < center_place;
  always_ff @(posedge clk_i)
    if (complete) begin
      largest_q <= above ? center_place : largest;
      {row_query_q, row_value_q} <= {query_q, value_q};
    end

  if (Balance) begin : g_exponent
    // From places to fields; a vector is special if one of its beats is.
    logic special_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) special_q <= 1'b0;
      else if (valid_q) special_q <= !last_q && special;
    end
    assign special = beat_special || special_q;
    assign center_place = PlaceBits'(center_exponent_i) + PlaceBits'(7);
    assign exponent = (above ? FieldBits'(center_place) : FieldBits'(largest)) +
        (key ? FieldBits'(-7) : FieldBits'(-8));
    always_ff @(posedge clk_i) if (complete) leaving_exponent_q <= exponent;
    assign center_largest_q = PlaceBits'(leaving_exponent_q);
  end else begin : g_exponent
    assign special = largest == '1;
    assign center_place = center_exponent_i;
    assign {exponent, leaving_exponent_q, center_largest_q} = {3{largest_q}};
    logic unused;
    assign unused = ^{beat_special, exponent};
  end

  // Buffer: row r is read no later than the next vector's beat r can overwrite it.
  logic [Lanes*16-1:0] buffer_q[Rows];
  logic [Lanes*16-1:0] leaving_row_q;
  logic [RowBits-1:0] drain_row_q, read_row;
  assign read_row = complete ? '0 : drain_row_q;

  always_ff @(posedge clk_i) if (valid_i) buffer_q[row_i] <= data_i;
  always_ff @(posedge clk_i) if (complete || draining_q) center_row_o <= read_row;
  logic [Lanes*16-1:0] row;  // with Balance, the one that leaves
  if (Ordered) begin : g_leaving
    logic [Rows*Lanes*16-1:0] ordered;
    for (genvar r = 0; r < Rows; r++) begin : g_row
      for (genvar i = 0; i < Lanes; i++) begin : g_lane
        localparam int Channel = 32'(Order[8*(Lanes*r+i)+:8]);
        assign ordered[16*(Lanes*r+i)+:16] = buffer_q[Channel/Lanes][16*(Channel%Lanes)+:16];
      end
    end
    always_ff @(posedge clk_i)
      if (complete || draining_q) leaving_row_q <= ordered[32'(read_row)*Lanes*16+:Lanes*16];
    assign row = Balance ? ordered[32'(read_row)*Lanes*16+:Lanes*16] : '0;
  end else begin : g_leaving
    always_ff @(posedge clk_i) if (complete || draining_q) leaving_row_q <= buffer_q[read_row];
    assign row = Balance ? buffer_q[read_row] : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      draining_q <= 1'b0;
      drain_row_q <= '0;
      leaving_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      leaving_q <= accept || draining_q;
      valid_o <= leaving_q;
      if (accept || draining_q) begin
        draining_q <= read_row != RowBits'(Rows - 1);
        drain_row_q <= read_row + 1'b1;
      end
    end
  end

  // Places of the row that leaves, made beside it.
  logic [Lanes*PlaceBits-1:0] leaving_places_q;
  if (Balance) begin : g_places
    logic [Rows*Lanes*4-1:0] in_order;
    logic [Lanes*4-1:0] exponents;
    for (genvar i = 0; i < Rows * Lanes; i++) begin : g_channel
      localparam int Channel = Ordered ? 32'(Order[8*i+:8]) : i;
      assign in_order[4*i+:4] = balance_i[4*Channel+:4];
    end
    assign exponents = in_order[32'(read_row)*Lanes*4+:Lanes*4];
    always_ff @(posedge clk_i)
      if (complete || draining_q)
        for (int i = 0; i < Lanes; i++)
          leaving_places_q[i*PlaceBits+:PlaceBits] <= place_of(
              row[i*16+FracBits+:ExpBits],
              addend_of(exponents[i*4+:4], complete ? query_q : row_query_q,
                        complete ? value_q : row_value_q));
  end else begin : g_places
    assign leaving_places_q = '0;
    logic unused;
    assign unused = ^{balance_i, row};
  end

  // Row: shift and round.
  always_ff @(posedge clk_i)
    if (leaving_q) begin
      {query_o, value_o} <= {row_query_q, row_value_q};
      exponent_q <= leaving_exponent_q;
      for (int i = 0; i < Lanes; i++)
        data_o[i*SigBits+:SigBits] <= align_element(
            leaving_row_q[i*16+:16],
            Balance ? leaving_places_q[i*PlaceBits+:PlaceBits]
                    : place_of(leaving_row_q[i*16+FracBits+:ExpBits], 4'd0),
            largest_q);
    end
  assign exponent_o = exponent_q;

  if (Center) begin : g_center
    always_ff @(posedge clk_i)
      if (leaving_q)
        for (int i = 0; i < Lanes; i++)
          center_o[i*SigBits+:SigBits] <= align_element(
              center_i[i*16+:16], place_of(center_i[i*16+FracBits+:ExpBits], 4'd0),
              center_largest_q);
  end else begin : g_center
    logic unused;
    assign unused = ^{center_i, center_exponent_i, center_largest_q};
    assign center_o = '0;
  end

  // The shift is a difference of exponents: it can never be negative.
  `AXELRAM_ASSERT(largest_is_largest,
                  accept |-> largest >= beat_largest && (Balance || largest != '1))
  `AXELRAM_ASSERT(whole_until_it_has_left, !(Ordered && Rows > 1 && valid_i &&
                  (complete || (draining_q && drain_row_q != RowBits'(Rows - 1)))))
  `AXELRAM_ASSERT(row_by_row, valid_i |-> last_i == (row_i == RowBits'(Rows - 1)))
endmodule

`default_nettype wire
