/// Rows of a power of two (bit-contract.md#power-of-two), the same for every macro: base =
/// RNE(2^(24 - row/64)), and slope = RNE((2^(24 - row/64) - 2^(24 - (row+1)/64)) / 64).
`default_nettype none

module axelram_power_rom (
    input  wire logic [ 5:0] row_i,
    output logic      [24:0] base_o,
    output logic      [11:0] slope_o
);
  always_comb
    case (row_i)
      6'd0: {base_o, slope_o} = {25'd16777216, 12'd2824};
      6'd1: {base_o, slope_o} = {25'd16596492, 12'd2793};
      6'd2: {base_o, slope_o} = {25'd16417715, 12'd2763};
      6'd3: {base_o, slope_o} = {25'd16240863, 12'd2734};
      6'd4: {base_o, slope_o} = {25'd16065917, 12'd2704};
      6'd5: {base_o, slope_o} = {25'd15892855, 12'd2675};
      6'd6: {base_o, slope_o} = {25'd15721658, 12'd2646};
      6'd7: {base_o, slope_o} = {25'd15552304, 12'd2618};
      6'd8: {base_o, slope_o} = {25'd15384775, 12'd2589};
      6'd9: {base_o, slope_o} = {25'd15219050, 12'd2562};
      6'd10: {base_o, slope_o} = {25'd15055111, 12'd2534};
      6'd11: {base_o, slope_o} = {25'd14892937, 12'd2507};
      6'd12: {base_o, slope_o} = {25'd14732511, 12'd2480};
      6'd13: {base_o, slope_o} = {25'd14573813, 12'd2453};
      6'd14: {base_o, slope_o} = {25'd14416824, 12'd2427};
      6'd15: {base_o, slope_o} = {25'd14261526, 12'd2400};
      6'd16: {base_o, slope_o} = {25'd14107901, 12'd2375};
      6'd17: {base_o, slope_o} = {25'd13955931, 12'd2349};
      6'd18: {base_o, slope_o} = {25'd13805598, 12'd2324};
      6'd19: {base_o, slope_o} = {25'd13656884, 12'd2299};
      6'd20: {base_o, slope_o} = {25'd13509772, 12'd2274};
      6'd21: {base_o, slope_o} = {25'd13364245, 12'd2249};
      6'd22: {base_o, slope_o} = {25'd13220286, 12'd2225};
      6'd23: {base_o, slope_o} = {25'd13077877, 12'd2201};
      6'd24: {base_o, slope_o} = {25'd12937002, 12'd2177};
      6'd25: {base_o, slope_o} = {25'd12797645, 12'd2154};
      6'd26: {base_o, slope_o} = {25'd12659789, 12'd2131};
      6'd27: {base_o, slope_o} = {25'd12523418, 12'd2108};
      6'd28: {base_o, slope_o} = {25'd12388516, 12'd2085};
      6'd29: {base_o, slope_o} = {25'd12255067, 12'd2063};
      6'd30: {base_o, slope_o} = {25'd12123055, 12'd2040};
      6'd31: {base_o, slope_o} = {25'd11992466, 12'd2018};
      6'd32: {base_o, slope_o} = {25'd11863283, 12'd1997};
      6'd33: {base_o, slope_o} = {25'd11735492, 12'd1975};
      6'd34: {base_o, slope_o} = {25'd11609078, 12'd1954};
      6'd35: {base_o, slope_o} = {25'd11484025, 12'd1933};
      6'd36: {base_o, slope_o} = {25'd11360319, 12'd1912};
      6'd37: {base_o, slope_o} = {25'd11237946, 12'd1891};
      6'd38: {base_o, slope_o} = {25'd11116891, 12'd1871};
      6'd39: {base_o, slope_o} = {25'd10997140, 12'd1851};
      6'd40: {base_o, slope_o} = {25'd10878679, 12'd1831};
      6'd41: {base_o, slope_o} = {25'd10761494, 12'd1811};
      6'd42: {base_o, slope_o} = {25'd10645571, 12'd1792};
      6'd43: {base_o, slope_o} = {25'd10530897, 12'd1772};
      6'd44: {base_o, slope_o} = {25'd10417458, 12'd1753};
      6'd45: {base_o, slope_o} = {25'd10305242, 12'd1734};
      6'd46: {base_o, slope_o} = {25'd10194234, 12'd1716};
      6'd47: {base_o, slope_o} = {25'd10084422, 12'd1697};
      6'd48: {base_o, slope_o} = {25'd9975792, 12'd1679};
      6'd49: {base_o, slope_o} = {25'd9868333, 12'd1661};
      6'd50: {base_o, slope_o} = {25'd9762032, 12'd1643};
      6'd51: {base_o, slope_o} = {25'd9656875, 12'd1625};
      6'd52: {base_o, slope_o} = {25'd9552851, 12'd1608};
      6'd53: {base_o, slope_o} = {25'd9449948, 12'd1591};
      6'd54: {base_o, slope_o} = {25'd9348154, 12'd1573};
      6'd55: {base_o, slope_o} = {25'd9247455, 12'd1556};
      6'd56: {base_o, slope_o} = {25'd9147842, 12'd1540};
      6'd57: {base_o, slope_o} = {25'd9049301, 12'd1523};
      6'd58: {base_o, slope_o} = {25'd8951823, 12'd1507};
      6'd59: {base_o, slope_o} = {25'd8855394, 12'd1490};
      6'd60: {base_o, slope_o} = {25'd8760003, 12'd1474};
      6'd61: {base_o, slope_o} = {25'd8665641, 12'd1459};
      6'd62: {base_o, slope_o} = {25'd8572295, 12'd1443};
      6'd63: {base_o, slope_o} = {25'd8479954, 12'd1427};
      default: {base_o, slope_o} = '0;
    endcase
endmodule

`default_nettype wire
