/// Reset with synchronised release: rst_no falls with rst_ni at once and rises with the clock, 2
/// cycles after rst_ni.
`include "axelram_macros.svh"
`default_nettype none

module axelram_reset_sync (
    input  wire logic clk_i,
    input  wire logic rst_ni,
    output logic      rst_no
);
  logic [1:0] sync_q;
  assign rst_no = sync_q[1];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sync_q <= '0;
    else sync_q <= {sync_q[0], 1'b1};
  end
endmodule

`default_nettype wire
