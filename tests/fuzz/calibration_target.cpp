#include <cmath>
#include <cstdint>
#include <optional>

#include "axelram/files/balance.hpp"
#include "axelram/files/exponents.hpp"
#include "axelram/files/feedback.hpp"
#include "axelram/files/position_centers.hpp"
#include "axelram/files/rotation.hpp"
#include "axelram/half.hpp"
#include "axelram/head_rotation.hpp"
#include "require.hpp"
#include "rewritten_file.hpp"

using namespace axelram;
using namespace axelram::files;

namespace {

constexpr int kHeadDim = 32;

/// What a reader of the file returns, or nothing if it throws an InputError on one line.
template <class Read>
auto what(const std::string& path, Read&& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(message.rfind(path + ": ", 0) == 0, message);
    require(message.find_first_of("\n\r") == std::string::npos, message);
    require(message.find("; ") != std::string::npos, message);
    require(message.size() < 1500 + path.size(), message);
    return std::nullopt;
  }
}

void check_exponents(const std::string& path, const HeadRows<std::int8_t>& rows) {
  bool any = false;
  for (const std::int8_t exponent : rows.values) {
    require(exponent >= kLeastExponent && exponent <= kMostExponent, "an exponent in range");
    any = any || exponent != 0;
  }
  require(exponents_digest(rows).empty() != any, "a digest of what changes something");
  // A row that is read alone is the same.
  if (rows.layers == 0 || rows.heads == 0) return;
  const Parameters parameters{.head_dim = kHeadDim};
  require(read_exponents_row(path, parameters, static_cast<int>(rows.layers - 1), 0) ==
              rows.row(rows.layers - 1, 0),
          "a row");
}

/// Made for balanced keys and queries, for others, or for neither of the digests given here.
void check_digests(const std::string& path) {
  const auto fits = [&](const BalanceInUse& balance) {
    return what(path, [&] { return check_made_for(path, balance), true; }).has_value();
  };
  const bool plain = fits({}), balanced = fits({std::string(64, 'a'), "b"});
  require(!plain || !balanced, "a file is made for one of both");
}

}  // namespace

/// Any bytes give signs, centers, channels, exponents, factors and moments that a macro takes, or
/// an InputError on one line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const RewrittenFile file;
  try {
    Safetensors::parse(std::vector<std::uint8_t>(data, data + size), "f");
  } catch (const InputError&) {  // fuzz_safetensors looks at these
    return 0;
  }
  file.write(data, size);
  Parameters parameters{.head_dim = kHeadDim};
  const std::string& path = file.path;
  if (const auto signs = what(path, [&] { return read_signs(path, parameters); }))
    for (const std::int8_t sign : signs->values) require(sign == 1 || sign == -1, "a sign");
  for (const ElementFormat format : {ElementFormat::fp16, ElementFormat::bf16}) {
    parameters.element_format = format;
    if (const auto center = what(path, [&] { return read_center(path, parameters); }))
      for (const std::uint16_t element : center->values)
        require(is_finite(element, format), "a finite center");
  }
  if (const auto high = what(path, [&] { return read_channels(path, parameters); }))
    for (const std::uint16_t channel : high->values) require(channel < kHeadDim, "a channel");
  if (const auto rows = what(path, [&] { return read_exponents(path, parameters); }))
    check_exponents(path, *rows);
  if (const auto balance = what(path, [&] { return read_balance(path); }))
    for (const float lambda : balance->lambdas)
      require(lambda >= Balance::kLeast && lambda <= Balance::kMost, "a factor");
  if (const auto moments = what(path, [&] { return read_query_moments(path, kHeadDim); })) {
    for (const float alpha : moments->alphas) require(std::isfinite(alpha) && alpha >= 0, "alpha");
    for (const float element : moments->moments) require(std::isfinite(element), "a moment");
  }
  if (const auto centers = what(path, [&] { return read_position_centers(path, kHeadDim); })) {
    require(centers->block >= 1 && centers->block <= PositionCenters::kMostBlock, "a block");
    for (const float element : centers->centers) require(std::isfinite(element), "a center");
  }
  check_digests(path);
  return 0;
}
