#include "targets.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bench {
namespace {

// The shape that ratios are stated for: FP16 keys of 1 GiB.
constexpr double kBatch = 16, kContext = 32768;
constexpr const char* kShapeKeys[] = {"batch", "heads", "group", "context", "d"};

constexpr double kElements = 128, kGroup = 4;
constexpr double kFp16Row = 2 * kElements, kRecord = 50;  // bytes, d = 128, b = 3

bool same_shape(const Json& a, const Json& b) {
  return std::all_of(std::begin(kShapeKeys), std::end(kShapeKeys),
                     [&](const char* key) { return number_of(a, key) == number_of(b, key); });
}

bool at_main_shape(const Json& line) {
  return number_of(line, "batch") == kBatch && number_of(line, "context") == kContext;
}

template <class Holds>
const Json* find(const Lines& lines, const Holds& holds) {
  const auto found = std::find_if(lines.begin(), lines.end(), holds);
  return found == lines.end() ? nullptr : &*found;
}

/// The line of a benchmark that was timed.
const Json* timed(const Lines& lines, const std::string& name, std::optional<double> bits) {
  return find(lines, [&](const Json& line) {
    return text_of(line, "bench") == name && line.contains("us") && at_main_shape(line) &&
           (!bits || number_of(line, "index_bits") == bits);
  });
}

/// The fastest of the peers at our line's shape.
const Json* fastest_peer(const Lines& lines, const std::string& peer, const Json& ours) {
  const Json* best = nullptr;
  for (const Json& line : lines)
    if (text_of(line, "peer") == peer && number_of(line, "us") && same_shape(line, ours) &&
        (best == nullptr || *number_of(line, "us") < *number_of(*best, "us")))
      best = &line;
  return best;
}

/// How many times faster than the peer.
void judge_speedup(Target* target, const Lines& lines, const Json* ours, const std::string& peer) {
  if (ours == nullptr) {
    target->note = "our side was not timed";
    return;
  }
  const Json* const theirs = fastest_peer(lines, peer, *ours);
  if (theirs == nullptr) {
    target->note = "no PyTorch at this shape";
    return;
  }
  target->measured = *number_of(*theirs, "us") / *number_of(*ours, "us");
  target->note = "against " + text_of(*theirs, "implementation").value_or("the peer");
}

Target scores(const Lines& lines) {
  Target target{"K scores, 3-bit keys, against the FP16 product", true, 3.5, {}, {}, ""};
  // FP16 scores leave the product, FP32 scores ours.
  target.roofline = (kFp16Row + 2 * kGroup) / (kRecord + 4 * kGroup);
  judge_speedup(&target, lines, timed(lines, "scores", 3), "scores");
  return target;
}

Target write(const Lines& lines) {
  Target target{"write path, of the larger of memory's and issue's limit", true, 0.8, 1.0, {}, ""};
  const Json* const ours = timed(lines, "write", 3);
  if (ours == nullptr)
    target.note = "not timed";
  else if (!(target.measured = number_of(*ours, "fraction_of_limit")))
    target.note = "instructions per key not known";
  else
    target.note = *number_of(*ours, "issue_limit_us") > *number_of(*ours, "memory_limit_us")
                      ? "limited by issue"
                      : "limited by memory";
  return target;
}

/// Against what reads as many bytes without balance.
Target balanced(const Lines& lines, const char* name, const std::string& bench,
                const std::string& without, std::optional<double> bits) {
  Target target{name, false, 1.05, 1.0, {}, "not timed"};
  const Json* const ours = timed(lines, bench, bits);
  const Json* const plain = timed(lines, without, bits);
  if (ours == nullptr || plain == nullptr) return target;
  target.measured = *number_of(*ours, "us") / *number_of(*plain, "us");
  target.note = "against " + without;
  return target;
}

Target hadamard(const Lines& lines) {
  Target target{"Hadamard transform, F16 in and out, of a copy", true, 0.9, 1.0, {}, ""};
  const Json* const ours = find(lines, [](const Json& line) {
    return text_of(line, "bench") == "hadamard" && number_of(line, "d") == kElements &&
           line.contains("GB_per_s");
  });
  double copy = 0;
  for (const Json& line : lines)
    for (const char* name : {"memcpy", "copy_kernel"})
      if (text_of(line, "bench") == name)
        copy = std::max(copy, number_of(line, "GB_per_s").value_or(0));
  if (ours == nullptr || copy == 0) {
    target.note = "not timed";
    return target;
  }
  target.measured = *number_of(*ours, "GB_per_s") / copy;
  target.note = "the faster of memcpy and a copying kernel; d = 128";
  return target;
}

Target attention(const Lines& lines, const std::string& name, const std::string& bench, double bar,
                 double row_bytes) {
  Target target{name, true, bar, 2 * kFp16Row / row_bytes, {}, ""};
  judge_speedup(&target, lines, timed(lines, bench, {}), "attention");
  return target;
}

std::string shape_text(const Json& line) {
  const auto number = [&](const char* key) {
    return std::to_string(static_cast<long long>(number_of(line, key).value_or(0)));
  };
  return "batch " + number("batch") + ", context " + number("context");
}

/// The worst of the grid.
Target grid(const Lines& lines) {
  Target target{"attention, 3-bit keys and FP16 values: the worst of the grid",
                true,
                0.95,
                {},
                {},
                "no PyTorch"};
  std::size_t shapes = 0;
  for (const Json& line : lines) {
    if (text_of(line, "bench") != "attention_k3_v16" || !line.contains("us")) continue;
    const Json* const theirs = fastest_peer(lines, "attention", line);
    if (theirs == nullptr) continue;
    ++shapes;
    const double ratio = *number_of(*theirs, "us") / *number_of(line, "us");
    if (target.measured && *target.measured <= ratio) continue;
    target.measured = ratio;
    target.note = shape_text(line) + ", " + text_of(*theirs, "implementation").value_or("");
  }
  if (shapes > 0) target.note += "; " + std::to_string(shapes) + " shapes";
  return target;
}

/// Against this project's own kernel over FP16 pages: all that is left without PyTorch.
Target own(const Lines& lines, const std::string& name, const std::string& bench,
           double row_bytes) {
  Target target{name, true, {}, 2 * kFp16Row / row_bytes, {}, "this project's FP16 attention"};
  const Json* const ours = timed(lines, bench, {});
  const Json* const fp16 = timed(lines, "attention_fp16", {});
  if (ours != nullptr && fp16 != nullptr)
    target.measured = *number_of(*fp16, "us") / *number_of(*ours, "us");
  return target;
}

/// Each by the bytes of the cache that it reads.
Target codes(const Lines& lines) {
  Target target{
      "attention over protected records, per byte read", false, 1.3, 1.0, {}, "not timed"};
  const Json* const plain = timed(lines, "attention_k3_v3", {});
  const auto us_per_byte = [](const Json& line) {
    return number_of(line, "us").value_or(0) / number_of(line, "cache_bytes").value_or(1);
  };
  if (plain == nullptr) return target;
  for (const Json& line : lines) {
    if (text_of(line, "bench") != "attention_protected" || !line.contains("us")) continue;
    const double ratio = us_per_byte(line) / us_per_byte(*plain);
    if (target.measured && *target.measured >= ratio) continue;
    target.measured = ratio;
    target.note = "the slowest: " + text_of(line, "code").value_or("");
  }
  return target;
}

/// Compares the FP16 cache, or those with records. Quantizing is not continuous: a key that differs
/// in its last bit may be another record, and the CPU alone is no closer to itself than `bar`.
Target perplexity(const Lines& lines, const char* name, bool records, double bar) {
  Target target{name, false, bar, {}, {}, "not run"};
  for (const Json& line : lines) {
    const auto cpu = number_of(line, "cpu"), cuda = number_of(line, "cuda");
    const std::string cache = text_of(line, "perplexity").value_or("");
    if (cache.empty() || !cpu || !cuda || (cache != "fp16") != records) continue;
    const double difference = std::fabs(*cuda - *cpu) / *cpu;
    if (target.measured && *target.measured >= difference) continue;
    target.measured = difference;
    target.note = cache;
  }
  return target;
}

}  // namespace

std::optional<bool> Target::holds() const {
  if (!bar || !measured) return std::nullopt;
  return at_least ? *measured >= *bar : *measured <= *bar;
}

std::vector<Target> targets(const Lines& lines) {
  const double mixed = kRecord + kFp16Row, both = 2 * kRecord;
  return {scores(lines),
          write(lines),
          balanced(lines, "write path, balanced keys, of the time without", "write_balanced",
                   "write", 3),
          balanced(lines, "attention, balanced queries, of the time without",
                   "attention_balanced_k3_v3", "attention_with_queries_k3_v3", {}),
          hadamard(lines),
          attention(lines, "attention, 3-bit keys and FP16 values", "attention_k3_v16", 1.3, mixed),
          grid(lines),
          attention(lines, "attention, 3-bit keys and values", "attention_k3_v3", 3, both),
          own(lines, "3-bit keys and FP16 values, against our FP16", "attention_k3_v16", mixed),
          own(lines, "3-bit keys and values, against our FP16", "attention_k3_v3", both),
          codes(lines),
          perplexity(lines, "perplexity, FP16 cache: CUDA from CPU, relative", false, 1e-4),
          perplexity(lines, "perplexity, records: CUDA from CPU, relative", true, 1e-3)};
}

}  // namespace bench
