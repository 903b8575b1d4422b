#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "field.hpp"
#include "merge.hpp"

namespace axelram::tokens {

/// Looks texts up without a copy.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};
using Vocabulary = std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>>;

/// The `model` of a tokenizer.json: byte-level BPE, or BPE of characters that falls back to bytes,
/// as transformers converts SentencePiece's.
class Bpe {
 public:
  /// Ids of the pieces that one encode() call has already encoded.
  using Cache = std::unordered_map<std::string, std::vector<std::int32_t>>;

  /// Throws files::InputError for fields that are invalid or not supported.
  explicit Bpe(const Field& model);

  /// Appends the ids of a piece of the pre-tokenizer. Throws files::InputError for a byte without
  /// an id.
  void encode(std::string_view piece, Cache& cache, std::vector<std::int32_t>& ids) const;

  /// Whether pieces are text, and characters without an id become the pieces <0x00> to <0xFF> of
  /// their bytes. Otherwise pieces are in the byte alphabet.
  bool byte_fallback() const { return byte_fallback_; }

  /// The vocabulary as the file writes it: piece to id. Ids are unique.
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  void read_vocabulary(const Field& vocab);
  void find_bytes(const Field& model);
  void read_merges(const Field& merges);
  std::int32_t id_of_piece(std::string_view piece, const Field& merges, std::size_t rank) const;
  std::optional<Merge<std::uint32_t>> find(std::int32_t left, std::int32_t right) const;
  std::int32_t id_of_byte(char c, std::string_view piece) const;
  std::vector<std::int32_t> smallest(std::string_view piece) const;

  bool byte_fallback_ = false;
  Vocabulary vocabulary_;
  std::unordered_map<std::uint64_t, Merge<std::uint32_t>> merges_;  ///< by left · 2^32 + right
  Vocabulary whole_;                          ///< text to id, with ignore_merges
  std::array<std::int32_t, 256> byte_ids_{};  ///< -1 for none
};

}  // namespace axelram::tokens
