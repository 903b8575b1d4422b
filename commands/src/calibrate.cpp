#include "axelram/commands/calibrate.hpp"

#include "axelram/calibration/balance.hpp"
#include "axelram/calibration/later_positions.hpp"
#include "axelram/calibration/position_centers.hpp"
#include "axelram/calibration/windows.hpp"
#include "axelram/codebook.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/places.hpp"
#include "axelram/files/rotation.hpp"
#include "calibrate_balance.hpp"
#include "calibrate_tiers.hpp"
#include "calibrated_files.hpp"
#include "calibrated_heads.hpp"
#include "in_model.hpp"
#include "key_source.hpp"
#include "outputs.hpp"

namespace axelram::commands {
namespace {

void check_fits_model(const std::string& file, std::size_t layers, std::size_t heads,
                      const calibration::Keys& keys) {
  if (layers != keys.layers || heads != keys.heads)
    throw files::InputError(file + ": holds " + std::to_string(layers) + " layers of " +
                            std::to_string(heads) + " heads; the model has " +
                            std::to_string(keys.layers) + " of " + std::to_string(keys.heads));
}

/// The signs of the configuration for every layer and head.
std::vector<std::int8_t> default_signs(const std::string& folder, const files::Config& config,
                                       const calibration::Keys& keys) {
  using Source = files::Rotation::Source;
  if (config.rotation.source == Source::seed)
    return calibration::signs_of_seed(config.rotation.seed, keys);
  if (config.rotation.source == Source::identity)
    return std::vector<std::int8_t>(keys.layers * keys.heads * keys.head_dim, 1);
  const std::string file = files::inside(folder, config.rotation.signs_file);
  auto rows = files::read_signs(file, config.parameters);
  check_fits_model(file, rows.layers, rows.heads, keys);
  return std::move(rows.values);
}

std::vector<std::uint16_t> center_of(const CalibrateOptions& options, const std::string& folder,
                                     const files::Config& config, const Balancing& balancing) {
  if (!options.center.empty())
    return calibration::mean_keys(balancing.keys, config.parameters.element_format);
  if (config.rotation.center_file.empty()) return {};
  const std::string file = files::inside(folder, config.rotation.center_file);
  auto rows = files::read_center(file, config.parameters);
  check_fits_model(file, rows.layers, rows.heads, balancing.keys);
  files::check_made_for(file, balancing.in_use);
  return std::move(rows.values);
}

ConfigFile configuration(const CalibrateOptions& options) {
  if (!options.config.empty()) return read_config(options.config);
  files::Config config;
  config.parameters.index_bits = options.bits;
  config.parameters.codebook = options.codebook;
  if (!options.feedback.empty()) config.parameters.scale = ScaleKind::unbiased;
  return {"", config};
}

/// Checks that the configuration has the model's head_dim; without a configuration, sets it.
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

std::string default_name(const files::Rotation& rotation) {
  using Source = files::Rotation::Source;
  if (rotation.source == Source::seed) return "seed " + std::to_string(rotation.seed);
  return rotation.source == Source::identity ? "all +1" : rotation.signs_file;
}

void write_rows(const calibration::Keys& keys, const CalibrateResult& result,
                const OfQueries& chosen, const checkpoints::Checkpoint& checkpoint) {
  const CalibrateOptions& options = result.options;
  const Parameters& parameters = result.config.parameters;
  const files::Shape shape = {keys.layers, keys.heads, keys.head_dim};
  const files::Metadata of_text = {{"model", base_name(options.model.model)},
                                   {"text", base_name(options.model.text)},
                                   {"samples", std::to_string(options.samples)},
                                   {"window", std::to_string(result.window)}};
  files::Metadata metadata = of_text;
  metadata["seed"] = std::to_string(options.seed);
  metadata["candidates"] = std::to_string(options.candidates);
  metadata["bits"] = std::to_string(parameters.index_bits);
  files::add_balance(chosen.balance, &metadata);
  if (!options.feedback.empty()) {
    files::Metadata with_context = of_text;
    if (options.context != 0) with_context["context"] = std::to_string(options.context);
    write_feedback(options.feedback, chosen.moments, options.rank, chosen.balance, with_context,
                   options.force);
  }
  if (!options.balance.empty())
    write_balance_file(options.balance, *result.exponents, &chosen.balanced.balance,
                       checkpoints::digest_of(checkpoint.path), of_text, options.force);
  if (!options.channels.empty()) {
    files::Metadata with_rule = of_text;
    with_rule["rule"] = name_of(options.rule);
    files::write_safetensors(
        options.channels,
        {files::view("high", files::DataType::i32, {keys.layers, keys.heads, keys.head_dim / 2},
                     chosen.channels.high)},
        with_rule, options.force);
  }
  if (!options.centers.empty())
    files::write_position_centers(
        options.centers,
        calibration::position_centers(keys, result.window, checkpoint.architecture, options.block),
        of_text, options.force);
  files::write_safetensors(
      options.output, {files::view("signs", files::DataType::i8, shape, result.calibration.signs)},
      metadata, options.force);
  if (!options.center.empty())
    write_center(options.center, keys, result.center, parameters.element_format, metadata,
                 options.force);
}

void check_context(const CalibrateOptions& options, std::uint64_t window,
                   const checkpoints::Architecture& architecture) {
  const std::uint64_t most = architecture.max_positions;
  if (options.context == 0 || (options.context >= window && options.context <= most)) return;
  throw files::InputError("--context " + std::to_string(options.context) + ": windows have " +
                          std::to_string(window) + " tokens, and the model takes " +
                          std::to_string(most) + "; give a number between them");
}

/// Signs, and what else is made from keys and queries.
OfQueries choose(const calibration::Keys& keys, const calibration::Queries& queries,
                 const checkpoints::Checkpoint& checkpoint, const std::string& folder,
                 KeySource* source, CalibrateResult* result) {
  const CalibrateOptions& options = result->options;
  const Parameters& parameters = result->config.parameters;
  const checkpoints::Positions positions = checkpoint.architecture.positions;
  const Balancing balancing =
      balancing_of(options, folder, result->config, keys, queries, checkpoint.architecture);
  result->exponents = balancing.chosen;
  result->center = center_of(options, folder, result->config, balancing);
  calibration::Request request;
  request.parameters = parameters;
  request.seed = options.seed;
  request.candidates = options.candidates;
  request.per_head = options.per_head;
  request.default_signs = default_signs(folder, result->config, keys);
  request.center = result->center;
  result->calibration = calibration::choose_signs(balancing.keys, request, source->workers(),
                                                  source->progress("signs of layers"));
  result->default_signs = default_name(result->config.rotation);
  result->codebook_mse =
      distortion(solve_codebook(parameters.codebook, parameters.head_dim, parameters.index_bits),
                 parameters.codebook, parameters.head_dim);
  OfQueries chosen;
  chosen.balance = balancing.in_use.digest;
  if (queries.layers == 0) return chosen;
  chosen.moments = calibration::query_moments(
      options.context == 0
          ? balancing.queries
          : calibration::at_later_positions(balancing.queries, result->window, options.context,
                                            checkpoint.architecture),
      options.rank);
  chosen.balanced = calibration::balance_of(keys, queries, checkpoint);
  chosen.channels = calibration::choose_channels(balancing.keys, balancing.queries, positions,
                                                 options.rule, options.split);
  look_at_heads(keys, queries, balancing, chosen, positions, source->workers(), result);
  return chosen;
}

}  // namespace

CalibrateResult calibrate(const CalibrateOptions& options, const Progress& progress,
                          const Show<CalibrateResult>& show) {
  const bool signs = !options.output.empty(), tiers = !options.tiers.empty();
  if (!signs && !tiers)
    throw files::InputError("--output is required, for signs, unless --tiers is given");
  CalibrateResult result;
  result.options = options;
  const ConfigFile file = configuration(options);
  result.config = file.config;
  const std::string folder = files::folder_of(file.path);
  Outputs outputs(options.force, input_files(options.model));
  if (!file.path.empty()) outputs.protect(file);
  if (!options.fisher.empty()) outputs.protect(options.fisher);
  for (const std::string& path : {options.output, options.center, options.centers, options.feedback,
                                  options.balance, options.channels, options.tiers, options.json})
    outputs.add(path);
  if (result.config.parameters.two_parts())
    throw files::InputError(file.path + ": records of two parts; what calibrate writes does not " +
                            "depend on them: use a configuration without prod and split");
  if (!options.feedback.empty()) files::check_feedback_scale(file.path, result.config.parameters);

  const ModelAndText input = read_model_and_text(options.model, {});
  const checkpoints::Architecture& architecture = input.checkpoint.architecture;
  match_head_dim(options, architecture, &result.config.parameters);
  result.window = window_size(options.window, architecture);
  check_context(options, result.window, architecture);
  const auto windows = calibration::spread_windows(input.text, options.samples, result.window);
  TierSetup setup;
  if (tiers) setup = tier_setup(options, architecture, windows.size() * result.window);

  KeySource source(options.model.threads, input.checkpoint, windows,
                   result.config.parameters.element_format, progress);
  const bool of_queries =
      !options.feedback.empty() || !options.balance.empty() || !options.channels.empty();
  calibration::Queries queries;
  calibration::TierRows rows;
  rows.rope = options.rope;
  calibration::Keys keys;
  in_model(options.model.model, [&] {
    if (signs)
      keys = calibration::collect_keys(source.get(), of_queries ? &queries : nullptr,
                                       tiers ? &rows : nullptr);
    else
      rows = calibration::collect_tier_rows(source.get(), options.rope);
  });
  OfQueries chosen;
  if (signs) chosen = choose(keys, queries, input.checkpoint, folder, &source, &result);
  if (tiers)
    result.tiers = in_model(options.model.model, [&] {
      return calibration::calibrate_tiers(rows, setup.options,
                                          setup.weights ? &*setup.weights : nullptr,
                                          source.workers(), source.progress("constants of tiers"));
    });
  show_figures(show, result);
  if (signs) write_rows(keys, result, chosen, input.checkpoint);
  if (tiers) write_tiers(options, result.window, input.checkpoint, &*result.tiers);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

}  // namespace axelram::commands
