#include <nlohmann/json.hpp>

#include "axelram/files/messages.hpp"
#include "axelram/tokens/tokenizer.hpp"
#include "gguf_keys.hpp"
#include "gguf_pieces.hpp"

namespace axelram::tokens {

std::string tokenizer_config_json(const gguf::Gguf& file) {
  // Reads tokenizer.json as it is. The classes of model families would change it.
  nlohmann::json settings = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                             {"clean_up_tokenization_spaces", false}};
  const GgufPieces pieces = read_pieces(file);
  check_keys(file, pieces.size());
  for (const auto& [role, name] : {std::pair{"bos", "bos_token"},
                                   {"eos", "eos_token"},
                                   {"unknown", "unk_token"},
                                   {"padding", "pad_token"}}) {
    const auto id = id_of(file, std::string(role) + "_token_id");
    if (!id || static_cast<std::size_t>(*id) >= pieces.size()) continue;
    const auto index = static_cast<std::size_t>(*id);
    // A name here makes a special token of any piece, so that a text would get its id.
    const PieceType type = pieces.types[index];
    if (type == PieceType::control || type == PieceType::unknown)
      settings[name] = pieces.texts[index];
  }
  if (const std::string key = "tokenizer.chat_template"; file.has(key)) {
    const std::string_view text = file.text(key);
    if (files::first_invalid_utf8(text) != text.size()) file.fail(key, "it must be UTF-8");
    settings["chat_template"] = text;
  }
  return settings.dump(1) + "\n";
}

}  // namespace axelram::tokens
