#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "check.hpp"

namespace test {

/// Text with one part of it replaced; the part must be there.
inline std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  REQUIRE_MESSAGE(at != std::string::npos, part);
  return text.replace(at, part.size(), by);
}

/// Text with one part after the other replaced.
inline std::string replaced(std::string text,
                            std::initializer_list<std::pair<const char*, const char*>> edits) {
  for (const auto& [part, by] : edits) {
    CASE(part);
    text = replaced(std::move(text), part, by);
  }
  return text;
}

/// The same wherever it is.
inline std::string replaced_all(std::string text, const std::string& part, const std::string& by) {
  REQUIRE(text.find(part) != std::string::npos);
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size())
    text.replace(at, part.size(), by);
  return text;
}

/// A Liberty file of a memory of 16 words of 8 bits with a port for both and a port for reading. At
/// 20 ps and 10 fF, in the middle of the table, the delay is 2.5 ns. Powers of a read are 3 and 2,
/// of a write 4 and 3; the shortest period is 4 ns and its high level 1.5 ns; 1000 um^2; 2 uW.
constexpr const char* kSramLiberty = R"(/* a memory
   of the tests */
library (small_lib) {
  time_unit : "1ns" ;
  voltage_unit : "1V" ;
  capacitive_load_unit(1, pF) ;
  leakage_power_unit : "1mW" ;
  nom_voltage : 1.2;
  nom_temperature : 25;
  operating_conditions(typical) {
    voltage : 1.1 ;
    temperature : 85 ;
  }
  default_operating_conditions : typical;
  lu_table_template(delay) {
    variable_1 : input_net_transition;
    variable_2 : total_output_net_capacitance;
    index_1("0.01, 0.03");
    index_2("0.005, 0.015");
  }
  cell (small) {
    memory() {
      type : ram;
      address_width : 4;
      word_width : 8;
    }
    area : 1000;
    cell_leakage_power : 0.002;
    bus(din0) {
      memory_write() {
        address : addr0;
        clocked_on : clk0;
      }
    }
    bus(dout0) {
      memory_read() { address : addr0; }
      timing() {
        related_pin : "clk0";
        timing_type : rising_edge;
        cell_rise(scalar) { values("9"); }
      }
    }
    bus(dout1) {
      memory_read() { address : addr1; }
      pin(dout1[7:0]) {
        timing() {
          related_pin : "clk1";
          timing_type : rising_edge;
          cell_rise(delay) {
            values("1, 2",\
                   "3, 4");
          }
          cell_fall(delay) { values("1, 1", "1, 1"); }
        }
      }
    }
    pin(clk0) {
      clock : true;
      internal_power() {
        when : "!csb0 & !web0";
        rise_power(scalar) { values("4"); }
        fall_power(scalar) { values("3"); }
      }
      internal_power() {
        when : "!csb0 & web0";
        rise_power(scalar) { values("30"); }
        fall_power(scalar) { values("30"); }
      }
      internal_power() {
        when : "csb0 & web0";
        rise_power(scalar) { values("1"); }
        fall_power(scalar) { values("1"); }
      }
      timing() {
        timing_type : minimum_period;
        rise_constraint(scalar) { values("4"); }
      }
    }
    pin(clk1) {
      clock : true;
      internal_power() {
        when : "!csb1";
        rise_power(scalar) { values("3"); }
        fall_power(scalar) { values("2"); }
      }
      internal_power() {
        when : "csb1";
        rise_power(scalar) { values("1"); }
        fall_power(scalar) { values("0.5"); }
      }
      timing() {
        timing_type : minimum_period;
        rise_constraint(scalar) { values("4"); }
      }
      timing() {
        timing_type : min_pulse_width;
        rise_constraint(scalar) { values("1.5"); }
      }
    }
  }
}
)";

/// A LEF file of it: 2000 um^2.
constexpr const char* kSramLef = R"(VERSION 5.7 ;
SITE core
  SIZE 1 BY 2 ;
END core
MACRO other
  SIZE 7 BY 7 ;
END other
MACRO small
   CLASS BLOCK ; # a comment with SIZE 1 BY 1 ;
   SIZE 50 BY 40.0 ;
   PIN d
     DIRECTION INPUT ;
   END d
END small
END LIBRARY
)";

}  // namespace test
