#include "axelram/files/sram.hpp"

#include "axelram/files/liberty.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/places.hpp"
#include "axelram/files/sha256.hpp"
#include "disk/input_file.hpp"
#include "documents/parser.hpp"
#include "openram.hpp"

namespace axelram::files {
namespace {

constexpr const char* kShippedTable = "configs/sram/published.yaml";

PublishedTable read_table(const SramSettings& settings, const std::string& folder) {
  std::string path = settings.file.empty() ? shipped(kShippedTable) : inside(folder, settings.file);
  if (path.empty())
    throw EnvironmentError(std::string(kShippedTable) +
                           ": missing beside the program; install it, or name a sram.file");
  const std::string text = text_of_file(path, kMaxDocumentBytes);
  return {provenance_of(path, text), parse_sram_table(text, printable(path), settings.node)};
}

SramMacro read_liberty(const SramSettings& settings, const std::string& folder) {
  const std::string path = inside(folder, settings.liberty);
  const std::string text = text_of_file(path, kMaxLibertyBytes);
  SramMacro macro = liberty_sram(text, printable(path), settings);
  macro.source = provenance_of(path, text);
  if (!settings.lef.empty()) add_lef(inside(folder, settings.lef), &macro);
  return macro;
}

}  // namespace

SramSource read_sram(const SramSettings& settings, const std::string& folder) {
  switch (settings.model) {
    case SramModel::none:
      return std::monostate();
    case SramModel::table:
      return read_table(settings, folder);
    case SramModel::liberty:
      return read_liberty(settings, folder);
    case SramModel::openram:
      return read_openram(inside(folder, settings.folder), settings);
  }
  throw std::logic_error("a model of the SRAM has no reader");
}

}  // namespace axelram::files
