#include "key_source.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "arguments.hpp"
#include "axelram/caches/cache.hpp"
#include "axelram/calibration/windows.hpp"
#include "axelram/files/errors.hpp"

namespace axelram::cli {
namespace {

/// FP16 is what the keys would be stored in; BF16 may hold numbers that it cannot.
std::unique_ptr<transformer::Cache> plain_cache(const checkpoints::Architecture& a,
                                                ElementFormat format) {
  const caches::Shape shape = caches::shape_of(a);
  if (format == ElementFormat::bf16)
    return caches::make_cache({caches::Float32{}, caches::Float32{}}, shape);
  return caches::make_cache({caches::Float16{}, caches::Float16{}}, shape);
}

}  // namespace

CLI::Option* add_window(CLI::App* app, std::uint64_t* window) {
  return app
      ->add_option("--window", *window,
                   "tokens that the model sees at once (default 256, or what the model takes)")
      ->check(whole_number(1, 1U << 30))
      ->type_name("N");
}

std::size_t window_size(std::uint64_t window, const checkpoints::Architecture& architecture) {
  if (window > architecture.max_positions)
    throw files::InputError("--window: " + std::to_string(window) + "; the model takes 1.." +
                            std::to_string(architecture.max_positions) + " tokens");
  return window != 0 ? window : calibration::default_window(architecture);
}

std::string base_name(const std::string& path) {
  const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

KeySource::KeySource(const ModelArguments& arguments, const checkpoints::Checkpoint& checkpoint,
                     const std::vector<transformer::Sequence>& windows, ElementFormat format)
    : checkpoint_(checkpoint),
      windows_(windows),
      format_(format),
      cache_(plain_cache(checkpoint.architecture, format)),
      workers_(thread_count(arguments)) {}

calibration::Source KeySource::get() {
  return {checkpoint_, *cache_, workers_, windows_, format_, progress("layers of windows")};
}

calibration::Progress KeySource::progress(const std::string& what) {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [this, what](std::size_t done, std::size_t all) {
    progress_.show(what + " " + bar(done, all) + " " + std::to_string(done) + " of " +
                   std::to_string(all));
  };
}

}  // namespace axelram::cli
