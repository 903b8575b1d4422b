#include "axelram/files/trace.hpp"

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

}  // namespace

Trace trace_from(const Safetensors& file, const Parameters& parameters, int max_keys) {
  Trace trace;
  trace.element_format = parameters.element_format;
  trace.head_dim = parameters.head_dim;
  trace.keys = finite_rows(file, "keys", parameters, static_cast<std::uint64_t>(max_keys));
  trace.queries = finite_rows(file, "queries", parameters, UINT64_MAX);
  trace.metadata = file.metadata();
  return trace;
}

Trace read_trace(const std::string& path, const Parameters& parameters, int max_keys) {
  return trace_from(Safetensors::read(path), parameters, max_keys);
}

void write_trace(const std::string& path, const Trace& trace, bool force) {
  const auto d = static_cast<std::uint64_t>(trace.head_dim);
  const DataType type = type_of(trace.element_format);
  write_safetensors(path,
                    {view("keys", type, {trace.key_count(), d}, trace.keys),
                     view("queries", type, {trace.query_count(), d}, trace.queries)},
                    trace.metadata, force);
}

}  // namespace axelram::files
