#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

// Writes a randomly initialised Llama in BF16 shards and a text of random tokens: the path of a
// large checkpoint, without one. By default the shape of Llama 3.1 8B, 16 GB.
namespace {

struct Shape {
  std::size_t layers = 32, hidden = 4096, inner = 14336, heads = 32, kv_heads = 8;
  std::size_t vocabulary = 128256, tokens = 512;
  std::size_t head_dim() const { return 128; }
};

struct Tensor {
  std::string name;
  std::size_t rows, columns;  ///< rows 0: one dimension
  std::size_t values() const { return (rows == 0 ? 1 : rows) * columns; }
};

constexpr double kDeviation = 0.02;
constexpr std::size_t kTable = (1 << 20) + 7;  // odd: tensors do not begin at the same place of it

std::uint16_t bfloat16(double value) {
  const auto single = static_cast<float>(value);
  std::uint32_t bits;
  static_assert(sizeof bits == sizeof single);
  std::copy_n(reinterpret_cast<const char*>(&single), 4, reinterpret_cast<char*>(&bits));
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/// A layer's tensors; -1: those around the layers.
std::vector<Tensor> tensors_of(const Shape& s, int layer) {
  const std::size_t q = s.heads * s.head_dim(), kv = s.kv_heads * s.head_dim();
  if (layer < 0)
    return {{"model.embed_tokens.weight", s.vocabulary, s.hidden},
            {"model.norm.weight", 0, s.hidden},
            {"lm_head.weight", s.vocabulary, s.hidden}};
  const std::string p = "model.layers." + std::to_string(layer) + ".";
  return {{p + "input_layernorm.weight", 0, s.hidden},
          {p + "post_attention_layernorm.weight", 0, s.hidden},
          {p + "self_attn.q_proj.weight", q, s.hidden},
          {p + "self_attn.k_proj.weight", kv, s.hidden},
          {p + "self_attn.v_proj.weight", kv, s.hidden},
          {p + "self_attn.o_proj.weight", s.hidden, q},
          {p + "mlp.gate_proj.weight", s.inner, s.hidden},
          {p + "mlp.up_proj.weight", s.inner, s.hidden},
          {p + "mlp.down_proj.weight", s.hidden, s.inner}};
}

void write_header(std::ofstream& file, std::string header) {
  while (header.size() % 8 != 0) header += ' ';
  const std::uint64_t size = header.size();
  file.write(reinterpret_cast<const char*>(&size), 8);
  file << header;
}

std::string header_of(const std::vector<Tensor>& tensors) {
  std::string text = "{";
  std::size_t offset = 0;
  for (const Tensor& t : tensors) {
    text += (text.size() > 1 ? "," : "") + ("\"" + t.name) + "\":{\"dtype\":\"BF16\",\"shape\":[";
    if (t.rows > 0) text += std::to_string(t.rows) + ",";
    text += std::to_string(t.columns) + "],\"data_offsets\":[" + std::to_string(offset) + ",";
    offset += 2 * t.values();
    text += std::to_string(offset) + "]}";
  }
  return text + "}";
}

/// Norms are ones, all else comes from the table, over and over.
void write_values(std::ofstream& file, const Tensor& t, const std::vector<std::uint16_t>& table) {
  static std::size_t at = 0;
  if (t.rows == 0) {
    const std::vector<std::uint16_t> ones(t.columns, bfloat16(1));
    file.write(reinterpret_cast<const char*>(ones.data()),
               static_cast<std::streamsize>(2 * ones.size()));
    return;
  }
  for (std::size_t left = t.values(); left > 0;) {
    const std::size_t some = std::min(left, table.size() - at);
    file.write(reinterpret_cast<const char*>(table.data() + at),
               static_cast<std::streamsize>(2 * some));
    at = (at + some) % table.size();
    left -= some;
  }
}

std::string shard_name(std::size_t i, std::size_t count) {
  const auto padded = [](std::size_t n) {
    const std::string digits = std::to_string(n);
    return std::string(5 - digits.size(), '0') + digits;
  };
  return "model-" + padded(i + 1) + "-of-" + padded(count) + ".safetensors";
}

bool write_model(const std::filesystem::path& folder, const Shape& s) {
  std::vector<std::uint16_t> table(kTable);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, kDeviation);
  for (std::uint16_t& value : table) value = bfloat16(normal(random));
  constexpr std::size_t kLayersOfShard = 8;
  const std::size_t shards = 1 + (s.layers + kLayersOfShard - 1) / kLayersOfShard;
  std::string index = "{\"metadata\":{},\"weight_map\":{";
  for (std::size_t shard = 0; shard < shards; ++shard) {
    std::vector<Tensor> tensors;
    if (shard == 0) tensors = tensors_of(s, -1);
    for (std::size_t i = 0; shard > 0 && i < kLayersOfShard; ++i) {
      const std::size_t layer = (shard - 1) * kLayersOfShard + i;
      if (layer >= s.layers) break;
      for (Tensor& t : tensors_of(s, static_cast<int>(layer))) tensors.push_back(std::move(t));
    }
    const std::string name = shard_name(shard, shards);
    std::ofstream file(folder / name, std::ios::binary);
    write_header(file, header_of(tensors));
    for (const Tensor& t : tensors) {
      write_values(file, t, table);
      index += (index.back() == '{' ? "\"" : ",\"") + t.name + "\":\"" + name + "\"";
    }
    if (!file.flush()) return false;
  }
  std::ofstream(folder / "model.safetensors.index.json") << index << "}}\n";
  return true;
}

void write_config(const std::filesystem::path& folder, const Shape& s) {
  std::ofstream file(folder / "config.json");
  file << "{\"architectures\": [\"LlamaForCausalLM\"], \"model_type\": \"llama\",\n"
       << " \"hidden_size\": " << s.hidden << ", \"intermediate_size\": " << s.inner
       << ", \"num_hidden_layers\": " << s.layers << ",\n \"num_attention_heads\": " << s.heads
       << ", \"num_key_value_heads\": " << s.kv_heads << ", \"head_dim\": " << s.head_dim()
       << ",\n \"vocab_size\": " << s.vocabulary
       << ", \"max_position_embeddings\": 131072, \"rms_norm_eps\": 1e-05,\n"
       << " \"rope_theta\": 500000.0, \"rope_scaling\": {\"factor\": 8.0, \"low_freq_factor\": "
          "1.0,\n"
       << "  \"high_freq_factor\": 4.0, \"original_max_position_embeddings\": 8192,\n"
       << "  \"rope_type\": \"llama3\"},\n"
       << " \"hidden_act\": \"silu\", \"attention_bias\": false, \"mlp_bias\": false,\n"
       << " \"tie_word_embeddings\": false, \"torch_dtype\": \"bfloat16\"}\n";
}

void write_tokens(const std::filesystem::path& folder, const Shape& s) {
  std::ofstream file(folder / "tokens.safetensors", std::ios::binary);
  write_header(file, "{\"tokens\":{\"dtype\":\"I32\",\"shape\":[" + std::to_string(s.tokens) +
                         "],\"data_offsets\":[0," + std::to_string(4 * s.tokens) + "]}}");
  std::mt19937_64 random(2);
  for (std::size_t i = 0; i < s.tokens; ++i) {
    const auto id = static_cast<std::int32_t>(random() % s.vocabulary);
    file.write(reinterpret_cast<const char*>(&id), 4);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3 || (argc == 3 && std::string(argv[2]) != "--small")) {
    std::cerr << "usage: random_llama DIR [--small]\n"
                 "A Llama of random weights, 16 GB, and tokens.safetensors; --small: of 1 MB\n";
    return 2;
  }
  Shape shape;
  if (argc == 3) shape = {2, 256, 512, 2, 1, 300, 40};
  std::error_code error;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder, error);
  write_config(folder, shape);
  write_tokens(folder, shape);
  if (write_model(folder, shape)) return 0;
  std::cerr << "random_llama: " << folder.string() << ": cannot be written; is the disk full?\n";
  return 3;
}
