#include "axelram/files/segment_commands.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace axelram::files {
namespace {

using CommandKind = SegmentCommand::Kind;

constexpr std::int32_t kLargestNumber = 255;  // of a segment or a rotation

/// A column of a row: its name, and its largest value.
struct Field {
  const char* name;
  std::int32_t largest;
};

/// Fields of the columns behind the code.
std::vector<Field> fields_of(CommandKind kind, std::int32_t max_keys) {
  const Field segment{"segment", kLargestNumber};
  switch (kind) {
    case CommandKind::allocate:
      return {segment,
              {"base", max_keys},
              {"capacity", max_keys},
              {"sinks", max_keys},
              {"rotation", kLargestNumber},
              {"wrap", 1}};
    case CommandKind::evict:
      return {segment, {"n", max_keys}};
    case CommandKind::append:
    case CommandKind::attend:
    case CommandKind::free:
      break;
  }
  return {segment};
}

SegmentCommand command_of(const std::int32_t* row, std::int32_t max_keys,
                          const std::string& where) {
  const auto kinds = static_cast<std::int32_t>(CommandKind::free) + 1;
  if (row[0] < 0 || row[0] >= kinds)
    throw InputError(where + "code " + std::to_string(row[0]) +
                     "; it must be 0 allocate, 1 append, 2 attend, 3 evict or 4 free");
  const auto kind = static_cast<CommandKind>(row[0]);
  const std::vector<Field> fields = fields_of(kind, max_keys);
  std::array<std::uint32_t, kCommandColumns> values{};
  for (std::size_t column = 1; column < kCommandColumns; ++column) {
    const bool used = column <= fields.size();
    const Field field = used ? fields[column - 1] : Field{"an unused field", 0};
    if (row[column] < 0 || row[column] > field.largest)
      throw InputError(where + "column " + std::to_string(column) + ", " + field.name + ", is " +
                       std::to_string(row[column]) + "; it must " +
                       (used ? "lie in 0.." + std::to_string(field.largest) : "be 0"));
    values[column] = static_cast<std::uint32_t>(row[column]);
  }
  SegmentCommand command{kind, values[1]};
  if (kind == CommandKind::allocate)
    command.allocation = {values[2], values[3], values[4], values[5], values[6] != 0};
  if (kind == CommandKind::evict) command.n = values[2];
  return command;
}

void check_count(const std::vector<SegmentCommand>& commands, CommandKind kind, std::size_t wanted,
                 const std::string& where, const std::string& what) {
  const auto count = static_cast<std::size_t>(
      std::count_if(commands.begin(), commands.end(),
                    [kind](const SegmentCommand& command) { return command.kind == kind; }));
  if (count != wanted)
    throw InputError(where + ": " + std::to_string(count) + " " + what + std::to_string(wanted));
}

/// Rejects places that belong to two segments.
void check_overlaps(const std::vector<SegmentCommand>& commands, const Config& config,
                    const std::string& where) {
  Segments segments(static_cast<std::size_t>(config.store.segments),
                    static_cast<std::size_t>(config.store.rotations),
                    static_cast<std::size_t>(config.max_keys));
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const SegmentCommand& command = commands[i];
    if (command.kind == CommandKind::free) segments.free(command.segment);
    if (command.kind != CommandKind::allocate) continue;
    if (!segments.allocate(command.segment, command.allocation)) continue;
    if (const auto other = segments.overlapping(command.segment, command.allocation))
      throw InputError(where + ", row " + std::to_string(i) + ": segment " +
                       std::to_string(command.segment) + " overlaps segment " +
                       std::to_string(*other) + "; free that one first, or give other places");
  }
}

}  // namespace

std::vector<SegmentCommand> default_commands(const Config& config, std::size_t tokens,
                                             std::size_t queries) {
  const auto group = static_cast<std::size_t>(config.attention.parameters.group);
  std::vector<SegmentCommand> commands = {
      {CommandKind::allocate, 0, {0, static_cast<std::uint32_t>(config.max_keys)}}};
  commands.insert(commands.end(), tokens, {CommandKind::append});
  commands.insert(commands.end(), (queries + group - 1) / group, {CommandKind::attend});
  return commands;
}

std::vector<SegmentCommand> read_commands(const Safetensors& file, const Config& config,
                                          std::size_t tokens, std::size_t queries) {
  const Tensor& tensor = file.at("commands", DataType::i32, 2);
  const std::string where = file.origin() + ": tensor commands";
  if (tensor.shape[1] != kCommandColumns)
    throw InputError(where + ": shape is " + to_string(tensor.shape) + "; it must be [rows, " +
                     std::to_string(kCommandColumns) + "]");
  const auto numbers = tensor.values<std::int32_t>();
  std::vector<SegmentCommand> commands;
  for (std::size_t i = 0; i < tensor.shape[0]; ++i)
    commands.push_back(command_of(numbers.data() + i * kCommandColumns, config.max_keys,
                                  where + ", row " + std::to_string(i) + ": "));
  const auto group = static_cast<std::size_t>(config.attention.parameters.group);
  if (queries % group != 0)
    throw InputError(file.origin() + ": tensor queries: " + std::to_string(queries) +
                     " rows; with commands they must be whole groups of " + std::to_string(group));
  check_count(commands, CommandKind::append, tokens, where, "appends; the rows of keys ask for ");
  check_count(commands, CommandKind::attend, queries / group, where,
              "attends; the groups of queries ask for ");
  check_overlaps(commands, config, where);
  return commands;
}

std::vector<std::int32_t> command_rows(const std::vector<SegmentCommand>& commands) {
  std::vector<std::int32_t> rows;
  for (const SegmentCommand& command : commands) {
    std::array<std::uint32_t, kCommandColumns> row = {static_cast<std::uint32_t>(command.kind),
                                                      command.segment};
    const Allocation& a = command.allocation;
    if (command.kind == CommandKind::allocate)
      row = {row[0], row[1], a.base, a.capacity, a.sinks, a.rotation, a.wrap ? 1U : 0U};
    if (command.kind == CommandKind::evict) row[2] = command.n;
    for (const std::uint32_t value : row) rows.push_back(static_cast<std::int32_t>(value));
  }
  return rows;
}

}  // namespace axelram::files
