#include "netlist/tally.hpp"

#include <algorithm>

#include "netlist/tables.hpp"

namespace axelram::report {
namespace {

bool applies(Keys keys, const Parameters& p) {
  switch (keys) {
    case Keys::any:
      return true;
    case Keys::prod:
      return p.prod();
    case Keys::split:
      return p.split();
  }
  return false;
}

bool matches(Operand operand, const NetlistCell& cell) {
  switch (operand) {
    case Operand::any:
      return true;
    case Operand::constant:
      return cell.constant;
    case Operand::variable:
      return !cell.constant;
    case Operand::square:
      return cell.square;
  }
  return false;
}

bool matches(const OperatorRow& row, const NetlistCell& cell) {
  const std::string name = row.only.name;
  return cell.type == row.cell && matches(row.only.operand, cell) &&
         cell.width >= row.only.least_width && (name.empty() || cell.destinations.count(name) != 0);
}

bool has_word(const std::string& words, const std::string& word) {
  return (" " + words + " ").find(" " + word + " ") != std::string::npos;
}

const char* under(const OperatorRow& row) { return row.only.under; }
const char* under(const StorageRow& row) { return row.under; }

/// Rows for a module on a path, which is its instances with dots between and around them.
template <typename Row>
std::vector<const Row*> rows_of(const std::vector<Row>& rows, const std::string& module,
                                const std::string& path) {
  std::vector<const Row*> chosen;
  for (const Row& row : rows)
    if (module == row.module && (*under(row) == '\0' || path.find("." + std::string(under(row)) +
                                                                  ".") != std::string::npos))
      chosen.push_back(&row);
  return chosen;
}

/// Class of a cell that is no operator; "" if no rule names one.
std::string class_of(const std::string& module, const NetlistCell& cell) {
  if (has_word("$shift $shiftx", cell.type)) return "part_selects";
  if (cell.index && cell.type != "$mul") return "index_arithmetic";
  if (cell.constant && has_word("$add $sub", cell.type)) return "constant_additions";
  if (cell.constant && has_word("$lt $le $gt $ge", cell.type)) return "constant_comparisons";
  for (const ClassRow& row : class_rows())
    if (module == row.module && has_word(row.cells, cell.type)) return row.line;
  return "";
}

std::string description(const std::string& module, const NetlistCell& cell) {
  return cell.type + " of " + module + " (" + std::to_string(cell.left) + " and " +
         std::to_string(cell.right) + " bits to " + std::to_string(cell.width) + ", " +
         cell.source + ")";
}

class Counter {
 public:
  Counter(const Netlist& netlist, const Parameters& parameters)
      : netlist_(netlist), parameters_(parameters) {}

  Tally count() {
    for (const OperatorRow& row : operator_rows())
      if (applies(row.only.keys, parameters_)) add(row, 0);
    walk(netlist_.top, ".");
    return std::move(tally_);
  }

 private:
  void walk(const std::string& key, const std::string& path) {
    const auto found = netlist_.modules.find(key);
    if (found == netlist_.modules.end()) {
      ++tally_.unattributed["module " + key + ", which has no contents"];
      return;
    }
    const NetlistModule& module = found->second;
    std::vector<const OperatorRow*> rows = rows_of(operator_rows(), module.name, path);
    rows.erase(std::remove_if(
                   rows.begin(), rows.end(),
                   [&](const OperatorRow* row) { return !applies(row->only.keys, parameters_); }),
               rows.end());
    for (const OperatorRow* row : rows)
      if (std::string(row->cell) == "module") add(*row, 1);
    for (const NetlistCell& cell : module.cells) take(module.name, cell, rows);
    const auto storage = rows_of(storage_rows(), module.name, path);
    for (const auto& [name, memory] : module.memories)
      take(module.name, name, memory, rows, storage);
    for (const auto& [name, bits] : module.registers) {
      tally_.register_bits += bits;
      if (store(name, bits, storage, false)) tally_.named_register_bits += bits;
    }
    for (const auto& [name, bits] : module.latches) {
      tally_.latch_bits += bits;
      if (!store(name, bits, storage, true))
        tally_.unattributed["latch " + name + " of " + module.name] += bits;
    }
    for (const NetlistInstance& instance : module.instances)
      walk(instance.module, path + instance.name + ".");
  }

  void take(const std::string& module, const NetlistCell& cell,
            const std::vector<const OperatorRow*>& rows) {
    if (cell.type == "$mul") ++tally_.multipliers;
    bool attributed = false;
    for (const OperatorRow* row : rows)
      if (!cell.index && matches(*row, cell)) {
        add(*row, row->only.measure == Measure::bits ? static_cast<std::uint64_t>(cell.width) : 1);
        attributed = true;
      }
    if (attributed || !cell.arithmetic) return;
    const std::string line = class_of(module, cell);
    if (line.empty())
      ++tally_.unattributed[description(module, cell)];
    else
      ++tally_.classes[line];
  }

  void take(const std::string& module, const std::string& name, const NetlistMemory& memory,
            const std::vector<const OperatorRow*>& rows,
            const std::vector<const StorageRow*>& storage) {
    const auto number = static_cast<std::uint64_t>(memory.number);
    tally_.memories += number;
    tally_.memory_bits += memory.bits;
    for (const OperatorRow* row : rows)
      if (std::string(row->cell) == "memory" && name == row->only.name)
        add(*row, row->only.measure == Measure::reads ? static_cast<std::uint64_t>(memory.reads)
                                                      : number);
    if (!store(name, memory.bits, storage, false))
      tally_.unattributed["memory " + name + " of " + module] += number;
  }

  bool store(const std::string& name, std::uint64_t bits,
             const std::vector<const StorageRow*>& rows, bool latches) {
    bool found = false;
    for (const StorageRow* row : rows)
      if (row->latches == latches && (*row->names == '\0' || has_word(row->names, name))) {
        StoredBits& line = tally_.storage[row->line];
        line.modules.insert(row->module);
        line.bits += bits;
        found = true;
      }
    return found;
  }

  void add(const OperatorRow& row, std::uint64_t number) {
    std::vector<OperatorPart>& parts = tally_.operators[row.line];
    auto part = std::find_if(parts.begin(), parts.end(), [&](const OperatorPart& other) {
      return other.part == row.only.part;
    });
    if (part == parts.end()) part = parts.insert(parts.end(), OperatorPart{row.only.part, {}});
    part->cells[std::string(row.cell) + " of " + row.module] += number;
  }

  const Netlist& netlist_;
  const Parameters& parameters_;
  Tally tally_;
};

}  // namespace

std::uint64_t OperatorPart::number() const {
  std::uint64_t sum = 0;
  for (const auto& [what, cells_of_kind] : cells) sum += cells_of_kind;
  return sum;
}

Tally tally(const Netlist& netlist, const Parameters& parameters) {
  return Counter(netlist, parameters).count();
}

}  // namespace axelram::report
