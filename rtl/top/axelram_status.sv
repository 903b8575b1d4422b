/// Sticky error flags and saturating counters, one of each per event. clear_i clears both. An event
/// in the cycle of a clear survives it. twice_i: the event counts twice. Latency: 1 cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_status #(
    parameter int Events      = 5,
    parameter int CounterBits = 32
) (
    input  wire logic                          clk_i,
    input  wire logic                          rst_ni,
    input  wire logic                          clear_i,
    input  wire logic [            Events-1:0] event_i,
    input  wire logic [            Events-1:0] twice_i,
    output logic      [            Events-1:0] sticky_o,
    output logic      [Events*CounterBits-1:0] count_o
);
  `AXELRAM_REQUIRE(events_at_least_1, Events >= 1)
  `AXELRAM_REQUIRE(counter_bits_at_least_2, CounterBits >= 2)

  for (genvar e = 0; e < Events; e++) begin : g_event
    logic sticky_q;
    // Both sums come from registers, so that an event, which is late, only selects one.
    logic [CounterBits-1:0] count_q, once, twice;
    assign once = &count_q ? '1 : count_q + CounterBits'(1);
    assign twice = &count_q[CounterBits-1:1] ? '1 : count_q + CounterBits'(2);
    assign sticky_o[e] = sticky_q;
    assign count_o[e*CounterBits+:CounterBits] = count_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        sticky_q <= 1'b0;
        count_q  <= '0;
      end else if (clear_i) begin
        sticky_q <= event_i[e];
        count_q  <= twice_i[e] ? CounterBits'(2) : CounterBits'(event_i[e]);
      end else if (event_i[e]) begin
        sticky_q <= 1'b1;
        count_q  <= twice_i[e] ? twice : once;
      end
    end
  end

  `AXELRAM_ASSERT(twice_is_an_event, (twice_i & ~event_i) == '0)
endmodule

`default_nettype wire
