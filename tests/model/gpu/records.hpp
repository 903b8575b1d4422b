#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "axelram/files/exponents.hpp"
#include "axelram/files/safetensors.hpp"
#include "check.hpp"
#include "memory_events.hpp"
#include "support.hpp"

/// Caches of records on the CPU and on the device.
namespace test {

/// A file in a temporary place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending) {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("axelram-gpu-" + std::to_string(getpid()) + "-" + std::to_string(number++) + ending);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// A file of the channels of a split, which differ from head to head, and its section.
class SplitChannels {
 public:
  SplitChannels(std::size_t layers, std::size_t heads, std::size_t d) : file_(".safetensors") {
    std::vector<std::int32_t> high;
    for (std::size_t head = 0; head < layers * heads; ++head)
      for (std::size_t c = 0; c < d / 2; ++c)
        high.push_back(static_cast<std::int32_t>(2 * c + (head + c * (head / 2 + 1) % 3) % 2));
    files::write_safetensors(
        file_.path(), {files::view("high", files::DataType::i32, {layers, heads, d / 2}, high)}, {},
        true);
  }
  /// bits: "[4, 2]".
  std::string section(const std::string& bits) const {
    return "split: {bits: " + bits +
           ", channels: " + std::filesystem::path(file_.path()).filename().string() + "}\n";
  }

 private:
  TemporaryFile file_;
};

/// A file of exponents, which differ from head to head, and its section.
class Exponents {
 public:
  Exponents(std::size_t layers, std::size_t heads, std::size_t d)
      : rows_{layers, heads, d, {}}, file_(".safetensors") {
    for (std::size_t i = 0; i < layers * heads * d; ++i)
      rows_.values.push_back(static_cast<std::int8_t>(static_cast<int>((5 * i + i / d) % 7) - 3));
    files::write_exponents(file_.path(), rows_, {}, true);
  }
  std::string section() const {
    return "rotation: {balance: " + std::filesystem::path(file_.path()).filename().string() + "}\n";
  }
  std::string path() const { return file_.path(); }
  std::string digest() const { return files::exponents_digest(rows_); }

 private:
  files::HeadRows<std::int8_t> rows_;
  TemporaryFile file_;
};

/// A cache of a configuration text.
class Macro {
 public:
  explicit Macro(const std::string& text) : file_(".yaml") { std::ofstream(file_.path()) << text; }
  std::string cache(const std::string& more = "") const {
    return "axelram:config=" + file_.path() + more;
  }
  std::string path() const { return file_.path(); }

 private:
  TemporaryFile file_;
};

/// One layer: its keys and values come from the embeddings by one product, so that CPU and device
/// quantize all but the same numbers. (A later layer's may fall on the other side of a boundary.)
inline Look one_layer(std::size_t head_dim) { return {.layers = 1, .head_dim = head_dim}; }

inline double off(const perplexity::Scores& gpu, const perplexity::Scores& cpu) {
  return std::abs(gpu.perplexity() / cpu.perplexity() - 1);
}

inline void check_all(const Both& both, double most) {
  REQUIRE(both.gpu.size() == both.cpu.size());
  for (std::size_t c = 0; c < both.cpu.size(); ++c) {
    CASE(c);
    CHECK(off(both.gpu[c], both.cpu[c]) < most);
    CHECK(std::abs(both.gpu[c].kl - both.cpu[c].kl) <= 3e-3 * both.cpu[c].kl);
    CHECK(both.gpu[c].top1 == doctest::Approx(both.cpu[c].top1));
    CHECK(both.gpu[c].agreement == doctest::Approx(both.cpu[c].agreement));
    CHECK_SAME(both.gpu[c].events.keys, both.cpu[c].events.keys);
    CHECK_SAME(both.gpu[c].events.values, both.cpu[c].events.values);
  }
}

/// Relative differences of perplexities over some tens of predictions: attention rounds
/// probabilities to FP16 if it has tensor cores, which evens out over a text.
constexpr double kFast = 1e-3, kGeneral = 2e-4;

}  // namespace test
