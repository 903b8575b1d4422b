/// Table of a query and its lookup (bit-contract.md#read-3; references.md#axelram, section III-B,
/// steps 2 and 3): table[i][j] = u_i * C_j, and product i of a key is table[i][idx_i].
///
/// Half: the table has the products of the upper half of the levels alone. C_(n-1-j) = -C_j, n the
/// number of levels, so that the product of a lower level j is the negative of that of level n-1-j.
///
/// Latches: the entries are latches (axelram_latch_array), written in the same cycles as
/// flip-flops.
///
/// CopyLanes > 0: the multipliers also serve the copies of exact tokens (bit-contract.md#exact). In
/// a cycle with copy_i, the next CopyLanes elements u are multiplied by copy_elements_i, CopyBits
/// each; copy_products_o follow a cycle later. HeadDim/CopyLanes such cycles take all elements in
/// turn.
///
/// Load: rows of LoadLanes elements u, element 0 first, fill the query buffer. Build: Multipliers
/// entries per cycle while build_i is high, HeadDim * 2^b / Multipliers cycles (1024
/// multiplications at d = 128, b = 3), with Half half as many; done_o is high in the last of them.
/// Lookup: lane i of row r reads table[ReadLanes*r + i].
/// Widths: u QueryBits, C CentroidBits, entries the sum of both (16 at the defaults: 2 KB); signed.
/// The negative of an entry fits, since no magnitude exceeds 2^(QueryBits-1) * (2^(CentroidBits-1)
/// - 1).
/// Latency: lookups may start (valid_i) in the second cycle after done_o; products 1 cycle later.
`include "axelram_macros.svh"
`default_nettype none

