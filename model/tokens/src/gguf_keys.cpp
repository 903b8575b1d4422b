#include "gguf_keys.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace axelram::tokens {
namespace {

constexpr std::string_view kGgml = "tokenizer.ggml.";

/// Ids with a role. Only those of bos, eos and unknown change the ids of a text.
constexpr std::string_view kUsedRoles[] = {"bos", "eos", "unknown"};
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

/// What a key says of the ids with a role.
enum class RoleKey { none, id, ids, add };

RoleKey role_key(std::string_view name, std::string_view role) {
  const std::string text(role);
  if (name == text + "_token_id") return RoleKey::id;
  if (name == text + "_token_ids") return RoleKey::ids;
  return name == "add_" + text + "_token" ? RoleKey::add : RoleKey::none;
}

bool is_known(std::string_view name) {
  return std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown);
}

/// An id without a part in the ids of a text may be none: converters write -1, or an id of a
/// vocabulary that was enlarged.
void check_id(const gguf::Gguf& file, const std::string& key, bool used, std::size_t pieces) {
  const std::int64_t id = file.integer(key);
  if (used && (id < 0 || static_cast<std::uint64_t>(id) >= pieces))
    file.fail(key, "it must be an id in 0.." + std::to_string(pieces - 1));
}

/// True if the key belongs to a role. Throws if it changes the ids of a text in a way of its own.
bool check_role(const gguf::Gguf& file, const std::string& key, std::string_view name,
                std::size_t pieces) {
  for (const std::string_view role : kRoles) switch (role_key(name, role)) {
      case RoleKey::none:
        break;
      case RoleKey::id:
        check_id(
            file, key,
            std::find(std::begin(kUsedRoles), std::end(kUsedRoles), role) != std::end(kUsedRoles),
            pieces);
        return true;
      case RoleKey::ids:
        file.integers(key);  // the ends of an answer, which no text is looked through for
        return true;
      case RoleKey::add:
        if (file.flag(key)) file.fail(key, "supported is false");
        return true;
    }
  return false;
}

}  // namespace

std::string ggml_key(const std::string& name) { return std::string(kGgml) + name; }

void check_keys(const gguf::Gguf& file, std::size_t pieces) {
  for (const std::string& key : file.keys()) {
    if (key.compare(0, kGgml.size(), kGgml) != 0) continue;
    const std::string_view name = std::string_view(key).substr(kGgml.size());
    if (!is_known(name) && !check_role(file, key, name, pieces))
      file.fail(key, "this key is not supported, and may change the ids of a text");
  }
}

bool flag_or(const gguf::Gguf& file, const std::string& name, bool otherwise) {
  const std::string key = ggml_key(name);
  return file.has(key) ? file.flag(key) : otherwise;
}

std::optional<std::int32_t> id_of(const gguf::Gguf& file, const std::string& name) {
  const std::string key = ggml_key(name);
  if (!file.has(key)) return std::nullopt;
  const std::int64_t id = file.integer(key);
  if (id < 0 || id > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::int32_t>(id);
}

}  // namespace axelram::tokens
