#include <stdexcept>

#include "axelram/files/messages.hpp"
#include "file_layout.hpp"
#include "identity.hpp"

namespace axelram::files {
namespace {

std::string ten_digits(std::int64_t tokens) {
  const std::string digits = std::to_string(tokens);
  return std::string(kTokenDigits - digits.size(), '0') + digits;
}

void check_sizes(const MemoryFile& file) {
  if (file.layers == 0 || file.heads == 0 || file.hidden.empty() ||
      file.states.size() != file.layers * file.heads)
    throw std::logic_error("a state file of other sizes than its model has");
  for (const MemoryState& state : file.states)
    if (state.tokens != file.tokens)
      throw std::logic_error("a state file whose memories had other numbers of tokens");
}

}  // namespace

void write_memory_file(const std::string& path, const MemoryFile& file, bool force) {
  const MemoryIdentity& identity = file.identity;
  const std::string where = printable(path) + ": ";
  if (const auto fault = fault_of(identity)) throw InputError(where + *fault);
  check_digest(where + "metadata model: ", identity.model);
  check_digest(where + "metadata signs: ", identity.signs);
  check_sizes(file);
  check_states(where, file, kLongestSequence);
  const SlotViews slots(layout_of(identity), {file.layers, file.heads}, file.states);
  std::vector<Tensor> tensors = slots.tensors();
  tensors.push_back(view(kHidden, DataType::f32, {file.hidden.size()}, file.hidden));
  write_safetensors(path, tensors,
                    {{"format", kMemoryFormat},
                     {"version", kMemoryVersion},
                     {"tokens", ten_digits(file.tokens)},
                     {"content", content_of(tensors)},
                     {"memory", text_of(fields_of_memory(), identity)},
                     {"numerics", text_of(fields_of_numerics(), identity)},
                     {"model", identity.model},
                     {"signs", identity.signs}},
                    force);
}

}  // namespace axelram::files