module axelram_score_table #(
    parameter int  HeadDim      = 128,
    parameter int  LoadLanes    = 128,
    parameter int  ReadLanes    = 128,
    parameter int  LevelBits    = 3,
    parameter bit  Half         = 1'b0,
    parameter bit  Latches      = 1'b0,
    parameter int  QueryBits    = 8,
    parameter int  CentroidBits = 8,
    parameter int  Multipliers  = 8,
    parameter int  CopyLanes    = 0,
    parameter int  CopyBits     = 16,
    localparam int CopyPorts    = (CopyLanes > 0) ? CopyLanes : 1,
    localparam int Levels       = 1 << LevelBits,
    localparam int EntryBits    = QueryBits + CentroidBits,
    localparam int Rows         = HeadDim / ReadLanes,
    localparam int RowBits      = (Rows > 1) ? $clog2(Rows) : 1
) (
    input  wire logic                                      clk_i,
    input  wire logic                                      rst_ni,
    input  wire logic [           Levels*CentroidBits-1:0] centroids_i,
    input  wire logic                                      load_i,
    input  wire logic [           LoadLanes*QueryBits-1:0] query_i,
    input  wire logic                                      build_i,
    output logic                                           done_o,
    input  wire logic                                      valid_i,
    input  wire logic [                       RowBits-1:0] row_i,
    input  wire logic [           ReadLanes*LevelBits-1:0] levels_i,
    output logic      [           ReadLanes*EntryBits-1:0] products_o,
    input  wire logic                                      copy_i,
    input  wire logic [            CopyPorts*CopyBits-1:0] copy_elements_i,
    output logic      [CopyPorts*(QueryBits+CopyBits)-1:0] copy_products_o
);
  `AXELRAM_REQUIRE(level_bits_in_1_to_5, LevelBits >= 1 && LevelBits <= 5)
  `AXELRAM_REQUIRE(read_lanes_divide_head_dim,
                   ReadLanes >= 1 && HeadDim >= ReadLanes && HeadDim % ReadLanes == 0)
  `AXELRAM_REQUIRE(load_lanes_divide_head_dim,
                   LoadLanes >= 1 && HeadDim >= LoadLanes && HeadDim % LoadLanes == 0)
  `AXELRAM_REQUIRE(multipliers_power_of_two_up_to_entries,
                   Multipliers >= 1 && Multipliers <= HeadDim * (Half ? Levels / 2 : Levels) &&
                   (Multipliers & (Multipliers - 1)) == 0)
  `AXELRAM_REQUIRE(copy_lanes_power_of_two_up_to_multipliers,
                   CopyLanes >= 0 && CopyLanes <= Multipliers && CopyLanes <= HeadDim &&
                   (CopyLanes & (CopyLanes - 1)) == 0)
  `AXELRAM_REQUIRE(copy_bits_in_12_to_16, CopyBits >= 12 && CopyBits <= 16)
  `AXELRAM_REQUIRE(query_bits_in_6_to_16, QueryBits >= 6 && QueryBits <= 16)
  `AXELRAM_REQUIRE(centroid_bits_in_6_to_16, CentroidBits >= 6 && CentroidBits <= 16)

  // Levels with entries, Stored of them from level First on. A step computes Elements whole rows of
  // the table, or, with fewer multipliers, 1/Parts of one row.
  localparam int Stored = Half ? Levels / 2 : Levels;
  localparam int First = Levels - Stored;
  localparam int Elements = (Multipliers >= Stored) ? Multipliers / Stored : 1;
  localparam int Parts = (Multipliers >= Stored) ? 1 : Stored / Multipliers;
  localparam int Groups = HeadDim / Elements;
  localparam int GroupBits = (Groups > 1) ? $clog2(Groups) : 1;
  localparam int PartBits = (Parts > 1) ? $clog2(Parts) : 1;

  logic [GroupBits-1:0] group_q, write_group_q;
  logic [PartBits-1:0] part_q, write_part_q;
  logic write_q, last_part;
  assign last_part = part_q == PartBits'(Parts - 1);
  assign done_o = build_i && last_part && group_q == GroupBits'(Groups - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      group_q <= '0;
      part_q  <= '0;
      write_q <= 1'b0;
    end else begin
      write_q <= build_i;
      if (build_i) begin
        part_q <= last_part ? '0 : part_q + 1'b1;
        if (last_part) group_q <= done_o ? '0 : group_q + 1'b1;
      end
    end
  end

  // Query buffer: elements enter at the top and leave at the bottom. With copies they return to the
  // top, so that after a table, and after a copy, every element is at its place again.
  localparam int BufferBits = HeadDim * QueryBits;
  logic [BufferBits-1:0] buffer_q, returned;
  assign returned = (CopyLanes > 0) ? buffer_q : '0;
  always_ff @(posedge clk_i)
    if (load_i) buffer_q <= BufferBits'({query_i, buffer_q} >> (LoadLanes * QueryBits));
    else if (build_i && last_part)
      buffer_q <= BufferBits'({returned, buffer_q} >> (Elements * QueryBits));
    else if (copy_i) buffer_q <= BufferBits'({returned, buffer_q} >> (CopyLanes * QueryBits));

  logic [Multipliers*EntryBits-1:0] product_q;
  always_ff @(posedge clk_i)
    if (build_i) begin
      write_group_q <= group_q;
      write_part_q  <= part_q;
    end
  for (genvar t = 0; t < Multipliers; t++) begin : g_multiplier
    logic signed [QueryBits-1:0] element;
    logic signed [CentroidBits-1:0] word;
    logic [CentroidBits-1:0] word_of_part[Parts];
    assign element = buffer_q[(t/Stored)*QueryBits+:QueryBits];
    for (genvar p = 0; p < Parts; p++) begin : g_part
      assign word_of_part[p] =
          centroids_i[(First+(p*Multipliers+t)%Stored)*CentroidBits+:CentroidBits];
    end
    assign word = word_of_part[part_q];
    if (t < CopyLanes) begin : g_shared
      localparam int FactorBits = (CopyBits > CentroidBits) ? CopyBits : CentroidBits;
      logic signed [QueryBits-1:0] left;
      logic signed [FactorBits-1:0] right, copied;
      logic [QueryBits+FactorBits-1:0] wide_q;
      assign copied = FactorBits'($signed(copy_elements_i[t*CopyBits+:CopyBits]));
      assign left = copy_i ? $signed(buffer_q[t*QueryBits+:QueryBits]) : element;
      assign right = copy_i ? copied : FactorBits'(word);
      always_ff @(posedge clk_i)
        if (build_i || copy_i)
          wide_q <= (QueryBits + FactorBits)'(left) * (QueryBits + FactorBits)'(right);
      assign product_q[t*EntryBits+:EntryBits] = wide_q[EntryBits-1:0];
      assign copy_products_o[t*(QueryBits+CopyBits)+:QueryBits+CopyBits] =
          wide_q[QueryBits+CopyBits-1:0];
    end else begin : g_own
      logic [EntryBits-1:0] narrow_q;
      always_ff @(posedge clk_i) if (build_i) narrow_q <= EntryBits'(element) * EntryBits'(word);
      assign product_q[t*EntryBits+:EntryBits] = narrow_q;
    end
  end
  if (CopyLanes == 0) begin : g_copy
    assign copy_products_o = '0;
    logic unused;
    assign unused = ^copy_elements_i;
  end
  if (Half) begin : g_lower_half
    logic unused;  // levels that mirror the upper half
    assign unused = ^centroids_i[First*CentroidBits-1:0];
  end

  // One memory per read lane, Rows * Stored entries. A step writes one row of some lanes, or, if
  // Elements > ReadLanes, several rows of all lanes.
  localparam int WriteRows = (Elements > ReadLanes) ? Elements / ReadLanes : 1;
  localparam int LaneGroups = (Elements > ReadLanes) ? 1 : ReadLanes / Elements;
  localparam int AddressBits = (Rows * Stored > 1) ? $clog2(Rows * Stored) : 1;

  for (genvar i = 0; i < ReadLanes; i++) begin : g_lane
    logic [EntryBits-1:0] entry, product_of_lane_q;
    // The level, or, if it is a lower one of a half table, that of the negative product.
    logic [LevelBits-1:0] level;
    logic negative;
    assign negative = Half && !levels_i[(i+1)*LevelBits-1];
    assign level = levels_i[i*LevelBits+:LevelBits] ^ {LevelBits{negative}};

    if (Latches) begin : g_entries
      // Those of a step follow those of the step before, of this lane.
      localparam int WriteWords = WriteRows * Stored / Parts;
      localparam int Steps = Rows * Stored / WriteWords;
      logic [Steps-1:0] write;
      logic [WriteWords*EntryBits-1:0] written;
      for (genvar s = 0; s < Steps; s++) begin : g_step
        assign write[s] = build_i && 32'(part_q) == s % Parts &&
                          32'(group_q) == (s / Parts) * LaneGroups + i / Elements;
      end
      for (genvar r = 0; r < WriteRows; r++) begin : g_row
        localparam int Width = WriteWords / WriteRows * EntryBits;
        localparam int Product = (r * ReadLanes + i % Elements) * Stored * ((Parts > 1) ? 0 : 1);
        assign written[r*Width+:Width] = product_q[Product*EntryBits+:Width];
      end
      axelram_latch_array #(
          .Words(Rows * Stored),
          .WriteWords(WriteWords),
          .Bits (EntryBits)
      ) u_entries (
          .clk_i,
          .write_i  (write),
          .data_i   (written),
          .address_i(AddressBits'((32'(row_i) << $clog2(Stored)) | (32'(level) % Stored))),
          .word_o   (entry)
      );
      logic unused;
      assign unused = write_q ^ (^write_group_q) ^ (^write_part_q);
    end else begin : g_entries
      logic [EntryBits-1:0] entry_q[Rows*Stored];
      always_ff @(posedge clk_i)
        if (write_q)  // alone: simulators test it once for all lanes
          if ((32'(write_group_q) % LaneGroups) == i / Elements)
            for (int r = 0; r < WriteRows; r++)
              for (int t = 0; t < Stored / Parts; t++)
                entry_q[AddressBits'(((32'(write_group_q)/LaneGroups)*WriteRows+r)*Stored+
                                     32'(write_part_q)*Multipliers+t)] <=
                    product_q[
                        ((r*ReadLanes+i%Elements)*Stored*((Parts>1)?0:1)+t)*EntryBits+:EntryBits];
      assign entry = entry_q[AddressBits'(32'(row_i)*Stored+32'(level)%Stored)];
    end

    always_ff @(posedge clk_i)
      if (valid_i)
        product_of_lane_q <= (entry ^ {EntryBits{negative}}) + EntryBits'(negative);
    assign products_o[i*EntryBits+:EntryBits] = product_of_lane_q;
  end

  `AXELRAM_ASSERT(not_read_while_written, valid_i |-> !write_q && !build_i)
  `AXELRAM_ASSERT(load_before_build, load_i |-> !build_i)
  `AXELRAM_ASSERT(copies_while_idle,
                  !(copy_i && (CopyLanes == 0 || load_i || build_i || write_q)))
endmodule

`default_nettype wire
