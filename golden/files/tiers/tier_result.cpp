#include "axelram/files/tier_result.hpp"

#include "axelram/files/safetensors.hpp"

namespace axelram::files {
namespace {

Tensor view_of(const std::string& name, const TierBlocks& blocks) {
  return view(name, DataType::u8, {blocks.rows(), blocks.bytes}, blocks.data);
}

}  // namespace

void write_tier_result(const std::string& path, const TierResult& result, bool force) {
  const std::size_t tokens = result.tokens, d = result.d;
  const TierHalf &keys = result.keys, &values = result.values;
  const std::vector<Tensor> tensors = {
      view("key_bounds", DataType::i32, {tokens, 2}, keys.bounds),
      view("value_bounds", DataType::i32, {tokens, 2}, values.bounds),
      view_of("warm_keys", keys.warm),
      view_of("archive_keys", keys.archive),
      view_of("warm_values", values.warm),
      view_of("archive_values", values.archive),
      view("key_kinds", DataType::u8, {keys.kinds.size()}, keys.kinds),
      view("value_kinds", DataType::u8, {values.kinds.size()}, values.kinds),
      view("decoded_keys", DataType::f32, {tokens, d}, keys.decoded),
      view("decoded_values", DataType::f32, {tokens, d}, values.decoded),
      view("scores", DataType::f32, {result.queries, tokens}, result.scores),
      view("outputs", DataType::f32, {result.queries, d}, result.outputs)};
  write_safetensors(path, tensors,
                    {{"bytes_fp16", std::to_string(result.bytes_fp16)},
                     {"bytes_warm", std::to_string(result.bytes_warm)},
                     {"bytes_archive", std::to_string(result.bytes_archive)}},
                    force);
}

}  // namespace axelram::files
