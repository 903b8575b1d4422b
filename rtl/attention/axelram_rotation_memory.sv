/// Rows of signs and centers, with Balance of exponents as well, in SRAM
/// (bit-contract.md#segments):
/// Rows banks of KeyLanes elements each.
///
/// A reset writes the rows of signs_i, balance_i and center_i, a bank a cycle; inputs must stay
/// idle until ready_o. load_i: the next KeyLanes elements of row row_i, signs as signs_i, signed
/// exponents of 4 bits, raw finite floats.
/// Rows loads, element 0 first, replace a row. Rows that are not there are not loaded. read_i: the
/// outputs are row rotation_i until the next read. center_exponent_o: largest exponent field of the
/// row's center, 1 at least, and without a center.
/// A row is read 2 cycles behind its last load, or later.
/// Latency: 1 cycle. ready_o: Rotations * Rows + 1 cycles behind a reset.
`include "axelram_macros.svh"
`default_nettype none

module axelram_rotation_memory #(
    parameter int HeadDim   = 128,
    parameter int KeyLanes  = 128,
    parameter int Rotations = 1,
    parameter int ExpBits   = 5,
    parameter bit Center    = 1'b0,
    parameter bit Balance   = 1'b0
) (
    input  wire logic                            clk_i,
    input  wire logic                            rst_ni,
    output logic                                 ready_o,
    input  wire logic [   Rotations*HeadDim-1:0] signs_i,
    input  wire logic [ Rotations*HeadDim*4-1:0] balance_i,
    input  wire logic [Rotations*HeadDim*16-1:0] center_i,
    input  wire logic                            load_i,
    input  wire logic [                     7:0] row_i,
    input  wire logic [            KeyLanes-1:0] row_signs_i,
    input  wire logic [          KeyLanes*4-1:0] row_balance_i,
    input  wire logic [         KeyLanes*16-1:0] row_center_i,
    input  wire logic                            read_i,
    input  wire logic [                     7:0] rotation_i,
    output logic      [             HeadDim-1:0] signs_o,
    output logic      [           HeadDim*4-1:0] balance_o,
    output logic      [          HeadDim*16-1:0] center_o,
    output logic      [             ExpBits-1:0] center_exponent_o
);
  `AXELRAM_REQUIRE(rows_power_of_two,
                   KeyLanes >= 1 && HeadDim % KeyLanes == 0 &&
                   (HeadDim / KeyLanes & (HeadDim / KeyLanes - 1)) == 0)
  `AXELRAM_REQUIRE(rotations_in_1_to_256, Rotations >= 1 && Rotations <= 256)
  `AXELRAM_REQUIRE(exp_bits_5_or_8, ExpBits == 5 || ExpBits == 8)

  localparam int Rows = HeadDim / KeyLanes, BankBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int RotationBits = (Rotations > 1) ? $clog2(Rotations) : 1,
      CopiedBits = $clog2(Rotations + 1);
  localparam int ChannelBits = Balance ? 5 : 1;  // of an element: its sign s, and its exponent
  localparam int BitsEach = ChannelBits + (Center ? 16 : 0);  // and c

  // ---- Writes: the rows of a reset, then loads
  logic copied, write;
  logic [CopiedBits-1:0] copied_q;  // rows
  logic [BankBits-1:0] bank_q;
  logic [RotationBits-1:0] row;
  logic [KeyLanes-1:0] row_signs;
  logic unused_rotation;
  assign unused_rotation = ^rotation_i;
  assign copied = copied_q == CopiedBits'(Rotations);
  assign write = !copied || (load_i && 9'(row_i) < 9'(Rotations));
  assign row = copied ? RotationBits'(row_i) : RotationBits'(copied_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_o <= 1'b0;
      copied_q <= '0;
      bank_q <= '0;
    end else begin
      ready_o <= copied;
      if (write) bank_q <= (bank_q == BankBits'(Rows - 1)) ? '0 : bank_q + 1'b1;
      if (!copied && bank_q == BankBits'(Rows - 1)) copied_q <= copied_q + 1'b1;
    end
  end
  logic [KeyLanes-1:0] reset_signs[Rotations*Rows];
  for (genvar i = 0; i < Rotations * Rows; i++) begin : g_reset_signs
    assign reset_signs[i] = signs_i[i*KeyLanes+:KeyLanes];
  end
  assign row_signs = copied ? row_signs_i : reset_signs[32'(row)*Rows+32'(bank_q)];
  logic [KeyLanes*ChannelBits-1:0] row_channels;
  if (Balance) begin : g_balance
    logic [KeyLanes*4-1:0] reset_balance[Rotations*Rows];
    for (genvar i = 0; i < Rotations * Rows; i++) begin : g_reset_balance
      assign reset_balance[i] = balance_i[i*KeyLanes*4+:KeyLanes*4];
    end
    assign row_channels = {
      copied ? row_balance_i : reset_balance[32'(row)*Rows+32'(bank_q)], row_signs
    };
  end else begin : g_balance
    assign row_channels = row_signs;
    logic unused;
    assign unused = ^{balance_i, row_balance_i};
  end

  // ---- Banks
  logic [KeyLanes*BitsEach-1:0] data;
  for (genvar b = 0; b < Rows; b++) begin : g_bank
    logic [KeyLanes*BitsEach-1:0] read;
    axelram_sram_1r1w #(.Bits(KeyLanes * BitsEach), .Depth(Rotations)) u_sram (
        .clk_i,
        .wen_i  (write && bank_q == BankBits'(b)),
        .waddr_i(row),
        .data_i (data),
        .ren_i  (read_i),
        .raddr_i(RotationBits'(rotation_i)),
        .data_o (read)
    );
    assign signs_o[b*KeyLanes+:KeyLanes] = read[KeyLanes-1:0];
    if (Balance) begin : g_balance
      assign balance_o[b*KeyLanes*4+:KeyLanes*4] = read[KeyLanes+:KeyLanes*4];
    end else begin : g_balance
      assign balance_o[b*KeyLanes*4+:KeyLanes*4] = '0;
    end
    if (Center) begin : g_center
      assign center_o[b*KeyLanes*16+:KeyLanes*16] =
          read[KeyLanes*BitsEach-1:KeyLanes*ChannelBits];
    end else begin : g_center
      assign center_o[b*KeyLanes*16+:KeyLanes*16] = '0;
    end
  end

  // ---- Centers, and the largest exponent field of each, a cycle behind its last bank
  if (Center) begin : g_center
    logic [KeyLanes*16-1:0] reset_center[Rotations*Rows];
    for (genvar i = 0; i < Rotations * Rows; i++) begin : g_reset_center
      assign reset_center[i] = center_i[i*KeyLanes*16+:KeyLanes*16];
    end
    logic [KeyLanes*16-1:0] row_center;
    assign row_center = copied ? row_center_i : reset_center[32'(row)*Rows+32'(bank_q)];
    assign data = {row_center, row_channels};

    logic first_q, last_q, written_q;
    logic [RotationBits-1:0] row_q;
    logic [KeyLanes*ExpBits-1:0] fields;
    logic [ExpBits-1:0] of_bank, before_q, largest;
    for (genvar i = 0; i < KeyLanes; i++) begin : g_field
      assign fields[i*ExpBits+:ExpBits] = row_center[i*16+15-ExpBits+:ExpBits];
    end
    axelram_maximum #(.Count(KeyLanes), .Bits(ExpBits), .Registered(1)) u_maximum (
        .clk_i,
        .enable_i (write),
        .data_i   (fields),
        .largest_o(of_bank)
    );
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) written_q <= 1'b0;
      else written_q <= write;
    end
    always_ff @(posedge clk_i) begin
      if (write) {first_q, last_q, row_q} <= {bank_q == '0, bank_q == BankBits'(Rows - 1), row};
      if (written_q) before_q <= largest;
    end
    always_comb begin
      largest = first_q ? ExpBits'(1) : before_q;
      if (of_bank > largest) largest = of_bank;
    end
    axelram_sram_1r1w #(.Bits(ExpBits), .Depth(Rotations)) u_exponents (
        .clk_i,
        .wen_i  (written_q && last_q),
        .waddr_i(row_q),
        .data_i (largest),
        .ren_i  (read_i),
        .raddr_i(RotationBits'(rotation_i)),
        .data_o (center_exponent_o)
    );
    `AXELRAM_ASSERT(exponents_finite, written_q |-> of_bank != '1)
    `AXELRAM_ASSERT(exponent_read_behind_its_write, read_i |-> !written_q)
  end else begin : g_center
    assign data = row_channels;
    assign center_exponent_o = ExpBits'(1);
    logic unused;
    assign unused = ^{center_i, row_center_i};
  end

  `AXELRAM_ASSERT(idle_until_ready, !ready_o |-> !load_i && !read_i)
  `AXELRAM_ASSERT(rows_whole_when_read, read_i |-> bank_q == '0 && !write)
  `AXELRAM_ASSERT(rotation_in_range, read_i |-> 9'(rotation_i) < 9'(Rotations))
  `AXELRAM_COVER(rotation_loaded, load_i && write && bank_q == BankBits'(Rows - 1))
endmodule

`default_nettype wire
