#include "result_rows.hpp"

#include "axelram/run/result.hpp"
#include "axelram/softmax.hpp"

namespace axelram::engines {

files::Result sized_result(const files::Config& config, const files::Trace& trace) {
  files::Result result = run::empty_result(config);
  result.tokens = trace.key_count();
  result.queries = trace.query_count();
  files::size_tensors(&result);
  files::AttentionTensors& attention = *result.attention;
  attention.maxima.assign(attention.maxima.size(), kNoReference);
  attention.weight_references.assign(attention.weight_references.size(), kNoReference);
  return result;
}

}  // namespace axelram::engines
