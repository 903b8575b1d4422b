#include "gguf_model.hpp"

#include "families.hpp"
#include "gguf_config.hpp"

namespace axelram::checkpoints {
namespace {

std::size_t head_dim_of(const JsonObject& config) {
  if (config.has("head_dim") || !config.has("num_attention_heads"))
    return config.count("head_dim", 0);
  return config.count("hidden_size") / config.count("num_attention_heads");
}

}  // namespace

GgufModel read_gguf(const std::string& path) {
  auto file = std::make_shared<const gguf::Gguf>(gguf::Gguf::map(path));
  const JsonObject config = config_of(*file);
  GgufModel model{
      file, config, Tensors::of_gguf(file, config.text("model_type"), head_dim_of(config)), {}};
  model.checkpoint = read_weights(model.config, &model.tensors);
  return model;
}

}  // namespace axelram::checkpoints
