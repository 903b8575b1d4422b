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
  return app
      ->add_option("CONFIG", *path,
                   "the macro: a YAML or JSON file, or a name of 'axelram list configurations'")
      ->required()
      ->type_name("FILE|NAME")
      ->check(file_name())
      ->option_text("(required)");
}

CLI::Option* add_trace(CLI::App* app, std::string* path) {
  return app
      ->add_option(
          "TRACE", *path,
          "safetensors file: keys [T, head_dim] and queries [Q, head_dim], F16 or BF16; for "
          "attention also values [T, head_dim] and, optionally, commands")
      ->type_name("FILE")
      ->check(file_name())
      ->option_text(" ");
}

CLI::Option* add_output(CLI::App* app, std::string* path, const std::string& what,
                        const std::string& type) {
  return app->add_option("-o,--output", *path, what)
      ->required()
      ->check(file_name())
      ->type_name(type)
      ->option_text(type + " (required)");
}

CLI::Option* add_json(CLI::App* app, std::string* path, const std::string& what) {
  return app->add_option("--json", *path, what)->type_name("FILE")->check(file_name());
}

CLI::Option* add_plot(CLI::App* app, std::string* path, const std::string& what) {
  return app->add_option("--plot", *path, what)
      ->type_name("FILE.svg|png|pdf|json")
      ->check(file_name());
}

CLI::Option* add_seed(CLI::App* app, std::uint64_t* seed, const std::string& what) {
  return app->add_option("--seed", *seed, what + " (default " + std::to_string(*seed) + ")")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("N");
}

CLI::Option* add_threads(CLI::App* app, std::uint64_t* threads) {
  return app
      ->add_option("--threads", *threads, "default: one for each core; results do not depend on it")
      ->check(whole_number(1, 1024))
      ->type_name("N");
}

CLI::Option* add_shape(CLI::App* app, std::optional<report::ModelShape>* shape,
                       const ShapeFile& file) {
  const auto names_file = [file] { return file.option != nullptr && file.option->count() > 0; };
  const CLI::Validator known(
      [names_file](const std::string& text) -> std::string {
        if (names_file()) return text.empty() ? "empty; name a file" : "";
        try {
          report::parse_model_shape(text);
          return "";
        } catch (const files::InputError& error) {
          return error.what();
        }
      },
      "");
  const std::string what =
      "macros, cycles, time and energy of a token of a model:\n"
      "layers=30,kv_heads=3,query_heads=9,context=2048; its head_dim is that of CONFIG";
  const bool file_too = file.option != nullptr;
  return app
      ->add_option_function<std::string>(
          "--shape",
          [shape, file, names_file](const std::string& text) {
            if (names_file())
              *file.path = text;
            else
              *shape = report::parse_model_shape(text);
          },
          what + (file_too ? ".\nWith " + file.option->get_name() +
                                 " a YAML file: layers, query_heads, kv_heads, head_dim, batch, "
                                 "context"
                           : ""))
      ->check(known)
      ->type_name(file_too ? "NAME=N,...|FILE" : "NAME=N,...");
}

void add_synthesis(CLI::App* app, commands::SynthesisOptions* options, const ShapeFile& file) {
  app->add_flag("--netlist", options->netlist,
                "count operators and storage in the netlist of Yosys and compare them with the\n"
                "closed forms; takes half a minute");
  app->add_flag("--synthesize", options->synthesize,
                "also measure gates of units, encoders and decoders with Yosys; takes minutes");
  CLI::Option* const liberty =
      app->add_option(
             "--liberty", options->liberty,
             "map every module to this library of standard cells, and measure cells, area\n"
             "and longest paths with Yosys, ABC and OpenSTA; minutes, seconds if nothing\n"
             "has changed. osu018 and osu035 are those of Debian's packages")
          ->check(file_name())
          ->type_name("FILE");
  app->add_option("--corner", options->corner,
                  "operating_conditions of the library; default: those that it names")
      ->needs(liberty)
      ->type_name("NAME");
  CLI::Option* const period =
      app->add_option("--period", options->period,
                      "ns, that mapping aims at, and in which a token is timed (default 6)")
          ->check(CLI::PositiveNumber)
          ->type_name("NS");
  CLI::Option* const shape = add_shape(app, &options->shape, file);
  app->parse_complete_callback([=] {
    if (*period && !*liberty && !*shape)
      throw CLI::RequiresError("--period", "--liberty or --shape");
  });
  add_threads(app, &options->threads)->needs(liberty);
}

