// Clocks an axelram_code_unit. unit_io.hpp precedes this text.

#include <memory>
#include <type_traits>

#include "Vaxelram_code_unit.h"
#include "verilated.h"

void vl_stop(const char*, int, const char*) VL_MT_UNSAFE {}
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

namespace {

template <typename Port>
void put(Port& port, const CodewordBits& bits) {
  if constexpr (std::is_integral_v<Port>) {
    port = static_cast<Port>(bits.low);
  } else {
    port[0] = static_cast<std::uint32_t>(bits.low);
    port[1] = static_cast<std::uint32_t>(bits.low >> 32);
    port[2] = static_cast<std::uint32_t>(bits.high);
  }
}

template <typename Port>
CodewordBits get(const Port& port) {
  if constexpr (std::is_integral_v<Port>)
    return {port, 0};
  else
    return {port[0] | static_cast<std::uint64_t>(port[1]) << 32, port[2]};
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void code_unit_run(const UnitInput* inputs,
                                                                     UnitOutput* outputs,
                                                                     std::size_t cycles) {
  static VerilatedContext context;
  static const auto unit = std::make_unique<Vaxelram_code_unit>(&context);
  for (std::size_t i = 0; i < cycles; ++i) {
    const UnitInput& in = inputs[i];
    unit->rst_ni = !in.reset;
    unit->encode_valid_i = in.encode_valid;
    unit->encode_data_i = static_cast<std::decay_t<decltype(unit->encode_data_i)>>(in.data);
    unit->decode_valid_i = in.decode_valid;
    put(unit->decode_codeword_i, in.received);
    unit->clk_i = 0;
    unit->eval();
    UnitOutput& out = outputs[i];
    out.encode_valid = unit->encode_valid_o;
    out.decode_valid = unit->decode_valid_o;
    out.status = unit->decode_status_o;
    out.encoded = get(unit->encode_codeword_o);
    out.decoded = get(unit->decode_codeword_o);
    unit->clk_i = 1;
    unit->eval();
  }
}
