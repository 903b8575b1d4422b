#include "axelram/commands/capture.hpp"

#include <algorithm>

#include "axelram/calibration/windows.hpp"
#include "axelram/files/atomic_file.hpp"
#include "in_model.hpp"
#include "json.hpp"
#include "key_source.hpp"
#include "outputs.hpp"

namespace axelram::commands {
namespace {

files::Metadata metadata(const CaptureOptions& options, std::size_t tokens, std::size_t window) {
  return {
      {"model", base_name(options.model.model)},    {"text", base_name(options.model.text)},
      {"skip", std::to_string(options.model.skip)}, {"tokens", std::to_string(tokens)},
      {"window", std::to_string(window)},           {"layer", std::to_string(options.layer)},
      {"head", std::to_string(options.head)},       {"element_format", name_of(options.format)}};
}

}  // namespace

CaptureResult capture(const CaptureOptions& options, const Progress& progress,
                      const Show<CaptureResult>& show) {
  Outputs outputs(options.force, input_files(options.model));
  for (const std::string& path : {options.output, options.json}) outputs.add(path);
  const ModelAndText input =
      read_model_and_text(options.model, {}, [&](const checkpoints::Architecture& a) {
        return options.tokens != 0 ? options.tokens : window_size(options.window, a);
      });
  const checkpoints::Architecture& architecture = input.checkpoint.architecture;
  calibration::check_head_dim(architecture);
  const std::size_t window = window_size(options.window, architecture);
  const std::size_t tokens =
      options.tokens != 0 ? options.tokens : std::min(window, input.text.ids.size());

  const auto windows = calibration::consecutive_windows(input.text, tokens, window);
  if (options.memory &&
      (windows.size() != 1 || options.before_rotary || options.format != ElementFormat::fp16))
    throw files::InputError(
        "--memory: a memory takes one window of turned keys in FP16; leave --before-rotary and "
        "--format out, and give a --window of all tokens");
  KeySource source(options.model.threads, input.checkpoint, windows, options.format, progress);
  calibration::CaptureRequest request;
  request.layer = options.layer;
  request.head = options.head;
  if (options.queries != 0) request.queries = options.queries;
  request.before_rotary = options.before_rotary;
  request.by_token = options.by_token || options.before_rotary || options.memory;
  request.gates = options.memory;
  files::Trace trace =
      in_model(options.model.model, [&] { return calibration::capture(source.get(), request); });
  trace.metadata = metadata(options, tokens, window);

  CaptureResult result{options.model.model,
                       options.model.text,
                       options.output,
                       options.layer,
                       options.head,
                       options.format,
                       architecture,
                       windows.size(),
                       window,
                       tokens,
                       trace.key_count(),
                       trace.query_count(),
                       request.before_rotary,
                       request.by_token};
  show_figures(show, result);
  files::write_trace(options.output, trace, options.force);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const CaptureResult& r) {
  return text_of({{"model", r.model},
                  {"text", r.text},
                  {"trace", r.trace},
                  {"layer", r.layer},
                  {"head", r.head},
                  {"element_format", name_of(r.format)},
                  {"windows", r.windows},
                  {"window", r.window},
                  {"tokens", r.tokens},
                  {"keys", r.keys},
                  {"queries", r.queries},
                  {"query_heads", r.architecture.group()},
                  {"before_rotary", r.before_rotary},
                  {"by_token", r.by_token}});
}

}  // namespace axelram::commands
