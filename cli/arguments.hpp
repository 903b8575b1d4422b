#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "axelram/commands/model.hpp"
#include "axelram/commands/synthesis.hpp"
#include "axelram/engines/engine.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/names.hpp"

namespace axelram::cli {

/// Arguments of several commands. An optional file that is not given stays "".
CLI::Option* add_config(CLI::App* app, std::string* path);
CLI::Option* add_trace(CLI::App* app, std::string* path);
CLI::Option* add_output(CLI::App* app, std::string* path, const std::string& what,
                        const std::string& type = "FILE");
CLI::Option* add_json(CLI::App* app, std::string* path, const std::string& what);
CLI::Option* add_plot(CLI::App* app, std::string* path, const std::string& what);
CLI::Option* add_seed(CLI::App* app, std::uint64_t* seed, const std::string& what);
CLI::Option* add_threads(CLI::App* app, std::uint64_t* threads);
CLI::Option* add_force(CLI::App* app, bool* force);
/// Where --shape names a file: if `option` is given too.
struct ShapeFile {
  const CLI::Option* option = nullptr;
  std::string* path = nullptr;
};
/// --shape of a model.
CLI::Option* add_shape(CLI::App* app, std::optional<report::ModelShape>* shape,
                       const ShapeFile& file = {});
/// --netlist, --synthesize, --liberty, --corner, --period, --shape, --threads.
void add_synthesis(CLI::App* app, commands::SynthesisOptions* options, const ShapeFile& file = {});
/// --engine, with the table of engines as help.
CLI::Option* add_engine(CLI::App* app, EngineKind* engine, const std::string& what);
/// MODEL, TEXT, --tokenizer, --weights, --bos, --skip, --threads.
void add_model(CLI::App* app, commands::ModelOptions* options);
/// The same without TEXT and --skip.
void add_model_alone(CLI::App* app, commands::ModelOptions* options);
/// --from of a state.
void add_from(CLI::App* app, std::string* from, const std::string& what);
/// --cache of a memory.
CLI::Option* add_memory(CLI::App* app, std::string* cache);
/// --baseline of caches that are measured beside it.
CLI::Option* add_baseline(CLI::App* app, std::string* baseline, const std::string& what);
/// --window of a model.
CLI::Option* add_window(CLI::App* app, std::uint64_t* window);

/// An option whose value is a name of EnumNames<T>.
template <class T>
CLI::Option* add_name(CLI::App* app, const std::string& option, T* value, const std::string& what,
                      bool default_shown = true) {
  const std::string names = files::any_of(names_of<T>());
  const CLI::Validator known(
      [names](const std::string& text) {
        return value_named<T>(text) ? std::string() : "'" + text + "'; give " + names;
      },
      "");
  return app
      ->add_option_function<std::string>(
          option, [value](const std::string& text) { *value = *value_named<T>(text); },
          what + ": " + names +
              (default_shown ? " (default " + std::string(name_of(*value)) + ")" : ""))
      ->check(known)
      ->type_name("NAME");
}

/// Rejects "", which would count as not given.
CLI::Validator file_name();
/// Plain decimal digits, `low` to `high`.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);
/// A decimal number from 0 to `high`.
CLI::Validator probability(double high);
/// The same of what is no probability; high: as text.
CLI::Validator number_to(double high, const std::string& text);

}  // namespace axelram::cli
