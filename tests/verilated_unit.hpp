#pragma once

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "axelram/rtl/generator.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/sim/build.hpp"
#include "check.hpp"

namespace axelram::test {

/// A port of a Verilated module, and the member of a struct that has its value: an integer, or an
/// array of integers, the first one lowest.
struct UnitPort {
  std::string name;
  std::size_t offset;       ///< of the member, in bytes
  std::size_t size, count;  ///< of its elements: bytes, and how many
  bool is_signed;
  std::size_t bits;   ///< of an element at the port
  std::size_t width;  ///< of the port

  std::size_t words() const { return (width + 31) / 32; }
};

template <typename Member>
struct Elements {
  using Type = Member;
  static constexpr std::size_t count = 1;
};
template <typename Member, std::size_t Count>
struct Elements<std::array<Member, Count>> {
  using Type = typename Elements<Member>::Type;
  static constexpr std::size_t count = Count * Elements<Member>::count;
};

/// `width`: if it is less than that of all elements.
template <typename Struct, typename Member>
UnitPort port(const std::string& name, Member Struct::*member, std::size_t bits,
              std::size_t width = 0) {
  using Element = typename Elements<Member>::Type;
  static const Struct sample{};
  const auto* const at = reinterpret_cast<const std::uint8_t*>(&(sample.*member));
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(&sample);
  constexpr std::size_t count = Elements<Member>::count;
  return {
      name, static_cast<std::size_t>(at - begin), sizeof(Element), count, std::is_signed_v<Element>,
      bits, width == 0 ? count * bits : width};
}

/// Appends the words of a port to `words`, from the struct at `from`.
inline void pack(const UnitPort& port, const void* from, std::vector<std::uint32_t>* words) {
  const std::size_t first = words->size();
  words->resize(first + port.words());
  const auto* element = static_cast<const std::uint8_t*>(from) + port.offset;
  for (std::size_t e = 0; e < port.count; ++e, element += port.size) {
    std::uint64_t value = 0;
    std::memcpy(&value, element, port.size);
    for (std::size_t bit = 0; bit < port.bits; ++bit)
      if (const std::size_t at = e * port.bits + bit; at < port.width)
        (*words)[first + at / 32] |= static_cast<std::uint32_t>(value >> bit & 1) << at % 32;
  }
}

/// Writes the words of a port into the struct at `to`.
inline void unpack(const UnitPort& port, const std::uint32_t* words, void* to) {
  auto* element = static_cast<std::uint8_t*>(to) + port.offset;
  for (std::size_t e = 0; e < port.count; ++e, element += port.size) {
    std::uint64_t value = 0;
    for (std::size_t bit = 0; bit < port.bits; ++bit)
      if (const std::size_t at = e * port.bits + bit; at < port.width)
        value |= std::uint64_t{words[at / 32] >> at % 32 & 1U} << bit;
    if (port.is_signed && value >> (port.bits - 1) != 0 && port.bits < 64)
      value |= ~std::uint64_t{0} << port.bits;
    std::memcpy(element, &value, port.size);
  }
}

/// A module, Verilated, that is given inputs and asked for outputs once a cycle. Members of the
/// structs besides the ports: `reset` of inputs, and of outputs, if it is there, `asserted`: an
/// assertion failed at the edge before.
template <typename Input, typename Output>
class VerilatedUnit {
 public:
  VerilatedUnit(const std::vector<rtl::GeneratedFile>& files, const std::string& top,
                const std::vector<UnitPort>& inputs, const std::vector<UnitPort>& outputs)
      : inputs_(inputs), outputs_(outputs) {
    std::string put, get;
    for (const UnitPort& port : inputs) put += "    put(&unit->" + port.name + ", &in);\n";
    for (const UnitPort& port : outputs) get += "    get(unit->" + port.name + ", &out);\n";
    const std::string harness = R"(#include <cstdint>
#include <cstring>
#include <memory>

#include "verilated.h"
#include "V)" + top + R"(.h"

static bool asserted = false;
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE { asserted = true; }
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

template <typename Port>
void put(Port* port, const std::uint32_t** words) {
  std::memcpy(reinterpret_cast<char*>(port), *words, sizeof *port);
  *words += (sizeof *port + 3) / 4;
}
template <typename Port>
void get(const Port& port, std::uint32_t** words) {
  std::memcpy(*words, &port, sizeof port);
  *words += (sizeof port + 3) / 4;
}

extern "C" __attribute__((visibility("default"))) void unit_run(
    const std::uint32_t* in, std::uint32_t* out, std::size_t cycles) {
  static VerilatedContext context;
  static const auto unit = std::make_unique<V)" +
                                top + R"(>(&context);
  for (std::size_t i = 0; i < cycles; ++i) {
    unit->rst_ni = *in++ == 0;
)" + put + R"(    unit->clk_i = 0;
    unit->eval();
    *out++ = asserted;
)" + get + R"(    asserted = false;
    unit->clk_i = 1;
    unit->eval();
  }
}
)";
    const std::string path = sim::build_library({files, top, "", harness}, {});
    library_.reset(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
    REQUIRE_MESSAGE(library_ != nullptr, dlerror());
    run_ = reinterpret_cast<Run>(dlsym(library_.get(), "unit_run"));
    REQUIRE(run_ != nullptr);
  }

  /// Outputs before the clock edge of each cycle.
  std::vector<Output> run(const std::vector<Input>& inputs) const {
    std::vector<std::uint32_t> in;
    for (const Input& input : inputs) {
      in.push_back(input.reset);
      for (const UnitPort& port : inputs_) pack(port, &input, &in);
    }
    std::size_t words = 1;
    for (const UnitPort& port : outputs_) words += port.words();
    std::vector<std::uint32_t> out(words * inputs.size());
    run_(in.data(), out.data(), inputs.size());
    std::vector<Output> outputs(inputs.size());
    const std::uint32_t* word = out.data();
    for (Output& output : outputs) {
      if constexpr (requires { output.asserted; }) output.asserted = *word != 0;
      ++word;
      for (const UnitPort& port : outputs_) {
        unpack(port, word, &output);
        word += port.words();
      }
    }
    return outputs;
  }

 private:
  using Run = void (*)(const std::uint32_t*, std::uint32_t*, std::size_t);
  struct Close {
    void operator()(void* library) const { dlclose(library); }
  };
  std::vector<UnitPort> inputs_, outputs_;
  std::unique_ptr<void, Close> library_;
  Run run_ = nullptr;
};

}  // namespace axelram::test
