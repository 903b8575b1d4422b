# Configuration of paper_d128_b3_top for OpenROAD-flow-scripts. axelram does not run it: OpenROAD is not in
# Debian 12, on which axelram is tested. The variables are those of the documentation of that flow.
#   make DESIGN_CONFIG=FOLDER/views/config.mk PLATFORM=nangate45
# First replace the .lef and .lib of the SRAMs by those of your SRAM compiler: the stubs have no size.
# axelram.sdc counts in ns; a platform that counts in another unit needs another period there.
AXELRAM := $(patsubst %/views/config.mk,%,$(abspath $(lastword $(MAKEFILE_LIST))))
AXELRAM_SRAMS := $(patsubst %.lef,%,$(wildcard $(AXELRAM)/views/paper_d128_b3_sram_*.lef))

export PLATFORM ?= sky130hd
export DESIGN_NICKNAME = paper_d128_b3
export DESIGN_NAME = paper_d128_b3_top
# The SRAMs are modules of their .lib.
export VERILOG_FILES = $(addprefix $(AXELRAM)/,$(filter-out +% views/paper_d128_b3_sram_%.v, \
    $(shell cat $(AXELRAM)/views/axelram.f)))
export VERILOG_INCLUDE_DIRS = $(AXELRAM)/rtl/common
export SDC_FILE = $(AXELRAM)/axelram.sdc
export ADDITIONAL_LEFS = $(addsuffix .lef,$(AXELRAM_SRAMS))
export ADDITIONAL_LIBS = $(addsuffix .lib,$(AXELRAM_SRAMS))
# export ADDITIONAL_GDS = the layouts of the SRAMs, for the last step

export CORE_UTILIZATION ?= 40
export MACRO_PLACE_HALO ?= 40 40
