#include <cstdint>
#include <limits>
#include <numeric>

#include "axelram/files/result.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/files/trace.hpp"
#include "require.hpp"

using namespace axelram;
using namespace axelram::files;

namespace {

/// True if a reader succeeds, false if it throws an InputError on one line.
template <class Read>
bool succeeds(Read&& read) {
  try {
    read();
    return true;
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(message.rfind("f: ", 0) == 0, message);
    require(message.find_first_of("\n\r") == std::string::npos, message);
    require(message.size() < 1500, message);
    return false;
  }
}

/// Checks that a file written again is read equally.
void check_round_trip(const Safetensors& file) {
  const std::string header = safetensors_header(file.tensors(), file.metadata());
  std::vector<std::uint8_t> bytes(header.begin(), header.end());
  for (const Tensor& tensor : file.tensors())
    bytes.insert(bytes.end(), tensor.data, tensor.data + tensor.bytes);
  const Safetensors again = Safetensors::parse(std::move(bytes), "f");
  require(again.metadata() == file.metadata(), "metadata");
  require(again.tensors().size() == file.tensors().size(), "tensors");
  for (const Tensor& tensor : file.tensors()) {
    const Tensor& other = again.at(tensor.name, tensor.type, tensor.shape.size());
    require(other.shape == tensor.shape && other.bytes == tensor.bytes, tensor.name);
  }
}

}  // namespace

/// Any bytes give a safetensors file whose tensors lie within them, or an InputError on one line.
/// The same holds for a trace and a result.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  std::vector<Safetensors> files;
  if (!succeeds([&] { files.push_back(Safetensors::parse(std::move(bytes), "f")); })) return 0;
  const Safetensors& file = files.front();

  std::size_t total = 0;
  for (const Tensor& tensor : file.tensors()) {
    total += tensor.bytes;
    volatile unsigned sum = std::accumulate(tensor.data, tensor.data + tensor.bytes, 0U);
    static_cast<void>(sum);
    require(file.find(tensor.name) == &tensor, tensor.name);
  }
  require(total < size, "tensors lie within the file");
  check_round_trip(file);

  Parameters parameters{.head_dim = 32};
  for (const ElementFormat format : {ElementFormat::fp16, ElementFormat::bf16}) {
    parameters.element_format = format;
    succeeds([&] {
      const Trace trace = trace_from(file, parameters, 4);
      require(trace.key_count() <= 4, "max_keys");
    });
  }
  static const Config attends = parse_config(
      "macro: {head_dim: 32, max_keys: 4}\nattention: {group: 2}\nstore: {segments: 2}", "c", "");
  succeeds([&] {
    const Trace trace = trace_from(file, attends);
    require(trace.values->size() == trace.keys.size(), "a value for each key");
    require(trace.commands || trace.key_count() <= 4, "max_keys without commands");
  });
  succeeds([&] {
    const Result result = result_from(file);
    require(!first_difference(result, result).has_value(), "a result equals itself");
  });
  return 0;
}
