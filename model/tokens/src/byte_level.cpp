#include <stdexcept>

#include "axelram/tokens/tokenizer.hpp"

namespace axelram::tokens {
namespace {

class ByteLevel : public Tokenizer {
 public:
  std::vector<std::int32_t> encode(std::string_view text) const override {
    std::vector<std::int32_t> ids;
    ids.reserve(text.size());
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
  }

  std::string piece(std::int32_t id) const override {
    if (id < 0 || id > 255) throw std::out_of_range("no id " + std::to_string(id) + " in 0..255");
    return {static_cast<char>(id)};
  }

  std::size_t vocabulary() const override { return 256; }
  std::optional<std::size_t> bytes_for(std::size_t ids) const override { return ids; }
  std::optional<std::int32_t> bos() const override { return std::nullopt; }
};

}  // namespace

std::unique_ptr<Tokenizer> byte_level() { return std::make_unique<ByteLevel>(); }

}  // namespace axelram::tokens
