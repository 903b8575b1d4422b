"""Faults that scripts/verify/views --mutation plants in the views of d32-b3-folded: end of the path of a file, text, the
text in its place, and what it is."""

FAULTS = [
    ("memories.json", '"words": 64', '"words": 32', "a memory of fewer words"),
    ("memories.json", '"instance": "u_macro.', '"instance": "u_other.', "a memory elsewhere"),
    (".lib", "word_width", "area : 0.0;\n      word_width", "an area of zero"),
    (".lib", "direction : output", "direction : input", "an output that is an input"),
    (".lib", "bus (raddr_i)", "bus (readdress_i)", "a pin of another name"),
    (".lib", "bit_width : 112", "bit_width : 111", "a narrower bus"),
    (".lib", "memory_read () {", "timing () {\n      related_pin : \"clk_i\"; timing_type : rising_edge;\n      }\n      memory_read () {",
     "a delay without figures"),
    (".lef", "CLASS BLOCK ;", "CLASS BLOCK ;\n  SIZE 0 BY 0 ;", "a size of zero"),
    (".lef", "  PIN ren_i\n    DIRECTION INPUT", "  PIN ren_i\n    DIRECTION OUTPUT", "an input that is an output"),
    (".lef", "END data_o[111]\n", "END data_o[110]\n", "a pin without an end"),
    (".v", "[111:0] data_i", "[110:0] data_i", "a narrower port"),
    (".v", "// verilator lint_off UNDRIVEN\n", "", "a warning"),
    ("views/axelram_sram_1r1w.sv", ".raddr_i,", ".raddr_i(waddr_i),", "reads at the address of writes"),
    ("views/axelram_sram_1r1w.sv", "Bits == 112", "Bits == 111", "another shape"),
    ("views/axelram_sram_1r1w.sv", " .data_i,", " .data_i({data_i[0], data_i[Bits-1:1]}),", "data bits in another order"),
    ("views/axelram.f", "rtl/common/axelram_store.sv\n", "", "no store"),
    ("config.mk", "axelram.sdc\n", "other.sdc\n", "constraints that are not there"),
    ("config.mk", "addsuffix .lib", "addsuffix .lef", "LEF in place of Liberty"),
]
