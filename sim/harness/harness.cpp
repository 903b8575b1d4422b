// The C interface through which axelram drives one Verilated macro; compiled with the model into a
// shared library. Ports are found by name; values lie in the model itself, as Verilator keeps them:
// 1, 2, 4 or 8 bytes, or 32-bit words, lowest first, for more than 64 bits. AXELRAM_PORTS lists the
// ports of the top but its clock: AXELRAM_PORT(rst_ni) ...

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "Vaxelram_top.h"
#include "Vaxelram_top___024root.h"
#include "verilated.h"
#ifdef AXELRAM_WAVES
#include "verilated_fst_c.h"
#endif

#define AXELRAM_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// A failed assertion ends the simulation through vl_stop; the driver must hear of it, not the
// shell.
std::string failure;

struct Model {
  VerilatedContext context;
  std::unique_ptr<Vaxelram_top> top;
#ifdef AXELRAM_WAVES
  std::unique_ptr<VerilatedFstC> waves;
#endif
  std::uint64_t half_cycles = 0;

  /// Verilator looks its context up by thread; a thread may run several models, one after the
  /// other.
  void enter() { Verilated::threadContextp(&context); }

  void eval(int clock) {
    enter();
    top->clk_i = static_cast<CData>(clock);
    top->eval();
#ifdef AXELRAM_WAVES
    if (waves) waves->dump(half_cycles * 5);
#endif
    ++half_cycles;
  }
};

}  // namespace

void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE {
  if (failure.empty()) failure = std::string(file) + ":" + std::to_string(line);
}
void vl_fatal(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
  if (failure.empty()) failure = std::string(file) + ":" + std::to_string(line) + ": " + message;
}

AXELRAM_EXPORT void* axelram_model_new(unsigned seed) {
  failure.clear();
  auto model = std::make_unique<Model>();
  model->context.randReset(2);  // registers without a reset start with random bits
  model->context.randSeed(static_cast<int>(seed));
#ifdef AXELRAM_WAVES
  model->context.traceEverOn(true);
#endif
  model->top = std::make_unique<Vaxelram_top>(&model->context);
  return model.release();
}

AXELRAM_EXPORT void axelram_model_delete(void* handle) {
  auto* model = static_cast<Model*>(handle);
  model->enter();
  model->top->final();
#ifdef AXELRAM_WAVES
  if (model->waves) model->waves->close();
#endif
  delete model;
}

/// Shows the outputs for the inputs as they are now; neither time nor waveform moves.
AXELRAM_EXPORT void axelram_model_peek(void* handle) {
  static_cast<Model*>(handle)->enter();
  Vaxelram_top& top = *static_cast<Model*>(handle)->top;
  top.clk_i = 0;
  top.eval();
}

/// Inputs become effective; outputs show the values of this cycle.
AXELRAM_EXPORT void axelram_model_settle(void* handle) { static_cast<Model*>(handle)->eval(0); }

/// The rising edge that ends the cycle.
AXELRAM_EXPORT void axelram_model_edge(void* handle) { static_cast<Model*>(handle)->eval(1); }

/// Where an assertion failed since the model was made (file:line); empty if none did.
AXELRAM_EXPORT const char* axelram_model_failure(void*) { return failure.c_str(); }

AXELRAM_EXPORT void* axelram_model_port(void* handle, const char* name) {
  Vaxelram_top& top = *static_cast<Model*>(handle)->top;
#define AXELRAM_PORT(port) \
  if (std::strcmp(name, #port) == 0) return &top.port;
  AXELRAM_PORTS
#undef AXELRAM_PORT
  return nullptr;
}

/// Copies the first bytes of one word of the key store's SRAM.
AXELRAM_EXPORT void axelram_model_stored(void* handle, unsigned address, std::uint8_t* bytes,
                                         unsigned long count) {
  const auto& memory =
      static_cast<Model*>(handle)
          ->top->rootp
          ->axelram_top__DOT__u_macro__DOT__g_store__DOT__u_key_store__DOT__u_sram__DOT__memory_q;
  std::memcpy(bytes, &memory[address], count);
}

/// Records every signal from now on; false where the model was built without waveforms.
AXELRAM_EXPORT bool axelram_model_waves(void* handle, const char* path) {
#ifdef AXELRAM_WAVES
  auto* model = static_cast<Model*>(handle);
  model->waves = std::make_unique<VerilatedFstC>();
  model->top->trace(model->waves.get(), 99);
  model->waves->open(path);
  return model->waves->isOpen();
#else
  static_cast<void>(handle);
  static_cast<void>(path);
  return false;
#endif
}
