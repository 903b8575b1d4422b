#include "key_source.hpp"

#include <algorithm>
#include <filesystem>

#include "axelram/caches/cache.hpp"
#include "axelram/calibration/windows.hpp"
#include "axelram/files/errors.hpp"

namespace axelram::commands {
namespace {

/// FP16, or floats for BF16 elements, whose range FP16 cannot represent.
std::unique_ptr<transformer::KvCache> plain_cache(const checkpoints::Architecture& a,
                                                  ElementFormat format) {
  const caches::Shape shape = caches::shape_of(a);
  if (format == ElementFormat::bf16)
    return caches::make_cache({caches::Float32{}, caches::Float32{}}, shape);
  return caches::make_cache({caches::Float16{}, caches::Float16{}}, shape);
}

}  // namespace

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

KeySource::KeySource(std::uint64_t threads, const checkpoints::Checkpoint& checkpoint,
                     const std::vector<transformer::Sequence>& windows, ElementFormat format,
                     const Progress& progress)
    : checkpoint_(checkpoint),
      windows_(windows),
      format_(format),
      cache_(plain_cache(checkpoint.architecture, format)),
      workers_(thread_count(threads)),
      progress_(progress) {}

calibration::Source KeySource::get() {
  return {checkpoint_, *cache_, workers_, windows_, format_, progress("layers of windows")};
}

calibration::Progress KeySource::progress(const std::string& what) const {
  return [this, what](std::size_t done, std::size_t all) {
    tell(progress_, {what, done, all, ""});
  };
}

}  // namespace axelram::commands
