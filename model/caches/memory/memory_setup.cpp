#include "axelram/caches/memory_setup.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "axelram/files/errors.hpp"
#include "axelram/files/memory_needs.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/gate.hpp"
#include "rows/model_rows.hpp"
#include "specification/kind.hpp"

namespace axelram::caches {
namespace {

/// The macro of the records: a configuration, or 3 bits for the heads of the model.
AxelramSetup records_of(const Memory& own, const Shape& shape) {
  if (!own.config.empty()) {
    Axelram records{own.config, own.seed, own.faults};
    records.balance = own.balance;
    return {records, shape};
  }
  const std::string text =
      "macro: {head_dim: " + std::to_string(shape.head_dim) + ", index_bits: 3}\n" +
      (own.seed ? "rotation: {seed: " + std::to_string(*own.seed) + "}\n" : "");
  files::Config config = files::parse_config(text, "the cache memory", "");
  HeadConstants constants;
  if (!own.balance.empty()) {
    put_balance("the cache memory", own.balance, &config);
    constants.balance = files::read_exponents(own.balance, config.parameters);
    check_shape(own.balance, *constants.balance, shape);
  }
  return {config, std::move(constants)};
}

/// Keys of records are not for a checkpoint: they name files of a user.
void check_own(const Memory& of_checkpoint, const std::string& where) {
  if (!of_checkpoint.config.empty() || of_checkpoint.seed || !(of_checkpoint.faults == Faults()) ||
      !of_checkpoint.balance.empty())
    throw files::InputError(where +
                            "config, seed, balance, ber and fault_seed are not a checkpoint's; "
                            "name them in the cache specification");
}

/// Sets the options that `keys` has.
void put(const Memory& keys, MemoryOptions* options) {
  const auto put = [](const auto& given, auto* option) {
    if (given) *option = *given;
  };
  put(keys.window, &options->window);
  put(keys.exact, &options->exact);
  put(keys.summary, &options->summary);
  put(keys.sinks, &options->sinks);
  put(keys.novel, &options->novel);
  put(keys.match, &options->match);
  put(keys.gate_exact, &options->gate_exact);
  put(keys.gate_summary, &options->gate_summary);
  put(keys.blend, &options->blend);
  put(keys.evict, &options->evict);
  put(keys.summary_key, &options->summary_key);
  put(keys.store, &options->store);
}

bool decides_blend(const checkpoints::Layer& layer) {
  return !layer.coda.summary_eta_logit.empty();
}

bool decides_every_blend(const Shape& shape) {
  return shape.model != nullptr &&
         std::all_of(shape.model->layers.begin(), shape.model->layers.end(), decides_blend);
}

/// Complains of a key of a specification that has no effect, unless it has the value that holds
/// without it. missing: the end of the message.
template <class T>
void check_effect(const char* key, const std::optional<T>& own, T without, bool effective,
                  const char* missing) {
  if (!own || *own == without || effective) return;
  throw files::InputError("cache memory: " + std::string(key) + " is " +
                          files::in_quotes(text_of(*own)) + ", but " + missing);
}

/// options: with the keys of `own`; without: what holds if `own` has no keys.
void check_effects(const Memory& own, const MemoryOptions& options, const MemoryOptions& without,
                   bool blend_by_model) {
  const auto check = [&](const files::MemoryNeed& need, const char* key, const auto& given,
                         auto otherwise) {
    check_effect(key, given, otherwise, need.met(options), need.missing);
  };
  MemoryOptions matching = options;
  matching.match = without.match;
  check(files::kAnyBank, "novel", own.novel, without.novel);
  check(files::kExactBank, "match", own.match, match_of(matching));
  check(files::kExactBank, "gate_exact", own.gate_exact, without.gate_exact);
  check(files::kExactBank, "evict", own.evict, without.evict);
  check_effect("blend", own.blend, without.blend, !blend_by_model,
               "the checkpoint decides it for each KV head; leave it out");
  check(files::kSummaryBank, "blend", own.blend, without.blend);
  check(files::kSummaryBank, "gate_summary", own.gate_summary, without.gate_summary);
  check(files::kSummaryBank, "summary_key", own.summary_key, without.summary_key);
}

}  // namespace

MemoryOptions memory_options(const Memory& own, const std::string& of_checkpoint,
                             bool blend_by_model) {
  Memory from;
  if (!of_checkpoint.empty()) {
    const std::string where = "coda.memory of the checkpoint: ";
    try {
      const Specification parsed = parse_specification("memory:" + of_checkpoint);
      from = *memory_of(parsed);
    } catch (const files::InputError& error) {
      throw files::InputError(where + error.what());
    }
    check_own(from, where);
  }
  MemoryOptions without;
  put(from, &without);
  MemoryOptions options = without;
  put(own, &options);
  if (!files::kExactBank.met(options)) {  // then the checkpoint's match need not fit `novel`
    without.match.reset();
    options.match = own.match;
  }
  check_effects(own, options, without, blend_by_model);
  return options;
}

MemorySetup::MemorySetup(const Memory& own, const Shape& shape)
    : shape_(shape),
      records_(records_of(own, shape)),
      faults_(own.faults),
      parameters_{},
      longest_(std::int64_t{1} << 31) {
  std::string of_checkpoint;
  if (shape.model != nullptr && shape.model->architecture.coda)
    of_checkpoint = shape.model->architecture.coda->memory;
  records_.reject_attention("a memory of constant size");
  const MemoryOptions options = memory_options(own, of_checkpoint, decides_every_blend(shape));
  try {
    parameters_ = memory_parameters(options, records_.parameters(false), records_.erasure());
  } catch (const std::invalid_argument& error) {
    throw files::InputError(std::string("cache memory: ") + error.what());
  }
  if (own.faults.ber != 0 && options.store != MemoryStore::records)
    throw files::InputError("cache memory: ber flips bits of records, and store is " +
                            std::string(name_of(options.store)) + "; use store=records");
  if (!own.balance.empty() && options.store != MemoryStore::records)
    throw files::InputError("cache memory: balance is of records, and store is " +
                            std::string(name_of(options.store)) + "; use store=records");
  if (shape.model == nullptr) return;
  const checkpoints::Architecture& a = shape.model->architecture;
  gate_bias_ = a.coda && a.coda->gate_bias;
  interleaved_pairs_ = a.positions == checkpoints::Positions::rotary_interleaved;
  longest_ = static_cast<std::int64_t>(a.max_positions);
  const std::vector<checkpoints::Layer>& layers = shape.model->layers;
  blend_by_model_ = std::any_of(layers.begin(), layers.end(), decides_blend);
}

files::MemoryIdentity MemorySetup::identity(const std::string& model) const {
  std::vector<std::int8_t> signs;
  std::vector<std::uint16_t> centers;
  std::vector<std::int8_t> balance;
  const auto append = [](auto* all, const auto& row) {
    all->insert(all->end(), row.begin(), row.end());
  };
  for (int layer = 0; layer < shape_.layers; ++layer)
    for (int head = 0; head < shape_.heads; ++head) {
      append(&signs, records_.signs(layer, head));
      append(&centers, records_.center(layer, head));
      append(&balance, records_.rotation(layer, head).balance);
    }
  return {model,
          files::signs_digest(signs, centers, balance),
          parameters_,
          blend_by_model_,
          records_.parameters(false),
          records_.code(),
          records_.erasure()};
}

MemoryHead MemorySetup::head(int layer, int head) const {
  MemoryHead made;
  made.parameters = records_.parameters(false);
  made.memory = parameters_;
  made.rom = records_.rom();
  made.signs = records_.signs(layer, head);
  made.center = records_.center(layer, head);
  made.balance = records_.rotation(layer, head).balance;
  made.protection = {records_.code(), records_.erasure()};
  made.interleaved_pairs = interleaved_pairs_;
  made.longest = longest_;
  if (shape_.model == nullptr) return made;
  const auto& logits = shape_.model->layers[static_cast<std::size_t>(layer)].coda.summary_eta_logit;
  if (!logits.empty()) made.memory.blend = gate_code_ref(logits[static_cast<std::size_t>(head)]);
  return made;
}

}  // namespace axelram::caches
