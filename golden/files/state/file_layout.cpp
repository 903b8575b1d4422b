#include "file_layout.hpp"

#include <cmath>
#include <stdexcept>

#include "axelram/files/sha256.hpp"
#include "axelram/memory_state.hpp"
#include "identity.hpp"

namespace axelram::files {
namespace {

void check_hidden(const std::string& where, const MemoryFile& file) {
  for (std::size_t i = 0; i < file.hidden.size(); ++i) {
    const float x = file.hidden[i];
    const std::string place = where + "tensor hidden: element " + std::to_string(i);
    if (!std::isfinite(x)) throw InputError(place + ": NaN or infinity; it must be finite");
    if (file.tokens == 0 && (x != 0 || std::signbit(x)))
      throw InputError(place + " is not 0; it must be 0 before the first token");
  }
}

}  // namespace

const std::vector<std::string>& names_of_metadata() {
  static const std::vector<std::string> all = {"format", "version",  "tokens", "content",
                                               "memory", "numerics", "model",  "signs"};
  return all;
}

SlotLayout layout_of(const MemoryIdentity& identity) {
  return {identity.memory, static_cast<std::size_t>(identity.parameters.head_dim),
          stored_bytes_of(identity)};
}

std::string content_of(const std::vector<Tensor>& tensors) {
  Sha256 sum;
  for (const Tensor& tensor : tensors) sum.add(tensor.data, tensor.bytes);
  return sum.digest();
}

void check_states(const std::string& where, const MemoryFile& file, std::int64_t longest) {
  const MemoryRecords records = records_of(file.identity, longest);
  for (std::size_t i = 0; i < file.states.size(); ++i) try {
      check_memory_state(records, file.states[i]);
    } catch (const std::invalid_argument& error) {
      throw InputError(where + "layer " + std::to_string(i / file.heads) + ", head " +
                       std::to_string(i % file.heads) + ": " + error.what());
    }
  check_hidden(where, file);
}

std::string signs_digest(const std::vector<std::int8_t>& signs,
                         const std::vector<std::uint16_t>& centers,
                         const std::vector<std::int8_t>& balance) {
  return content_of({view("signs", DataType::i8, {signs.size()}, signs),
                     view("center", DataType::f16, {centers.size()}, centers),
                     view("balance", DataType::i8, {balance.size()}, balance)});
}

}  // namespace axelram::files
