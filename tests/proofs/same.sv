/// The two Golay decoders agree on every received word.
`default_nettype none

module same (
    input  wire logic [axelram_code_pkg::N-1:0] received_i
);
  logic [axelram_code_pkg::N-1:0] algebraic, rom;
  logic [1:0] algebraic_status, rom_status;
  logic algebraic_valid, rom_valid;
  axelram_golay_algebraic_decoder #(.Parity(axelram_code_pkg::Parity)) u_algebraic (
      .clk_i     (1'b0),
      .rst_ni    (1'b1),
      .valid_i   (1'b1),
      .codeword_i(received_i),
      .valid_o   (algebraic_valid),
      .codeword_o(algebraic),
      .status_o  (algebraic_status)
  );
  axelram_code_decoder u_rom (
      .clk_i     (1'b0),
      .rst_ni    (1'b1),
      .valid_i   (1'b1),
      .codeword_i(received_i),
      .valid_o   (rom_valid),
      .codeword_o(rom),
      .status_o  (rom_status)
  );
  always_comb assert ({algebraic, algebraic_status} == {rom, rom_status});
endmodule

`default_nettype wire
