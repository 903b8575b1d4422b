#include "axelram/files/sha256.hpp"

#include "support.hpp"

using namespace axelram::files;

TEST_CASE("SHA-256 of the examples of FIPS 180-4, and of every length of the last block") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  std::string digests;
  for (std::size_t length = 0; length < 130; ++length) digests += sha256(std::string(length, 'x'));
  CHECK(sha256(digests) == "199af942eba7fa5d1e16d475169eb24018b14e69339c93d26a9ea6d873b4ace6");
}

TEST_CASE("SHA-256 of parts is that of the whole") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 37);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  for (const std::size_t first : {0, 1, 63, 64, 65, 128, 200})
    for (const std::size_t second : {0, 1, 55, 64, 90}) {
      CASE(first, second);
      Sha256 parts;
      parts.add(bytes, first);
      parts.add(bytes + first, second);
      parts.add(bytes + first + second, text.size() - first - second);
      CHECK(parts.digest() == sha256(text));
    }
}

TEST_CASE("a file is named by its last part and the beginning of its digest") {
  CHECK(provenance_of("a/b.lib", "abc") == "b.lib (sha256 ba7816bf8f01)");
  CHECK(provenance_of("b\n", "abc") == "b\\x0a (sha256 ba7816bf8f01)");
}
