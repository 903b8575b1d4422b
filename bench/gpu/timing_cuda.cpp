#include <cuda_runtime.h>
#include <cxxabi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "timing.hpp"

namespace bench {
namespace {

using axelram::kernels::DeviceError;
using axelram::kernels::Stream;

constexpr int kReplays = 50, kWarmUps = 3;
constexpr double kGraphUs = 1000;  ///< less would time the start of graphs

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // the next launch must not be blamed for it
  throw DeviceError(std::string(what) + ": " + cudaGetErrorName(error) + ", " +
                    cudaGetErrorString(error));
}

struct Destroy {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
  void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
template <class T>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Destroy>;

cudaStream_t of(const Stream& stream) { return static_cast<cudaStream_t>(stream.native()); }

Owned<cudaEvent_t> event() {
  cudaEvent_t made = nullptr;
  check(cudaEventCreate(&made), "making an event");
  return Owned<cudaEvent_t>(made);
}

Owned<cudaGraph_t> capture(Stream& stream, std::size_t submits, std::size_t sets,
                           const std::function<void(std::size_t)>& submit) {
  check(cudaStreamBeginCapture(of(stream), cudaStreamCaptureModeThreadLocal), "capturing");
  cudaGraph_t graph = nullptr;
  try {
    for (std::size_t i = 0; i < submits; ++i) submit(i % sets);
  } catch (...) {
    cudaStreamEndCapture(of(stream), &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    throw;
  }
  check(cudaStreamEndCapture(of(stream), &graph), "capturing");
  return Owned<cudaGraph_t>(graph);
}

class Replay {
 public:
  Replay(Stream& stream, cudaGraph_t graph) : stream_(stream), begin_(event()), end_(event()) {
    cudaGraphExec_t made = nullptr;
    check(cudaGraphInstantiate(&made, graph, 0), "instantiating a graph");
    graph_.reset(made);
  }
  double us() {
    check(cudaEventRecord(begin_.get(), of(stream_)), "recording");
    check(cudaGraphLaunch(graph_.get(), of(stream_)), "launching a graph");
    check(cudaEventRecord(end_.get(), of(stream_)), "recording");
    stream_.synchronize();
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_.get(), end_.get()), "timing");
    return 1000.0 * static_cast<double>(ms);
  }

 private:
  Stream& stream_;
  Owned<cudaEvent_t> begin_, end_;
  Owned<cudaGraphExec_t> graph_;
};

/// Without parameters; older runtimes tell no names.
std::string name_of([[maybe_unused]] const void* function) {
  std::string name;
#if CUDART_VERSION >= 12030
  const char* mangled = nullptr;
  if (cudaFuncGetName(&mangled, function) == cudaSuccess) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
    name = text == nullptr ? mangled : text.get();
  }
#endif
  const std::size_t hidden = name.find("(anonymous namespace)::");
  if (hidden != std::string::npos) name.erase(0, hidden + 23);
  return name.substr(0, name.find("("));
}

/// Use of a kernel node; nothing if the runtime does not know its function (a library's kernel).
void add_use(cudaGraphNode_t node, std::vector<KernelUse>& uses) {
  cudaKernelNodeParams launch{};
  cudaFuncAttributes attributes{};
  if (cudaGraphKernelNodeGetParams(node, &launch) != cudaSuccess ||
      cudaFuncGetAttributes(&attributes, launch.func) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  KernelUse use;
  use.name = name_of(launch.func);
  use.blocks = std::size_t{launch.gridDim.x} * launch.gridDim.y * launch.gridDim.z;
  use.threads = static_cast<int>(launch.blockDim.x * launch.blockDim.y * launch.blockDim.z);
  use.registers = attributes.numRegs;
  use.shared_bytes = launch.sharedMemBytes + attributes.sharedSizeBytes;
  use.local_bytes = attributes.localSizeBytes;
  int resident = 0, max_threads = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, launch.func, use.threads,
                                                      launch.sharedMemBytes),
        "asking for the occupancy");
  check(cudaDeviceGetAttribute(&max_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0), "asking");
  use.occupancy = static_cast<double>(resident) * use.threads / max_threads;
  uses.push_back(use);
}

std::vector<KernelUse> kernels_of(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "asking for a graph's nodes");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count), "asking for a graph's nodes");
  std::vector<KernelUse> uses;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "asking for a node's type");
    if (type == cudaGraphNodeTypeKernel) add_use(node, uses);
  }
  return uses;
}

}  // namespace

Timing time_graph(Stream& stream, std::size_t sets,
                  const std::function<void(std::size_t)>& submit) {
  // Once outside a graph: what loads or sets attributes on first use does it now.
  submit(0);
  stream.synchronize();
  const auto one = capture(stream, 1, 1, submit);
  Timing timing;
  timing.kernels = kernels_of(one.get());
  Replay single(stream, one.get());
  single.us();
  const double once = std::max(single.us(), 1.0);
  const auto fill = static_cast<std::size_t>(std::ceil(kGraphUs / once));
  const std::size_t submits = (std::max<std::size_t>(fill, 1) + sets - 1) / sets * sets;
  const auto graph = capture(stream, submits, sets, submit);
  Replay replay(stream, graph.get());
  for (int i = 0; i < kWarmUps; ++i) replay.us();
  std::vector<double> times(kReplays);
  for (double& us : times) us = replay.us() / static_cast<double>(submits);
  std::sort(times.begin(), times.end());
  timing.us = (times[kReplays / 2 - 1] + times[kReplays / 2]) / 2;
  timing.fastest_us = times.front();
  timing.replays = kReplays;
  return timing;
}

std::size_t cache_bytes() {
  int bytes = 0;
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0), "asking for the cache's size");
  return static_cast<std::size_t>(bytes);
}

double clock_hz() {
  int khz = 0;
  check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0), "asking for the clock's rate");
  return 1000.0 * khz;
}

}  // namespace bench
