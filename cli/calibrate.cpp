#include <iostream>
#include <limits>
#include <memory>

#include "arguments.hpp"
#include "axelram/calibration/windows.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/rotation.hpp"
#include "calibrate_output.hpp"
#include "commands.hpp"
#include "key_source.hpp"
#include "outputs.hpp"

namespace axelram::cli {
namespace {

void check_fits_model(const std::string& file, std::size_t layers, std::size_t heads,
                      const calibration::Keys& keys) {
  if (layers != keys.layers || heads != keys.heads)
    throw files::InputError(file + ": holds " + std::to_string(layers) + " layers of " +
                            std::to_string(heads) + " heads; the model has " +
                            std::to_string(keys.layers) + " of " + std::to_string(keys.heads));
}

/// What the model would be used with if nobody calibrated it: the configuration's signs, in each
/// layer and head its own.
std::vector<std::int8_t> default_signs(const CalibrateOptions& options, const files::Config& config,
                                       const calibration::Keys& keys) {
  using Source = files::Rotation::Source;
  if (config.rotation.source == Source::seed)
    return calibration::signs_of_seed(config.rotation.seed, keys);
  if (config.rotation.source == Source::identity)
    return std::vector<std::int8_t>(keys.layers * keys.heads * keys.head_dim, 1);
  const std::string file =
      files::inside(files::folder_of(options.config), config.rotation.signs_file);
  auto rows = files::read_signs(file, config.parameters);
  check_fits_model(file, rows.layers, rows.heads, keys);
  return std::move(rows.values);
}

std::vector<std::uint16_t> center_of(const CalibrateOptions& options, const files::Config& config,
                                     const calibration::Keys& keys) {
  if (!options.center.empty())
    return calibration::mean_keys(keys, config.parameters.element_format);
  if (config.rotation.center_file.empty()) return {};
  const std::string file =
      files::inside(files::folder_of(options.config), config.rotation.center_file);
  auto rows = files::read_center(file, config.parameters);
  check_fits_model(file, rows.layers, rows.heads, keys);
  return std::move(rows.values);
}

files::Config configuration(const CalibrateOptions& options) {
  if (!options.config.empty()) return files::read_config(options.config);
  files::Config config;
  config.parameters.index_bits = options.bits;
  config.parameters.codebook =
      options.codebook == "beta" ? CodebookKind::beta : CodebookKind::gaussian;
  return config;
}

/// The configuration's head_dim must be the model's; without a configuration it becomes that.
void match_head_dim(const CalibrateOptions& options, const checkpoints::Architecture& architecture,
                    Parameters* parameters) {
  calibration::check_head_dim(architecture);
  const auto head_dim = static_cast<int>(architecture.head_dim);
  if (options.config.empty()) parameters->head_dim = head_dim;
  if (parameters->head_dim != head_dim)
    throw files::InputError(options.config + ": macro.head_dim is " +
                            std::to_string(parameters->head_dim) + "; the model's heads have " +
                            std::to_string(head_dim) + " elements");
}

void write_rows(const CalibrateOptions& options, const calibration::Keys& keys,
                const CalibrateRun& run) {
  const files::Shape shape = {keys.layers, keys.heads, keys.head_dim};
  const files::Metadata metadata = {{"model", base_name(options.model.model)},
                                    {"text", base_name(options.model.text)},
                                    {"samples", std::to_string(options.samples)},
                                    {"window", std::to_string(run.window)},
                                    {"seed", std::to_string(options.seed)},
                                    {"candidates", std::to_string(options.candidates)},
                                    {"bits", std::to_string(run.config.parameters.index_bits)}};
  files::write_safetensors(
      options.output, {files::view("signs", files::DataType::i8, shape, run.calibration.signs)},
      metadata, options.force);
  if (options.center.empty()) return;
  const bool half = run.config.parameters.element_format == ElementFormat::fp16;
  files::write_safetensors(
      options.center,
      {files::view("center", half ? files::DataType::f16 : files::DataType::bf16, shape,
                   run.center)},
      metadata, options.force);
}

int calibrate(const CalibrateOptions& options) {
  CalibrateRun run;
  run.config = configuration(options);
  std::vector<std::string> inputs = input_files(options.model);
  inputs.push_back(options.config);
  Outputs outputs(options.force, inputs);
  outputs.protect(run.config, options.config);
  for (const std::string& path : {options.output, options.center, options.json}) outputs.add(path);

  const ModelAndText input = read_model_and_text(options.model, {});
  const checkpoints::Architecture& a = input.checkpoint.architecture;
  match_head_dim(options, a, &run.config.parameters);
  run.window = window_size(options.window, a);
  const auto windows = calibration::spread_windows(input.text, options.samples, run.window);

  const ElementFormat format = run.config.parameters.element_format;
  KeySource source(options.model, input.checkpoint, windows, format);
  const calibration::Keys keys = calibration::collect_keys(source.get());
  run.center = center_of(options, run.config, keys);
  calibration::Request request;
  request.parameters = run.config.parameters;
  request.seed = options.seed;
  request.candidates = options.candidates;
  request.per_head = options.per_head;
  request.default_signs = default_signs(options, run.config, keys);
  request.center = run.center;
  run.calibration = calibration::choose_signs(keys, request, source.workers(),
                                              source.progress("signs of layers"));
  source.finish();

  write_rows(options, keys, run);
  if (!options.json.empty())
    files::write_file(options.json, calibrate_json(options, run), options.force);
  std::cout << calibrate_text(options, run);
  return 0;
}

void declare(CLI::App* command, CalibrateOptions* o) {
  const std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  add_model_arguments(command, &o->model);
  command->add_option("-o,--output", o->output, "chosen signs, a safetensors file")
      ->required()
      ->check(file_name())
      ->type_name("FILE")
      ->option_text("FILE (required)");
  command
      ->add_option("--center", o->center,
                   "also write the mean key of each head, and choose signs for keys less it")
      ->check(file_name())
      ->type_name("FILE");
  CLI::Option* config =
      command
          ->add_option("--config", o->config,
                       "the macro: bits, codebook, element format, signs to compare with")
          ->check(file_name())
          ->type_name("FILE");
  command->add_option("--bits", o->bits, "of an index: 2, 3 (default) or 4")
      ->check(CLI::IsMember({2, 3, 4}))
      ->type_name("B")
      ->excludes(config);
  command->add_option("--codebook", o->codebook, "gaussian (default) or beta")
      ->check(CLI::IsMember({"gaussian", "beta"}))
      ->type_name("NAME")
      ->excludes(config);
  command->add_option("--candidates", o->candidates, "sign vectors tried (default 200)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  command->add_option("--samples", o->samples, "windows of the text (default 8)")
      ->check(whole_number(1, most))
      ->type_name("N");
  add_window(command, &o->window);
  add_seed(command, &o->seed, "seed of the first candidate; the next has the next seed");
  command->add_flag("--per-head", o->per_head, "choose for each head, not for each layer");
  add_json(command, &o->json, "all figures");
  add_force(command, &o->force);
}

}  // namespace

void add_calibrate(CLI::App* app, Action* action) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command = app->add_subcommand(
      "calibrate", "choose the signs of the rotation, and key centers, for a model");
  command->footer(
      "Algorithm 1 of the paper (section V). Samples are whole windows at equal distances: of the\n"
      "n that the text holds, number floor(i n / samples). Use the files in a configuration:\n"
      "  rotation: {signs: signs.safetensors, center: center.safetensors, layer: 2, head: 0}\n\n"
      "Example:\n"
      "  axelram calibrate models/byte-llama-d128 README.md -o signs.safetensors \\\n"
      "      --center center.safetensors --json calibrate.json");
  declare(command, options.get());
  command->callback([=] { *action = [=] { return calibrate(*options); }; });
}

}  // namespace axelram::cli
