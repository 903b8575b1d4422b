/// Background scrubber: every Interval cycles it requests the next stored record in turn, which is
/// read, decoded, and written back if a word was corrected. It reads one record at a time, only
/// when the read port is free (idle_i). If the write-back is blocked (lost_i), the record is
/// scrubbed again at the next opportunity. Interval 0: no scrubs.
///
/// Interval is counted from the end of a scrub. At least 1 cycle lies between two reads.
`include "axelram_macros.svh"
`default_nettype none

module axelram_scrubber #(
    parameter int Interval    = 0,
    parameter int AddressBits = 12,
    parameter int CountBits   = 13
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_ni,
    input  wire logic                   idle_i,
    input  wire logic [  CountBits-1:0] count_i,
    output logic                        read_o,
    output logic      [AddressBits-1:0] address_o,
    input  wire logic                   done_i,
    input  wire logic                   lost_i
);
  `AXELRAM_REQUIRE(interval_at_least_0, Interval >= 0)
  `AXELRAM_REQUIRE(count_bits_hold_every_address, CountBits >= AddressBits && AddressBits >= 1)

  if (Interval == 0) begin : g_none
    assign read_o = 1'b0;
    assign address_o = '0;
    logic unused;
    assign unused = ^{clk_i, rst_ni, idle_i, count_i, done_i, lost_i};
  end else begin : g_scrubber
    localparam int TimerBits = (Interval > 1) ? $clog2(Interval) : 1;
    logic [TimerBits-1:0] timer_q;
    logic [AddressBits-1:0] next_q;
    logic in_flight_q;
    // Keys may have been cleared since.
    assign address_o = (CountBits'(next_q) < count_i) ? next_q : '0;
    assign read_o = timer_q == '0 && !in_flight_q && idle_i && count_i != '0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        timer_q <= TimerBits'(Interval - 1);
        next_q <= '0;
        in_flight_q <= 1'b0;
      end else begin
        if (timer_q != '0) timer_q <= timer_q - 1'b1;
        if (read_o) begin
          in_flight_q <= 1'b1;
          next_q <= address_o;
        end
        if (done_i) begin
          in_flight_q <= 1'b0;
          if (!lost_i) begin
            timer_q <= TimerBits'(Interval - 1);
            next_q  <= next_q + 1'b1;
          end
        end
      end
    end

    `AXELRAM_ASSERT(done_answers_read, done_i |-> in_flight_q)
  end
endmodule

`default_nettype wire
