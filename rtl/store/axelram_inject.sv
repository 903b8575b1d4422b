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
  localparam logic [1:0] Off = 2'd0;
  localparam logic [1:0] NextWrite = 2'd1;
  localparam logic [1:0] NextRead = 2'd2;
  logic [1:0] mode_q;
  logic [Bits-1:0] mask_q;
  assign armed_o = mode_q != Off;
  assign write_data_o = (mode_q == NextWrite) ? write_data_i ^ mask_q : write_data_i;
  assign read_data_o = mode_q[1] ? read_data_i ^ mask_q : read_data_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mode_q <= Off;
    else if (load_i) mode_q <= mode_i;
    else if ((mode_q == NextWrite && write_i) || (mode_q == NextRead && read_i)) mode_q <= Off;
  end
  always_ff @(posedge clk_i) if (load_i) mask_q <= mask_i;
endmodule

`default_nettype wire
