#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

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
inline Look one_layer(std::size_t head_dim) {
  Look look;
  look.layers = 1;
  look.head_dim = head_dim;
  return look;
}

inline double off(const perplexity::Scores& gpu, const perplexity::Scores& cpu) {
  return std::abs(gpu.perplexity() / cpu.perplexity() - 1);
}

inline bool same(const transformer::MemoryEvents& a, const transformer::MemoryEvents& b) {
  return a.stored_bits == b.stored_bits && a.injected == b.injected && a.words == b.words &&
         a.corrected == b.corrected && a.parity_only == b.parity_only && a.detected == b.detected &&
         a.miscorrected == b.miscorrected;
}

inline void check_all(const Both& both, double most) {
  REQUIRE(both.gpu.size() == both.cpu.size());
  for (std::size_t c = 0; c < both.cpu.size(); ++c) {
    CAPTURE(c);
    CHECK(off(both.gpu[c], both.cpu[c]) < most);
    CHECK(std::abs(both.gpu[c].kl - both.cpu[c].kl) <= 3e-3 * both.cpu[c].kl);
    CHECK(both.gpu[c].top1 == doctest::Approx(both.cpu[c].top1));
    CHECK(same(both.gpu[c].events.keys, both.cpu[c].events.keys));
    CHECK(same(both.gpu[c].events.values, both.cpu[c].events.values));
  }
}

/// Relative differences of perplexities over some tens of predictions: attention rounds
/// probabilities to FP16 if it has tensor cores, which evens out over a text.
constexpr double kFast = 1e-3, kGeneral = 2e-4;

}  // namespace test
