#include "axelram/caches/tuned.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/files/document_tree.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/json.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/places.hpp"
#include "specification/kind.hpp"

namespace axelram::caches {
namespace {

constexpr const char* kAgain = "; run 'axelram tune' again";

bool is_digest(const std::string& text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// What the record says of the model.
TunedFor read_recipe(const std::string& folder) {
  const std::string path = folder + "/" + kTunedRecipe;
  const nlohmann::json recipe = files::read_json(path);
  if (!recipe.is_object() || !recipe.contains(kTunedKey))
    throw files::InputError(files::printable(path) + ": no record of 'axelram tune'" + kAgain);
  try {
    TunedFor made{folder, recipe.at("model").at("name").get<std::string>(),
                  recipe.at("model").at("digest").get<std::string>()};
    if (is_digest(made.digest)) return made;
  } catch (const nlohmann::json::exception&) {
  }
  throw files::InputError(files::printable(path) +
                          ": has no model with a name and a digest of 64 hexadecimal digits" +
                          kAgain);
}

/// The one line of the specification.
std::string read_line(const std::string& path) {
  std::string line = files::read_text(path);
  if (!line.empty() && line.back() == '\n') line.pop_back();
  if (line.empty() || line.find('\n') != std::string::npos)
    throw files::InputError(files::printable(path) +
                            ": must be one line, the specification of a cache" + kAgain);
  if (std::string_view(line).starts_with(kTuned))
    throw files::InputError(files::printable(path) + ": names a tuned cache itself" + kAgain);
  return line;
}

/// Puts the names of files in `row` behind the folder.
template <class Row>
void move_files(const std::string& folder, Row* row) {
  constexpr std::string_view kFile = "FILE";  // alone, or behind a word such as feedback:
  for (const auto& parameter : Row::kind().parameters) {
    const std::string& shape = parameter.text.value;
    const std::string value = parameter.write(*row);
    const bool configuration = shape == kConfiguration;
    if (value.empty() || !(configuration || shape.ends_with(kFile))) continue;
    const std::size_t word = configuration ? 0 : shape.size() - kFile.size();
    const std::string moved =
        value.substr(0, word) + files::inside(folder + "/", value.substr(word));
    if (const auto wrong = parameter.read(moved, row))
      throw files::InputError(parameter.text.key + " is " + files::in_quotes(moved) + *wrong);
  }
}

}  // namespace

Specification tuned_specification(const std::string& text, NamedFiles files) {
  const std::string word = std::string(kTuned) + ":";
  const std::string where = "cache specification " + files::in_quotes(text) + ": ";
  const std::string folder = text.starts_with(word) ? text.substr(word.size()) : "";
  if (folder.empty())
    throw files::InputError(where +
                            "names no folder; write tuned:DIR, DIR as written by "
                            "'axelram tune MODEL TEXT -o DIR'");
  std::error_code unknown;  // of a path that cannot be followed: it is no folder either
  if (!std::filesystem::is_directory(folder, unknown))
    throw files::InputError(where + files::printable(folder) +
                            " is no folder; write one with 'axelram tune MODEL TEXT -o DIR'");
  TunedFor made = read_recipe(folder);
  const std::string path = folder + "/" + kTunedCache;
  const std::string line = read_line(path);
  try {
    Specification specification = parse_specification(line, files);
    for (RowSpecification* row : {&specification.keys, &specification.values})
      std::visit([&](auto& one) { move_files(folder, &one); }, *row);
    specification.tuned = std::move(made);
    return specification;
  } catch (const files::InputError& error) {
    throw files::InputError(files::printable(path) + ": " + error.what() + kAgain);
  }
}

void check_tuned(std::span<const Specification> specifications, const std::string& path) {
  std::string digest;
  for (const Specification& one : specifications) {
    if (!one.tuned) continue;
    if (digest.empty()) digest = checkpoints::identity_of(path);
    if (one.tuned->digest == digest) continue;
    const auto first_digits = [](const std::string& all) { return all.substr(0, 12); };
    throw files::InputError("cache " + files::in_quotes(to_string(one)) +
                            ": was made for the model " + files::printable(one.tuned->model) +
                            " (digest " + first_digits(one.tuned->digest) + "); " +
                            files::printable(path) + " has the digest " + first_digits(digest) +
                            ": run 'axelram tune' on this model, and name its folder");
  }
}

}  // namespace axelram::caches
