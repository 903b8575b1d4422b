# Timing constraints of paper_d128_b3_top, configuration paper-d128-b3. Set the period to your clock, in ns.
set period 6.0
create_clock -name clk_i -period $period [get_ports clk_i]
set_input_delay [expr 0.2 * $period] -clock clk_i [all_inputs]
set_output_delay [expr 0.2 * $period] -clock clk_i [all_outputs]
set_input_delay 0 -clock clk_i [get_ports clk_i]
# The release of the reset is synchronised, so that its recovery is timed inside.
set_false_path -from [get_ports rst_ni]
