#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "axelram/fast_codes.hpp"
#include "axelram/fast_fault.hpp"
#include "bench_report.hpp"

using namespace axelram;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kMemory = std::size_t{256} << 20;
constexpr std::size_t kCache = std::size_t{256} << 10;
constexpr std::size_t kRecordBytes = 50;  // d = 128, b = 3
constexpr double kErrorRate = 1e-2;

/// Largest ratio of our time to that of memcpy of the codewords; 0: reported only. The claims are
/// made for AVX-512 and codewords in memory.
struct Bars {
  const char* code;
  double encode, decode;
};
constexpr Bars kBars[] = {
    {"hamming84", 1.6, 1.8}, {"golay24", 8, 12}, {"hamming74", 0, 0}, {"hsiao_72_64", 0, 0}};

/// The claims are made for processors of that age; the coders do not use it.
bool has_gfni() {
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_supports("gfni") != 0;
#else
  return false;
#endif
}

std::string size_text(std::size_t bytes) {
  return bytes >= std::size_t{1} << 20 ? std::to_string(bytes >> 20) + " MiB"
                                       : std::to_string(bytes >> 10) + " KiB";
}

double kibibytes(std::size_t bytes) { return static_cast<double>(bytes) / 1024; }

Bytes random_bytes(std::size_t count) {
  std::mt19937_64 random(1);
  Bytes bytes(count);
  for (std::size_t at = 0; at + 8 <= count; at += 8) {
    const std::uint64_t word = random();
    std::memcpy(&bytes[at], &word, 8);
  }
  return bytes;
}

void flip_bits(Bytes* bytes, double p) {
  Bytes mask(bytes->size());
  fault_mask({}, mask.size() * 8, fault_threshold(p), mask.data());
  for (std::size_t i = 0; i < mask.size(); ++i) (*bytes)[i] ^= mask[i];
}

/// A string whose codewords take about `codeword_bytes` bytes, and buffers for every result.
struct Strings {
  Strings(const Code& code, std::size_t codeword_bytes)
      : bits(codeword_bytes / static_cast<std::size_t>(code.n) * 8 *
             static_cast<std::size_t>(code.k)),
        data(random_bytes(bits / 8)),
        codewords(code.codeword_bytes(bits)),
        copy(codewords.size()),
        statuses(status_bytes(code.words(bits))) {}

  std::size_t bits;
  Bytes data;
  Bytes codewords;
  Bytes copy;
  Bytes statuses;
};

bool bench_size(const Bars& bars, const Code& code, SimdLevel level, std::size_t size) {
  const BulkCode bulk(code, level);
  Strings s(code, size);
  const bool claimed = size == kMemory && level == SimdLevel::avx512 && has_gfni();
  const auto claim = [&](const std::string& what, double bar) {
    return bench::Claim{std::string(simd_level_name(level)) + " " + code.name + " " + what,
                        size_text(size), kibibytes(size), claimed ? bar : 0, bench::Ratio::cost};
  };
  const auto copy = [&] { std::memcpy(s.copy.data(), s.codewords.data(), s.codewords.size()); };
  const auto decode = [&] {
    bulk.decode(s.codewords.data(), s.bits, s.data.data(), s.statuses.data());
  };
  bulk.encode(s.data.data(), s.bits, s.codewords.data());
  bool holds = bench::compare(claim("encode", bars.encode), copy,
                              [&] { bulk.encode(s.data.data(), s.bits, s.copy.data()); });
  holds &= bench::compare(claim("decode, no errors", bars.decode), copy, decode);
  flip_bits(&s.codewords, kErrorRate);
  holds &= bench::compare(claim("decode, p = 1e-2", bars.decode), copy, decode);
  return holds;
}

/// Records coded one by one, as a memory of the macro holds them.
void bench_records(const Code& code, SimdLevel level) {
  const BulkCode bulk(code, level);
  const std::size_t bits = kRecordBytes * 8;
  const std::size_t stride = code.codeword_bytes(bits);
  const std::size_t records = kCache / stride;
  const std::size_t status_stride = status_bytes(code.words(bits));
  Bytes data = random_bytes(records * kRecordBytes);
  Bytes codewords(records * stride);
  Bytes copy(codewords.size());
  Bytes statuses(records * status_stride);
  const auto encode = [&](Bytes& to) {
    for (std::size_t i = 0; i < records; ++i)
      bulk.encode(&data[i * kRecordBytes], bits, &to[i * stride]);
  };
  const auto copy_all = [&] { std::memcpy(copy.data(), codewords.data(), codewords.size()); };
  const auto claim = [&](const char* what) {
    return bench::Claim{std::string(simd_level_name(level)) + " " + code.name + " " + what,
                        size_text(kCache), static_cast<double>(records), 0, bench::Ratio::cost};
  };
  encode(codewords);
  bench::compare(claim("encode, a record"), copy_all, [&] { encode(copy); });
  flip_bits(&codewords, kErrorRate);
  bench::compare(claim("decode, a record, 1e-2"), copy_all, [&] {
    for (std::size_t i = 0; i < records; ++i)
      bulk.decode(&codewords[i * stride], bits, &data[i * kRecordBytes],
                  &statuses[i * status_stride]);
  });
}

/// The mask of kCache bytes, against the reference's.
void bench_faults(SimdLevel level) {
  Bytes mask(kCache);
  const std::uint64_t threshold = fault_threshold(kErrorRate);
  bench::compare(
      {std::string(simd_level_name(level)) + " fault_mask (against its *_ref)", size_text(kCache),
       kibibytes(kCache), 0, bench::Ratio::cost},
      [&] { fault_mask_ref({}, kCache * 8, threshold, mask.data()); },
      [&] { fault_mask({}, kCache * 8, threshold, mask.data(), level); });
}

}  // namespace

int main() {
  bench::print_header(
      "baseline: memcpy of the codewords; ns a KiB of codewords, a record or a KiB of mask",
      bench::Ratio::cost);
  bool holds = true;
  for (const SimdLevel level : {SimdLevel::avx512, SimdLevel::avx2, SimdLevel::portable}) {
    if (level > best_simd_level()) continue;
    for (const std::size_t size : {kMemory, kCache}) {
      if (size == kMemory && level != SimdLevel::avx512) continue;  // no claims there
      for (const Bars& bars : kBars) holds &= bench_size(bars, make_code(bars.code), level, size);
    }
    for (const Bars& bars : kBars) bench_records(make_code(bars.code), level);
    bench_faults(level);
  }
  std::printf("\n%s\n", holds ? "every bar holds" : "a bar does not hold");
  return holds ? 0 : 1;
}
