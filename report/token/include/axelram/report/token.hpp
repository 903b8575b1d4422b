#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "axelram/files/config.hpp"

namespace axelram::report {

struct Activity;
enum class BaselineKind;
struct MeasuredBaseline;

/// Attention of a model whose keys are in macros, at one decoding step. Each KV head of a layer has
/// its own keys, and query_heads / kv_heads queries.
struct ModelShape {
  std::uint64_t layers = 0, kv_heads = 0;  ///< 1 .. 1024
  std::uint64_t query_heads = 0;           ///< of a layer, a multiple of kv_heads, to 65536
  std::uint64_t context = 0;               ///< keys of a KV head, the new one included, to 2^30
  bool operator==(const ModelShape&) const = default;
};

/// A number of a shape, from 1. The highest ones keep every count below 2^64.
struct ShapeNumber {
  const char* name;
  std::uint64_t ModelShape::*member;
  std::uint64_t most;
};
inline constexpr std::array<ShapeNumber, 4> kShapeNumbers = {
    {{"layers", &ModelShape::layers, 1024},
     {"kv_heads", &ModelShape::kv_heads, 1024},
     {"query_heads", &ModelShape::query_heads, 65536},
     {"context", &ModelShape::context, 1U << 30}}};

/// A whole number, 1 .. most, in plain digits. Throws files::InputError, with the name.
std::uint64_t parse_shape_number(const std::string& text, const std::string& name,
                                 std::uint64_t most);

/// Throws files::InputError unless query_heads is a multiple of kv_heads.
void check_query_heads(const ModelShape& shape);

/// A shape of "layers=30,kv_heads=3,query_heads=9,context=2048", in any order. Throws
/// files::InputError for anything else, with what would be right.
ModelShape parse_model_shape(const std::string& text);

/// One decoding step of a model.
struct DecodingStep {
  ModelShape shape;
  double period = 0;                   ///< ns, > 0
  const Activity* activity = nullptr;  ///< of the macro, for the energy of its logic
  const std::map<BaselineKind, MeasuredBaseline>* baselines = nullptr;  ///< on the same terms
};

/// What macros of a configuration do in a step. The keys of a KV head are in ceil(context /
/// max_keys) macros, all but the last of them full. Macros of a layer work at the same time, layers
/// one after another.
struct StepCounts {
  std::uint64_t macros_of_head = 0, macros = 0;
  std::uint64_t queries = 0;            ///< of a macro, one after another
  std::uint64_t fullest = 0;            ///< keys of the fullest macro
  std::uint64_t layer_cycles = 0;       ///< from the first beat of the new key to the last score
  std::uint64_t reads = 0, writes = 0;  ///< of records in SRAMs, of all macros
};
StepCounts counts_of(const files::Config& config, const ModelShape& shape);

}  // namespace axelram::report
