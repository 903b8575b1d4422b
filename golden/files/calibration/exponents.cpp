#include "axelram/files/exponents.hpp"

#include <algorithm>
#include <vector>

#include "axelram/files/sha256.hpp"

namespace axelram::files {

std::string exponents_digest(const HeadRows<std::int8_t>& rows) {
  const auto zero = [](std::int8_t exponent) { return exponent == 0; };
  if (std::all_of(rows.values.begin(), rows.values.end(), zero)) return "";
  Sha256 sum;
  sum.add(reinterpret_cast<const std::uint8_t*>(rows.values.data()), rows.values.size());
  return sum.digest();
}

std::string exponents_digest(const std::optional<HeadRows<std::int8_t>>& rows) {
  return rows ? exponents_digest(*rows) : "";
}

void add_balance(const std::string& digest, Metadata* metadata) {
  if (!digest.empty()) (*metadata)[kBalanceKey] = digest;
}

void write_exponents(const std::string& path, const HeadRows<std::int8_t>& rows,
                     const Metadata& metadata, bool force, const Balance* factors) {
  std::vector<Tensor> tensors = {
      view("balance", DataType::i8, {rows.layers, rows.heads, rows.d}, rows.values)};
  if (factors != nullptr)
    tensors.push_back(view("lambdas", DataType::f32,
                           {factors->layers, factors->heads, factors->pairs}, factors->lambdas));
  write_safetensors(path, tensors, metadata, force);
}

void check_made_for(const std::string& path, const BalanceInUse& balance) {
  const Metadata metadata = Safetensors::map(path).metadata();
  const auto found = metadata.find(kBalanceKey);
  const std::string made_for = found == metadata.end() ? "" : found->second;
  if (made_for == balance.digest) return;
  const std::string right = "; calibrate it with these exponents, or use the ones it was made for";
  if (balance.digest.empty())
    throw InputError(path + ": made for keys and queries that are balanced (" + kBalanceKey + " " +
                     made_for.substr(0, 12) + "...), and here they are not; give balance, the " +
                     "file of exponents it was made for");
  if (made_for.empty())
    throw InputError(path + ": made for keys and queries that are not balanced (its metadata has " +
                     "no " + kBalanceKey + "), and " + balance.file + " balances them" + right);
  throw InputError(path + ": made for other exponents than those of " + balance.file + " (" +
                   kBalanceKey + " " + made_for.substr(0, 12) + "..., here " +
                   balance.digest.substr(0, 12) + "...)" + right);
}

}  // namespace axelram::files
