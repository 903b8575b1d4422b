#pragma once

#include <map>
#include <string>

#include "axelram/rtl/layout.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/rtl_model.hpp"
#include "check.hpp"

namespace axelram::sim {

/// The observed top of a configuration after its reset, by the names of its ports. Inputs are 0 but
/// for the ready ones, which are 1.
class DrivenTop {
 public:
  explicit DrivenTop(const files::Config& config)
      : layout_(config), model_(build_model(rtl::generate_observed(config), {false, true, {}}), 1) {
    for (const rtl::Port& port : rtl::observed_top_ports(config, layout_)) {
      if (port.name == "clk_i") continue;
      ports_[port.name] = model_.port(port.name, port.width);
      const std::string zeros(static_cast<std::size_t>(port.width + 63) / 64 * 8, '\0');
      if (port.input && port.width > 64) ports_[port.name].set_bytes(zeros.data());
      if (port.input && port.width <= 64) set(port.name, port.name.ends_with("ready_i") ? 1 : 0);
    }
    set("rst_ni", 1);
    model_.peek();
    set("rst_ni", 0);
    step(3);
    set("rst_ni", 1);
    step(layout_.release_cycles + layout_.reset_cycles);
  }

  void set(const std::string& port, std::uint64_t value) { ports_.at(port).set(value); }
  std::uint64_t get(const std::string& port) {
    model_.settle();
    return ports_.at(port).get();
  }
  void step(int cycles = 1) {
    for (int i = 0; i < cycles; ++i) {
      CASE(i);
      model_.settle();
      model_.edge();
      REQUIRE(std::string(model_.failure()).empty());
    }
  }
  const rtl::Layout& layout() const { return layout_; }

 private:
  rtl::Layout layout_;
  RtlModel model_;
  std::map<std::string, PortValue> ports_;
};

}  // namespace axelram::sim
