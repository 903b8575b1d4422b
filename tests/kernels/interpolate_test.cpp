#include "axelram/interpolate.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "axelram/codewords.hpp"
#include "axelram/kernels/codes.hpp"
#include "axelram/record.hpp"
#include "check.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

using Bytes = std::vector<std::uint8_t>;
const std::vector<ErasurePolicy> kPolicies = {ErasurePolicy::keep, ErasurePolicy::zero,
                                              ErasurePolicy::interpolate};

/// Coded records of random keys in which about `errors` of 1000 words are hit hard, several in a
/// row at times, and what golden makes of them.
struct Sequence {
  Code code;
  int d, index_bits;
  TokenRows rows;
  std::size_t bytes, codeword_bytes, codeword_stride, state_bytes;
  Bytes codewords, decoded, statuses;
  DecodeCounts counts;

  Sequence(const std::string& name, int d_, int b, const TokenRows& rows_, std::size_t gap,
           unsigned errors)
      : code(make_code(name)),
        d(d_),
        index_bits(b),
        rows(rows_),
        bytes(static_cast<std::size_t>(record_bytes(d, b))),
        codeword_bytes(code.codeword_bytes(8 * bytes)),
        codeword_stride((codeword_bytes + 3) / 4 * 4 + gap),
        state_bytes(status_bytes(code.words(8 * bytes))),
        codewords(rows.count() * codeword_stride),
        decoded(rows.count() * bytes),
        statuses(rows.count() * state_bytes) {
    std::mt19937 random(static_cast<unsigned>(d + b) + errors);
    Bytes record(bytes);
    for (std::size_t i = 0; i < rows.count(); ++i) {
      for (std::uint8_t& byte : record) byte = static_cast<std::uint8_t>(random());
      if (i % 3 == 0) record[bytes - 1] = 0x7F;  // a norm beyond 65504 as read
      std::uint8_t* const coded = &codewords[i * codeword_stride];
      encode_bulk_ref(code, record.data(), 8 * bytes, coded);
      for (std::size_t byte = 0; byte < codeword_bytes; ++byte)
        if (random() % 1000 < errors) coded[byte] = static_cast<std::uint8_t>(random());
      counts +=
          decode_bulk_ref(code, coded, 8 * bytes, &decoded[i * bytes], &statuses[i * state_bytes]);
    }
  }

  Bytes repaired(ErasurePolicy policy) const {
    Bytes result(decoded.size());
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const std::size_t token = i / rows.heads % rows.tokens;
      const auto row = [&](bool exists, std::size_t j) {
        return exists ? DecodedRecord{&decoded[j * bytes], &statuses[j * state_bytes]}
                      : DecodedRecord{};
      };
      repair_record_ref(code, policy, d, index_bits, row(token > 0, i - rows.heads), row(true, i),
                        row(token + 1 < rows.tokens, i + rows.heads), &result[i * bytes]);
    }
    return result;
  }
};

void check_recovery(const Sequence& s) {
  Stream stream;
  const DeviceCode code(stream, s.code);
  const Buffer<std::uint8_t> codewords(stream, s.codewords);
  for (const ErasurePolicy policy : kPolicies) {
    CAPTURE(s.code.name);
    CAPTURE(s.d);
    CAPTURE(s.index_bits);
    CAPTURE(policy);
    const Buffer<std::uint8_t> records(s.decoded.size());
    Buffer<CodeCounts> counts(1);
    counts.fill(stream, 0);
    recover_records(stream, code, policy, s.d, s.index_bits, s.rows, codewords.data(),
                    s.codeword_stride, records.data(), s.bytes, counts.data());
    CHECK((records.download(stream) == s.repaired(policy)));
    const CodeCounts c = counts.download(stream)[0];
    CHECK((DecodeCounts{c.clean, c.corrected, c.parity_only, c.detected} == s.counts));
  }
}

}  // namespace

TEST_CASE("interpolate: records recovered by tiles equal the references") {
  for (const char* const name : {"hamming74", "hamming84", "golay24"})
    for (const unsigned errors : {0U, 5U, 60U, 500U})
      for (const int b : {2, 3, 4}) {
        check_recovery({name, 128, b, {1, 70, 1}, 0, errors});
        check_recovery({name, 32, b, {2, 33, 3}, 4, errors});
      }
  for (const std::size_t tokens : {1, 2, 31, 32, 33, 64})
    check_recovery({"hamming84", 64, 3, {1, tokens, 2}, 8, 100});
  check_recovery({"golay24", 256, 4, {1, 40, 1}, 0, 100});
}
