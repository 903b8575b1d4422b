/// FIFO of scores, or of what is known of reads. A read reserves a place before it starts
/// (reserve_i while free_o). The pipeline therefore never stalls, and no score is lost while
/// score_ready_i is low.
///
/// Depth covers the read pipeline, so that reads never stall if score_ready_i stays high.
/// Latency: 1 cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_score_fifo #(
    parameter int Bits  = 34,
    parameter int Depth = 32
) (
    input  wire logic            clk_i,
    input  wire logic            rst_ni,
    input  wire logic            reserve_i,
    output logic                 free_o,
    input  wire logic            valid_i,
    input  wire logic [Bits-1:0] data_i,
    output logic                 valid_o,
    input  wire logic            ready_i,
    output logic      [Bits-1:0] data_o
);
  `AXELRAM_REQUIRE(depth_power_of_two_from_2, Depth >= 2 && (Depth & (Depth - 1)) == 0)
  `AXELRAM_REQUIRE(bits_at_least_1, Bits >= 1)

  localparam int AddressBits = $clog2(Depth);
  logic [Bits-1:0] buffer_q[Depth];
  logic [AddressBits:0] reserved_q, write_q, read_q;
  logic pop;
  assign free_o  = reserved_q != (AddressBits + 1)'(Depth);
  assign valid_o = write_q != read_q;
  assign data_o  = buffer_q[read_q[AddressBits-1:0]];
  assign pop = valid_o && ready_i;

  always_ff @(posedge clk_i) if (valid_i) buffer_q[write_q[AddressBits-1:0]] <= data_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reserved_q <= '0;
      write_q <= '0;
      read_q <= '0;
    end else begin
      if (reserve_i != pop) reserved_q <= reserve_i ? reserved_q + 1'b1 : reserved_q - 1'b1;
      if (valid_i) write_q <= write_q + 1'b1;
      if (pop) read_q <= read_q + 1'b1;
    end
  end

  `AXELRAM_ASSERT(place_reserved, valid_i |-> write_q - read_q != (AddressBits + 1)'(Depth))
  `AXELRAM_ASSERT(reserved_when_free, reserve_i |-> free_o)
  `AXELRAM_ASSERT(stable_until_taken, valid_o && !ready_i |=> valid_o && $stable(data_o))
endmodule

`default_nettype wire