CLI::Option* add_force(CLI::App* app, bool* force) {
  return app->add_flag("--force", *force, "write over existing files");
}

CLI::Option* add_engine(CLI::App* app, EngineKind* engine, const std::string& what) {
  std::string help = what;
  for (const EnumRow<EngineKind>& row : EnumNames<EngineKind>::rows)
    help += (row.value == EngineKind::golden ? ": " : "; ") + std::string(row.name) + " (" +
            std::string(row.help) + ")";
  const CLI::Validator known(
      [](const std::string& text) -> std::string {
        try {
          engines::engine_named(text);
          return "";
        } catch (const files::InputError& error) {
          return error.what();
        }
      },
      "");
  return app
      ->add_option_function<std::string>(
          "--engine", [engine](const std::string& text) { *engine = engines::engine_named(text); },
          help + "; default " + name_of(*engine))
      ->check(known)
      ->type_name("NAME");
}

namespace {

void add_model_path(CLI::App* app, commands::ModelOptions* options) {
  app->add_option(
         "MODEL", options->model,
         "a Hugging Face directory (config.json, safetensors), a GGUF file, a llama2.c file, or a "
         "name of 'axelram list models'")
      ->required()
      ->type_name("PATH|NAME")
      ->check(file_name())
      ->option_text("(required)");
}

void add_reading(CLI::App* app, commands::ModelOptions* options) {
  app->add_option("--tokenizer", options->tokenizer,
                  "a tokenizer.json, a GGUF file, a llama2.c tokenizer or 'byte' (default: MODEL's "
                  "own, or bytes if the vocabulary is 256)")
      ->check(file_name())
      ->type_name("FILE");
  app->add_option("--weights", options->weights,
                  "stored: expanded as they are needed (default); or f16: once, rounded to it")
      ->check(CLI::IsMember({"stored", "f16"}))
      ->type_name("NAME");
  app->add_flag("--bos", options->bos, "begin with the tokenizer's BOS");
}

}  // namespace

void add_model(CLI::App* app, commands::ModelOptions* options) {
  add_model_path(app, options);
  app->add_option("TEXT", options->text,
                  "a text, or a safetensors file with tokens I32 [n] or [sequences, n]")
      ->required()
      ->type_name("FILE")
      ->check(file_name())
      ->option_text("(required)");
  add_reading(app, options);
  app->add_option("--skip", options->skip, "bytes left out at the start of the text (default 0)")
      ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()))
      ->type_name("BYTES");
  add_threads(app, &options->threads);
}

void add_model_alone(CLI::App* app, commands::ModelOptions* options) {
  add_model_path(app, options);
  add_reading(app, options);
  add_threads(app, &options->threads);
}

void add_from(CLI::App* app, std::string* from, const std::string& what) {
  app->add_option("--from", *from, what + " ('axelram prefill' writes it)")
      ->check(file_name())
      ->type_name("STATE");
}

CLI::Option* add_memory(CLI::App* app, std::string* cache) {
  return app
      ->add_option(
          "--cache", *cache,
          "memory:..., as 'axelram perplexity --help' shows it; a state needs the one that "
          "wrote it (default: the model's own, or memory)")
      ->allow_extra_args(false)
      ->type_name("SPEC");
}

CLI::Option* add_baseline(CLI::App* app, std::string* baseline, const std::string& what) {
  return app
      ->add_option("--baseline", *baseline,
                   what +
                       ": fp16 (default), or f32 for models whose keys or values FP16 cannot "
                       "represent")
      ->check(CLI::IsMember({"fp16", "f32"}))
      ->type_name("NAME");
}

CLI::Option* add_window(CLI::App* app, std::uint64_t* window) {
  return app
      ->add_option("--window", *window,
                   "tokens that the model sees at once (default 256, or the most it takes)")
      ->check(whole_number(1, 1U << 30))
      ->type_name("N");
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

CLI::Validator number_to(double high, const std::string& most) {
  return CLI::Validator(
      [=](const std::string& text) {
        double value = -1;
        if (parse(text, &value) && value >= 0 && value <= high) return std::string();
        return "'" + text + "'; give a number, 0 .. " + most;
      },
      "");
}

}  // namespace axelram::cli
