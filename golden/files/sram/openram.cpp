#include "openram.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/files/lef.hpp"
#include "axelram/files/liberty.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/sha256.hpp"
#include "disk/input_file.hpp"
#include "documents/parser.hpp"

namespace axelram::files {
namespace {

/// A file NAME_PROCESS_VOLTAGE_TEMPERATURE.lib.
struct CornerFile {
  std::string path, name, corner;
};

std::vector<CornerFile> corner_files(const std::string& folder) {
  std::vector<CornerFile> list;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".lib") continue;
    const std::string stem = entry->path().stem().string();
    std::size_t cut = stem.size();  // in front of the last three parts
    for (int part = 0; part < 3 && cut != std::string::npos && cut != 0; ++part)
      cut = stem.rfind('_', cut - 1);
    if (cut != std::string::npos && cut != 0)
      list.push_back({entry->path().string(), stem.substr(0, cut), stem.substr(cut + 1)});
  }
  if (error)
    throw InputError(printable(folder) + ": " + error.message() +
                     "; name the output folder of OpenRAM");
  std::sort(list.begin(), list.end(),
            [](const CornerFile& a, const CornerFile& b) { return a.path < b.path; });
  return list;
}

/// The file of the chosen corner, or the only one.
CornerFile corner_file(const std::string& folder, const std::string& corner) {
  std::vector<CornerFile> list = corner_files(folder);
  if (list.empty())
    throw InputError(printable(folder) +
                     ": no file such as NAME_TT_1p8V_25C.lib; name the output folder of OpenRAM");
  std::vector<std::string> names, corners;
  for (const CornerFile& file : list) {
    if (names.empty() || names.back() != file.name) names.push_back(file.name);
    corners.push_back(printable(file.corner));
  }
  if (names.size() > 1)
    throw InputError(printable(folder) + ": SRAMs " + printable(names[0]) + " and " +
                     printable(names[1]) + "; give each its own folder");
  if (corner.empty() && list.size() > 1)
    throw InputError(printable(folder) + ": several corners; sram.corner must be " +
                     any_of(corners));
  for (const CornerFile& file : list)
    if (corner.empty() || file.corner == corner) return file;
  throw InputError(printable(folder) + ": no corner " + in_quotes(corner) +
                   "; sram.corner must be " + any_of(corners));
}

/// num_words of a configuration of OpenRAM: a spare row makes an address one bit wider than the
/// words need, so that the Liberty file states twice as many.
void add_words(const std::string& path, SramMacro* macro) {
  const std::string file = text_of_file(path, kMaxDocumentBytes);
  std::istringstream lines{std::string(without_byte_order_mark(file))};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::string text;
    for (const char c : line.substr(0, line.find('#')))
      if (c != ' ' && c != '\t' && c != '\r') text += c;
    const std::string key = "num_words=";
    if (text.rfind(key, 0) != 0) continue;
    std::uint64_t words = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + key.size(), end, words);
    if (error != std::errc() || stop != end || words == 0 || words > macro->words)
      fail_at(printable(path), number,
              "num_words is " + in_quotes(text.substr(key.size())) +
                  "; it must be a number up to the " + std::to_string(macro->words) +
                  " words of the Liberty file");
    macro->words = words;
  }
}

}  // namespace

void add_lef(const std::string& path, SramMacro* macro) {
  const std::string text = text_of_file(path, kMaxLefBytes);
  const std::string origin = printable(path);
  const std::vector<LefMacro> macros = parse_lef(text, origin);
  const auto found = std::find_if(macros.begin(), macros.end(), [&](const LefMacro& one) {
    return printable(one.name) == macro->name;
  });
  if (found == macros.end())
    fail_at(origin, macros.front().line,
            "no MACRO " + in_quotes(macro->name) + ", the cell of the Liberty file; it has " +
                in_quotes(macros.front().name));
  macro->source += ", " + provenance_of(path, text);
  const double area = found->width * found->height * 1e-6;
  if (area > 0)
    macro->area = {area, "SIZE of the LEF file"};
  else
    macro->area = {{}, "not given: SIZE of the LEF file is 0 or missing"};
}

SramMacro read_openram(const std::string& folder, const SramSettings& settings) {
  const CornerFile file = corner_file(folder, settings.corner);
  const std::string text = text_of_file(file.path, kMaxLibertyBytes);
  SramMacro macro = openram_sram(text, printable(file.path), settings);
  macro.source = provenance_of(file.path, text);
  macro.corner = printable(file.corner);
  std::error_code ignored;
  const std::string stem = folder + "/" + file.name;
  if (std::filesystem::exists(stem + ".lef", ignored)) add_lef(stem + ".lef", &macro);
  if (std::filesystem::exists(stem + ".py", ignored)) add_words(stem + ".py", &macro);
  return macro;
}

}  // namespace axelram::files
