#include "gguf_keys.hpp"

#include <algorithm>
#include <string_view>

namespace axelram::tokens {
namespace {

constexpr std::string_view kGgml = "tokenizer.ggml.";

/// Ids with a role. Only that of bos and eos counts here, and that of unknown.
constexpr const char* kRoles[] = {"bos",       "eos",     "eot",     "eom",     "unknown",
                                  "seperator", "padding", "cls",     "mask",    "fim_pre",
                                  "fim_suf",   "fim_mid", "fim_pad", "fim_rep", "fim_sep",
                                  "prefix",    "suffix",  "middle"};

/// Keys that the reader uses, or that do not change the ids of a text: token_type_count and
/// add_sep_token belong to BERT's pairs of texts.
constexpr const char* kKnown[] = {"model",
                                  "pre",
                                  "tokens",
                                  "token_type",
                                  "token_type_count",
                                  "scores",
                                  "merges",
                                  "add_bos_token",
                                  "add_eos_token",
                                  "add_sep_token",
                                  "add_space_prefix",
                                  "remove_extra_whitespaces"};

bool is_known(std::string_view name) {
  return std::any_of(std::begin(kKnown), std::end(kKnown),
                     [&](const char* known) { return name == known; });
}

bool is_role(std::string_view name) {
  return std::any_of(std::begin(kRoles), std::end(kRoles),
                     [&](const char* role) { return name == std::string(role) + "_token_id"; });
}

}  // namespace

std::string ggml_key(const std::string& name) { return std::string(kGgml) + name; }

void check_keys(const gguf::Gguf& file, std::size_t pieces) {
  for (const std::string& key : file.keys()) {
    if (key.compare(0, kGgml.size(), kGgml) != 0) continue;
    const std::string_view name = std::string_view(key).substr(kGgml.size());
    if (is_role(name)) {
      const std::int64_t id = file.integer(key);
      if (id < 0 || static_cast<std::uint64_t>(id) >= pieces)
        file.fail(key, "it must be an id in 0.." + std::to_string(pieces - 1));
    } else if (!is_known(name)) {
      file.fail(key, "this key is not supported, and may change the ids of a text");
    }
  }
}

bool flag_or(const gguf::Gguf& file, const std::string& name, bool otherwise) {
  const std::string key = ggml_key(name);
  return file.has(key) ? file.flag(key) : otherwise;
}

std::optional<std::int32_t> id_of(const gguf::Gguf& file, const std::string& name) {
  const std::string key = ggml_key(name);
  if (!file.has(key)) return std::nullopt;
  return static_cast<std::int32_t>(file.integer(key));
}

}  // namespace axelram::tokens
