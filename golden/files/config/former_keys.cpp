#include "former_keys.hpp"

#include <algorithm>
#include <utility>

#include "axelram/files/notes.hpp"
#include "documents/values.hpp"
#include "table.hpp"

namespace axelram::files {
namespace {

/// The row that `section` had in earlier versions, or null.
const ConfigKey* moved_key(const std::string& section, const std::string& key) {
  for (const ConfigKey& row : config_table())
    if (row.former_section == section && row.name == key) return &row;
  return nullptr;
}

/// Moved keys of one section.
struct Moved {
  DocumentSection section;  ///< the new one
  std::vector<std::string> former, now;
};

void check_alone(const Document& document, const std::string& origin, const DocumentValue& value,
                 const std::string& former, const std::string& section) {
  const DocumentSection* const other = document.find(section);
  if (other == nullptr) return;
  const std::string renamed = former + "." + value.key + " is now " + section + "." + value.key;
  const DocumentValue* const twin = other->find(value.key);
  fail_at(origin, value.line,
          twin ? renamed + "; line " + std::to_string(twin->line) + " sets that already, keep one"
               : renamed + "; write it in section " + section + ", line " +
                     std::to_string(other->line));
}

/// Takes the moved keys out of a section of a document.
Moved take_moved(const Document& document, const std::string& origin, DocumentSection* section) {
  Moved moved;
  std::vector<DocumentValue> kept;
  for (DocumentValue& value : section->values) {
    const ConfigKey* const row = moved_key(section->name, value.key);
    if (row == nullptr) {
      kept.push_back(std::move(value));
      continue;
    }
    check_alone(document, origin, value, section->name, row->section);
    moved.section.name = row->section;
    moved.section.line = section->line;
    moved.former.push_back(section->name + "." + value.key);
    moved.now.push_back(row->section + "." + value.key);
    moved.section.values.push_back(std::move(value));
  }
  section->values = std::move(kept);
  return moved;
}

}  // namespace

void move_former_keys(const std::string& origin, Document* document) {
  for (std::size_t at = 0; at < document->sections.size(); ++at) {
    DocumentSection& section = document->sections[at];
    Moved moved = take_moved(*document, origin, &section);
    if (moved.now.empty()) continue;
    note(origin + ":" + std::to_string(moved.section.line) + ": " + joined(moved.former) +
         (moved.now.size() == 1 ? " is now " : " are now ") + joined(moved.now));
    if (section.values.empty())
      section = std::move(moved.section);
    else
      document->sections.insert(document->sections.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                std::move(moved.section));
  }
}

}  // namespace axelram::files
