#include <string>

#include "axelram/fault.hpp"
#include "axelram/key_store.hpp"
#include "axelram/philox.hpp"
#include "check.hpp"

using namespace axelram;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes drawn_record(std::uint32_t sequence, std::uint32_t token, std::size_t size) {
  Bytes record(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t word = philox4x32({i / 16, token, sequence, 99}, {0, 0})[i / 4 % 4];
    record[i] = static_cast<std::uint8_t>(word >> (8 * (i % 4)));
  }
  return record;
}

/// Records of memory i.
Parameters one_part(std::uint32_t i) {
  return {.head_dim = 32 << i % 2, .index_bits = static_cast<int>(2 + i / 2 % 3)};
}

/// Records of prod and of splits in turn.
Parameters two_parts(std::uint32_t i) {
  Parameters p{.head_dim = 32 << i / 2 % 2};
  if (i % 2 == 0) {
    p.kind = QuantizerKind::prod;
    p.index_bits = static_cast<int>(2 + i / 4 % 3);
  } else {
    p.scale = ScaleKind::unbiased;
    p.split_high = static_cast<int>(1 + i / 4 % 4);
    p.split_low = 1 + static_cast<int>(i / 16) % p.split_high;
  }
  return p;
}

/// FNV-1a of the records read from 60 faulty memories.
std::uint64_t digest(const std::string& code, Parameters (*parameters)(std::uint32_t)) {
  const ErasurePolicy policies[] = {ErasurePolicy::keep, ErasurePolicy::zero,
                                    ErasurePolicy::interpolate};
  std::uint64_t result = 0xCBF29CE484222325;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const Parameters p = parameters(i);
    KeyStore store(p, 5, {code, policies[i % 3], false});
    const auto size = static_cast<std::size_t>(p.record_bytes());
    for (std::uint32_t t = 0; t < 1 + i % 5; ++t) {
      store.write(drawn_record(i, t, size).data());
      Bytes mask(store.stored_bytes());
      const FaultSite site{i * std::uint64_t{0x100000001}, t, i, 2 * i, i % 2 != 0, i};
      const std::size_t bits =
          store.code()->words(8 * size) * static_cast<std::size_t>(store.code()->n);
      fault_mask_ref(site, bits, fault_threshold(0.05), mask.data());
      for (std::size_t j = 0; j < mask.size(); ++j)
        mask[j] = static_cast<std::uint8_t>(mask[j] ^ store.stored(t)[j]);
      store.set_stored(t, mask.data());
    }
    const std::uint8_t* const read = store.read();
    for (std::size_t j = 0; j < store.size() * size; ++j)
      result = (result ^ read[j]) * 0x100000001B3;
  }
  return result;
}

}  // namespace

TEST_CASE("faults, decoding and erasures are those of the independent implementation") {
  // The same numbers in tests/independent/selfcheck*.py, from a program that shares no code.
  CHECK(digest("hamming74", one_part) == 0x98f6b02320e4f397);
  CHECK(digest("hamming84", one_part) == 0xba375a7c56bc01cf);
  CHECK(digest("golay24", one_part) == 0xfd5fb4fe046dce11);
  CHECK(digest("hamming74", two_parts) == 0x30d387d14599113f);
  CHECK(digest("hamming84", two_parts) == 0x9e7abda4f039911);
  CHECK(digest("golay24", two_parts) == 0x538ebfb2ca15ac63);
}
