#include <cmath>
#include <cstring>

#include "axelram/files/mapped_file.hpp"
#include "axelram/files/messages.hpp"
#include "families.hpp"
#include "rotary.hpp"

namespace axelram::checkpoints {
namespace {

using files::InputError;

/// Seven little-endian i32; a negative vocabulary means that the head is not tied to the embedding.
struct Header {
  std::int32_t dim, ffn, layers, heads, kv_heads, vocabulary, positions;
};

Architecture architecture(const Header& header, const std::string& where) {
  const auto size = [&](std::int64_t value, const char* name) {
    if (value <= 0 || value > (1 << 28))
      throw InputError(where + "header: " + name + " is " + std::to_string(value) +
                       "; is it a llama2.c file with the legacy header?");
    return static_cast<std::size_t>(value);
  };
  Architecture a;
  a.family = "llama";
  a.hidden = size(header.dim, "dim");
  a.ffn = size(header.ffn, "hidden_dim");
  a.layers = size(header.layers, "n_layers");
  a.heads = size(header.heads, "n_heads");
  a.kv_heads = size(header.kv_heads, "n_kv_heads");
  a.vocabulary = size(std::abs(std::int64_t{header.vocabulary}), "vocab_size");
  a.max_positions = size(header.positions, "seq_len");
  if (a.hidden % a.heads != 0 || a.heads % a.kv_heads != 0 || a.hidden / a.heads % 2 != 0)
    throw InputError(where + "header: dim " + std::to_string(a.hidden) + ", n_heads " +
                     std::to_string(a.heads) + " and n_kv_heads " + std::to_string(a.kv_heads) +
                     " do not fit each other; is it a llama2.c file with the legacy header?");
  a.head_dim = a.hidden / a.heads;
  a.norm_epsilon = 1e-5;
  a.positions = Positions::rotary_interleaved;
  return a;
}

/// Weights one after the other, all FP32.
class Reader {
 public:
  explicit Reader(const std::uint8_t* data) : next_(data) {}

  const std::uint8_t* skip(std::size_t values) {
    const std::uint8_t* const place = next_;
    next_ += values * sizeof(float);
    return place;
  }
  Matrix matrix(std::size_t outputs, std::size_t inputs) {
    return {skip(outputs * inputs), weights::Type::f32, outputs, inputs, inputs, false};
  }
  std::vector<float> vector(std::size_t size) {
    std::vector<float> values(size);
    std::memcpy(values.data(), skip(size), size * sizeof(float));
    return values;
  }

 private:
  const std::uint8_t* next_;
};

/// In double, so that absurd headers cannot overflow.
double expected_bytes(const Architecture& a, bool own_head) {
  const auto d = static_cast<double>(a.hidden), ffn = static_cast<double>(a.ffn);
  const auto keys = static_cast<double>(a.kv_heads * a.head_dim);
  const auto vocabulary = static_cast<double>(a.vocabulary) * d;
  const double layer = 2 * d + 2 * d * d + 2 * keys * d + 3 * ffn * d;
  const double tables = static_cast<double>(a.max_positions) * static_cast<double>(a.head_dim);
  return sizeof(Header) +
         4 * (vocabulary * (own_head ? 2 : 1) + static_cast<double>(a.layers) * layer + d + tables);
}

}  // namespace

Checkpoint read_llama2c(const std::string& path) {
  const auto file = std::make_shared<const files::MappedFile>(path);
  const std::string where = files::printable(path) + ": ";
  Header header;
  if (file->size() < sizeof header)
    throw InputError(where + std::to_string(file->size()) +
                     " bytes are too few for a llama2.c checkpoint");
  std::memcpy(&header, file->data(), sizeof header);
  Checkpoint c;
  c.architecture = architecture(header, where);
  const Architecture& a = c.architecture;
  const bool own_head = header.vocabulary < 0;
  const double expected = expected_bytes(a, own_head);
  const std::string digits = std::to_string(expected);
  if (static_cast<double>(file->size()) != expected)
    throw InputError(where + std::to_string(file->size()) + " bytes; its header makes it " +
                     digits.substr(0, digits.find('.')) +
                     ": was it cut off, or has it another format than the legacy one?");
  c.files.push_back(file);
  c.architecture.rotary.frequencies = rotary_frequencies(10000, a.head_dim);

  Reader reader(file->data() + sizeof header);
  const std::size_t keys = a.kv_heads * a.head_dim;
  c.layers.resize(a.layers);
  c.embedding = reader.matrix(a.vocabulary, a.hidden);
  for (Layer& layer : c.layers) layer.attention_norm = reader.vector(a.hidden);
  for (Layer& layer : c.layers) layer.q = reader.matrix(a.hidden, a.hidden);
  for (Layer& layer : c.layers) layer.k = reader.matrix(keys, a.hidden);
  for (Layer& layer : c.layers) layer.v = reader.matrix(keys, a.hidden);
  for (Layer& layer : c.layers) layer.o = reader.matrix(a.hidden, a.hidden);
  for (Layer& layer : c.layers) layer.ffn_norm = reader.vector(a.hidden);
  for (Layer& layer : c.layers) layer.gate = reader.matrix(a.ffn, a.hidden);
  for (Layer& layer : c.layers) layer.down = reader.matrix(a.hidden, a.ffn);
  for (Layer& layer : c.layers) layer.up = reader.matrix(a.ffn, a.hidden);
  c.final_norm = reader.vector(a.hidden);
  reader.skip(a.max_positions * a.head_dim);  // tables of cosines and sines
  c.head = own_head ? reader.matrix(a.vocabulary, a.hidden) : c.embedding;
  return c;
}

}  // namespace axelram::checkpoints
