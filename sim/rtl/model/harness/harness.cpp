// C interface of one Verilated macro, compiled with the model into a shared library. Ports are
// found by name. Port values are in the model: 1, 2, 4 or 8 bytes, or for more than 64 bits 32-bit
// words, lowest first. AXELRAM_PORTS lists the ports of the top except its clock:
// AXELRAM_PORT(rst_ni) ... AXELRAM_MEMORY is the memory of the records in the root of the model;
// AXELRAM_COPIES and AXELRAM_COPY_EXPONENTS, of exact tokens, exist only with them.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "Vaxelram_model.h"
#include "Vaxelram_model___024root.h"
#include "verilated.h"
#ifdef AXELRAM_WAVES
#include "verilated_fst_c.h"
using Waves = VerilatedFstC;
#endif
#ifdef AXELRAM_VCD
#include "verilated_vcd_c.h"
using Waves = VerilatedVcdC;
#define AXELRAM_WAVES
#endif
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

#define AXELRAM_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// Place of a failed assertion. Verilator calls vl_stop, which reports to the driver instead of
// ending the process.
std::string failure;

struct Model {
  VerilatedContext context;
  std::unique_ptr<Vaxelram_model> top;
#ifdef AXELRAM_WAVES
  std::unique_ptr<Waves> waves;
#endif
  std::uint64_t half_cycles = 0;

  /// Verilator finds its context by thread. A thread may run several models in turn.
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
  model->top = std::make_unique<Vaxelram_model>(&model->context);
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

/// Updates the outputs for the current inputs. Neither time nor waveform advances.
AXELRAM_EXPORT void axelram_model_peek(void* handle) {
  static_cast<Model*>(handle)->enter();
  Vaxelram_model& top = *static_cast<Model*>(handle)->top;
  top.clk_i = 0;
  top.eval();
}

/// Applies the inputs. Outputs are those of this cycle.
AXELRAM_EXPORT void axelram_model_settle(void* handle) { static_cast<Model*>(handle)->eval(0); }

/// The rising edge that ends the cycle.
AXELRAM_EXPORT void axelram_model_edge(void* handle) { static_cast<Model*>(handle)->eval(1); }

/// Place of the first failed assertion (file:line), or an empty string.
AXELRAM_EXPORT const char* axelram_model_failure(void*) { return failure.c_str(); }

AXELRAM_EXPORT void* axelram_model_port(void* handle, const char* name) {
  Vaxelram_model& top = *static_cast<Model*>(handle)->top;
#define AXELRAM_PORT(port) \
  if (std::strcmp(name, #port) == 0) return &top.port;
  AXELRAM_PORTS
#undef AXELRAM_PORT
  return nullptr;
}

/// Copies the first bytes of one SRAM word.
AXELRAM_EXPORT void axelram_model_stored(void* handle, unsigned address, std::uint8_t* bytes,
                                         unsigned long count) {
  const auto& memory = static_cast<Model*>(handle)->top->rootp->AXELRAM_MEMORY;
  std::memcpy(bytes, &memory[address], count);
}

#ifdef AXELRAM_COPIES
/// Copies the first bytes of one word of the copies, and the exponent of one place.
AXELRAM_EXPORT void axelram_model_copy_word(void* handle, unsigned address, std::uint8_t* bytes,
                                            unsigned long count) {
  const auto& memory = static_cast<Model*>(handle)->top->rootp->AXELRAM_COPIES;
  std::memcpy(bytes, &memory[address], count);
}
AXELRAM_EXPORT unsigned axelram_model_copy_exponent(void* handle, unsigned place) {
  return static_cast<Model*>(handle)->top->rootp->AXELRAM_COPY_EXPONENTS[place];
}
#endif

/// Writes the counters of the covers. Returns false if the model was built without them.
AXELRAM_EXPORT bool axelram_model_covers(void* handle, const char* path) {
#if VM_COVERAGE
  static_cast<Model*>(handle)->context.coveragep()->write(path);
  return true;
#else
  static_cast<void>(handle);
  static_cast<void>(path);
  return false;
#endif
}

/// Records every signal from now on, as FST or VCD. Returns false if the model was built without
/// waveforms.
AXELRAM_EXPORT bool axelram_model_waves(void* handle, const char* path) {
#ifdef AXELRAM_WAVES
  auto* model = static_cast<Model*>(handle);
  model->waves = std::make_unique<Waves>();
  model->top->trace(model->waves.get(), 99);
  model->waves->open(path);
  return model->waves->isOpen();
#else
  static_cast<void>(handle);
  static_cast<void>(path);
  return false;
#endif
}
