/// Error injection: XOR masks over data and check bits of a stored record.
///
/// load_i loads mode_i and mask_i: 0 off; 1 once, into the next record written (a stored error);
/// 2 once, into the next record read (a transient error); 3 into every record read. Modes 1 and 2
/// end with that record: armed_o falls. A load affects writes and read data from the next cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_inject #(
    parameter int Bits = 800
) (
    input  wire logic            clk_i,
    input  wire logic            rst_ni,
    input  wire logic            load_i,
    input  wire logic [     1:0] mode_i,
    input  wire logic [Bits-1:0] mask_i,
    output logic                 armed_o,
    // Record to the memory, and record from the memory.
    input  wire logic            write_i,
    input  wire logic [Bits-1:0] write_data_i,
    output logic      [Bits-1:0] write_data_o,
    input  wire logic            read_i,
    input  wire logic [Bits-1:0] read_data_i,
    output logic      [Bits-1:0] read_data_o
);
  `AXELRAM_REQUIRE(bits_at_least_1, Bits >= 1)

  localparam logic [1:0] Off = 2'd0;
  localparam logic [1:0] NextWrite = 2'd1;
  localparam logic [1:0] NextRead = 2'd2;
  logic [1:0] mode_q;
  logic [Bits-1:0] write_mask_q, read_mask_q;  // zero where nothing is injected
  logic spent;
  assign spent = (mode_q == NextWrite && write_i) || (mode_q == NextRead && read_i);
  assign armed_o = mode_q != Off;
  assign write_data_o = write_data_i ^ write_mask_q;
  assign read_data_o = read_data_i ^ read_mask_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mode_q <= Off;
    else if (load_i) mode_q <= mode_i;
    else if (spent) mode_q <= Off;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_mask_q <= '0;
      read_mask_q  <= '0;
    end else if (load_i) begin
      write_mask_q <= (mode_i == NextWrite) ? mask_i : '0;
      read_mask_q  <= mode_i[1] ? mask_i : '0;
    end else if (spent) begin
      write_mask_q <= '0;
      read_mask_q  <= '0;
    end
  end

  `AXELRAM_COVER(injection_taken_back, load_i && mode_i == Off)
  `AXELRAM_COVER(injection_next_write, mode_q == NextWrite && write_i)
  `AXELRAM_COVER(injection_next_read, mode_q == NextRead && read_i)
  `AXELRAM_COVER(injection_every_read, mode_q == 2'd3 && read_i)
endmodule

`default_nettype wire
