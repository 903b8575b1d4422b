#include "axelram/files/trace.hpp"

#include "axelram/files/turned_keys.hpp"
#include "axelram/half.hpp"

namespace axelram::files {
namespace {

DataType type_of(ElementFormat format) {
  return format == ElementFormat::fp16 ? DataType::f16 : DataType::bf16;
}

std::vector<std::uint16_t> finite_rows(const Safetensors& file, const char* name,
                                       const Parameters& parameters, std::uint64_t max_rows) {
  const Tensor& tensor = file.at(name, type_of(parameters.element_format), 2);
  const std::string where = file.origin() + ": tensor " + name;
  const auto d = static_cast<std::uint64_t>(parameters.head_dim);
  if (tensor.shape[1] != d)
    throw InputError(where + ": shape is " + to_string(tensor.shape) +
                     "; the configuration's head_dim asks for [rows, " + std::to_string(d) + "]");
  if (tensor.shape[0] > max_rows)
    throw InputError(where + ": " + std::to_string(tensor.shape[0]) +
                     " keys; max_keys of the configuration allows " + std::to_string(max_rows));
  auto values = tensor.values<std::uint16_t>();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!is_finite(values[i], parameters.element_format))
      throw InputError(where + ", row " + std::to_string(i / d) + ", column " +
                       std::to_string(i % d) + ": NaN or infinity; every element must be finite");
  return values;
}

/// One value for each key.
std::vector<std::uint16_t> values_of(const Safetensors& file, const Parameters& parameters,
                                     std::size_t keys) {
  std::vector<std::uint16_t> values = finite_rows(file, "values", parameters, UINT64_MAX);
  const std::size_t rows = values.size() / static_cast<std::size_t>(parameters.head_dim);
  if (rows != keys)
    throw InputError(file.origin() + ": tensor values: " + std::to_string(rows) +
                     " rows; it must have " + std::to_string(keys) + ", one for each row of keys");
  return values;
}

}  // namespace

Trace trace_from(const Safetensors& file, const Parameters& parameters, int max_keys) {
  Config config;
  config.parameters = parameters;
  config.max_keys = max_keys;
  return trace_from(file, config);
}

Trace trace_from(const Safetensors& file, const Config& config) {
  check_turned_keys(file, "a macro takes keys after it: capture without --before-rotary");
  const Parameters& p = config.parameters;
  const bool commands = config.attention.given && file.find("commands") != nullptr;
  Trace trace;
  trace.element_format = p.element_format;
  trace.head_dim = p.head_dim;
  trace.keys = finite_rows(file, "keys", p,
                           commands ? UINT64_MAX : static_cast<std::uint64_t>(config.max_keys));
  trace.queries = finite_rows(file, "queries", p, UINT64_MAX);
  trace.metadata = file.metadata();
  if (config.attention.given) trace.values = values_of(file, p, trace.key_count());
  if (commands)
    trace.commands = read_commands(file, config, trace.key_count(), trace.query_count());
  return trace;
}

Trace read_trace(const std::string& path, const Config& config) {
  return trace_from(Safetensors::read(path), config);
}

Trace read_trace(const std::string& path, const Parameters& parameters, int max_keys) {
  return trace_from(Safetensors::read(path), parameters, max_keys);
}

void write_trace(const std::string& path, const Trace& trace, bool force) {
  const auto d = static_cast<std::uint64_t>(trace.head_dim);
  const DataType type = type_of(trace.element_format);
  std::vector<Tensor> tensors = {view("keys", type, {trace.key_count(), d}, trace.keys),
                                 view("queries", type, {trace.query_count(), d}, trace.queries)};
  if (trace.values) tensors.push_back(view("values", type, {trace.key_count(), d}, *trace.values));
  const std::vector<std::int32_t> commands =
      trace.commands ? command_rows(*trace.commands) : std::vector<std::int32_t>();
  if (trace.commands)
    tensors.push_back(
        view("commands", DataType::i32, {trace.commands->size(), kCommandColumns}, commands));
  if (trace.gates)
    tensors.push_back(view("gates", DataType::f32, {trace.key_count()}, *trace.gates));
  if (trace.query_tokens)
    tensors.push_back(
        view("query_tokens", DataType::i32, {trace.query_count()}, *trace.query_tokens));
  Metadata metadata = trace.metadata;
  if (const auto& rotation = trace.rotation) {
    const Shape pairs = {trace.key_count(), d / 2};
    tensors.push_back(view("cosines", DataType::f32, pairs, rotation->cosines));
    tensors.push_back(view("sines", DataType::f32, pairs, rotation->sines));
    if (!rotation->key_offset.empty())
      tensors.push_back(view("key_offset", DataType::f32, {d}, rotation->key_offset));
    metadata["rope"] = "pre";
    metadata["rotation_pairs"] = rotation->interleaved ? "interleaved" : "halves";
  }
  write_safetensors(path, tensors, metadata, force);
}

}  // namespace axelram::files
