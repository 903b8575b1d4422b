#include "arguments.hpp"

#include <charconv>
#include <limits>

#include "axelram/files/errors.hpp"

namespace axelram::cli {
namespace {

template <class T>
bool parse(const std::string& text, T* value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && stop == end;
}

}  // namespace

CLI::Option* add_config(CLI::App* app, std::string* path) {
  return app->add_option("CONFIG", *path, "the macro: a YAML or JSON file")
      ->required()
      ->type_name("FILE")
      ->check(file_name())
      ->option_text("(required)");
}

CLI::Option* add_trace(CLI::App* app, std::string* path) {
  return app
      ->add_option("TRACE", *path,
                   "safetensors file: keys [T, head_dim] and queries [Q, head_dim], F16 or BF16")
      ->type_name("FILE")
      ->check(file_name())
      ->option_text(" ");
}

CLI::Option* add_json(CLI::App* app, std::string* path, const std::string& what) {
  return app->add_option("--json", *path, what)->type_name("FILE")->check(file_name());
}

CLI::Option* add_seed(CLI::App* app, std::uint64_t* seed, const std::string& what) {
  return app->add_option("--seed", *seed, what + " (default " + std::to_string(*seed) + ")")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("N");
}

CLI::Option* add_force(CLI::App* app, bool* force) {
  return app->add_flag("--force", *force, "write over existing files");
}

CLI::Validator file_name() {
  return CLI::Validator(
      [](const std::string& text) {
        return text.empty() ? std::string("empty; name a file") : std::string();
      },
      "");
}

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  const std::string right = std::to_string(low) + " .. " + std::to_string(high);
  return CLI::Validator(
      [=](const std::string& text) {
        std::uint64_t value = 0;
        // CLI11 itself would take 010 for 8.
        const bool plain = parse(text, &value) && text == std::to_string(value);
        return plain && low <= value && value <= high
                   ? std::string()
                   : "'" + text + "'; give a whole number, " + right;
      },
      "");
}

CLI::Validator probability(double high) {
  return CLI::Validator(
      [=](const std::string& text) {
        double value = -1;
        if (parse(text, &value) && value >= 0 && value <= high) return std::string();
        return "'" + text + "'; give a probability, 0 .. " + CLI::detail::to_string(high);
      },
      "");
}

}  // namespace axelram::cli
