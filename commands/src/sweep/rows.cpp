#include "rows.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "axelram/files/config_keys.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/places.hpp"
#include "axelram/files/sha256.hpp"

namespace axelram::commands::sweeps {
namespace {

namespace fs = std::filesystem;
using files::DocumentNode;
using Changes = std::vector<files::ConfigOverride>;

/// Combinations of the grid, the first key slowest; none without a grid.
std::vector<Changes> combinations(const std::vector<Axis>& grid) {
  if (grid.empty()) return {};
  std::vector<Changes> rows = {{}};
  for (const Axis& axis : grid) {
    std::vector<Changes> longer;
    for (const Changes& row : rows)
      for (const DocumentNode& value : axis.values) {
        longer.push_back(row);
        longer.back().push_back({axis.section, axis.key, value});
      }
    rows = std::move(longer);
  }
  return rows;
}

bool is_file(const files::ConfigOverride& change) {
  static const std::vector<files::ConfigKeyRow> keys = files::config_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const files::ConfigKeyRow& key) {
    return key.section == change.section && key.key == change.key && key.type == "file";
  });
}

/// A folder as files of a configuration see it; "" is the working directory.
fs::path folder_at(const std::string& folder) {
  return files::canonical(folder.empty() ? "." : folder);
}

/// File names of a sweep start at its folder, those of a configuration at its own.
Changes from_folder(Changes changes, const std::string& sweep, const std::string& base) {
  for (files::ConfigOverride& change : changes) {
    const fs::path file = change.value.text;
    if (!is_file(change) || file.empty() || file.is_absolute()) continue;
    const fs::path path = folder_at(sweep) / file;
    change.value.text = path.lexically_relative(folder_at(base)).string();
  }
  return changes;
}

/// A message without the place of the base, "FILE:LINE: ", since each row states what it sets.
std::string without_place(const std::string& message, const std::string& origin) {
  const std::string place = files::printable(origin) + ":";
  if (message.rfind(place, 0) != 0) return message;
  const std::size_t end = message.find_first_not_of("0123456789", place.size());
  return message.compare(end, 2, ": ") == 0 ? message.substr(end + 2) : message;
}

bool replace(const std::string& from, const std::string& to, std::string* text) {
  const std::size_t at = text->find(from);
  if (at != std::string::npos) text->replace(at, from.size(), to);
  return at != std::string::npos;
}

/// A message with its file as the sweep or the base names it: where these are installed is no part
/// of a table.
std::string reason_of(const std::string& message, const Base& base, const Changes& changes,
                      const Changes& from_base) {
  std::string reason = without_place(message, base.file.path);
  const std::string folder = fs::path(base.file.path).parent_path().string();
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (is_file(changes[i]) && !changes[i].value.text.empty() &&
        replace(files::printable(files::inside(folder, from_base[i].value.text)),
                files::printable(changes[i].value.text), &reason))
      return reason;
  if (!folder.empty()) replace(files::printable(folder) + "/", "", &reason);
  return reason;
}

std::string text_of(const DocumentNode& value) {
  if (value.is_value()) return value.text;
  std::string text;
  for (const DocumentNode& element : value.children)
    text += (text.empty() ? "" : ", ") + element.text;
  return "[" + text + "]";
}

/// Value of a key in a row: as the sweep sets it, otherwise that of the configuration, if any.
std::optional<std::string> setting_of(const std::string& key, const Changes& changes,
                                      const std::optional<files::Config>& config) {
  for (const files::ConfigOverride& change : changes)
    if (change.section + "." + change.key == key) return text_of(change.value);
  if (config)
    for (const files::ConfigSetting& setting : files::config_settings(*config))
      if (setting.section + "." + setting.key == key) return setting.value;
  return std::nullopt;
}

/// Rejects configurations that the trace does not fit; asks once for each shape.
class Fit {
 public:
  explicit Fit(const SweepTrace& trace) : trace_(trace) {}

  std::string reason(const files::Config& config) {
    if (!trace_.given()) return "";
    const Parameters& p = config.parameters;
    const Shape shape = {p.head_dim, p.element_format, config.max_keys};
    const auto known = reasons_.find(shape);
    if (known != reasons_.end()) return known->second;
    std::string& reason = reasons_[shape];
    try {
      trace_.of(config);
    } catch (const files::InputError& error) {
      reason = error.what();
      const std::string path = files::printable(trace_.path());
      if (reason.rfind(path, 0) == 0) reason = "trace" + reason.substr(path.size());
    }
    return reason;
  }

 private:
  using Shape = std::tuple<int, ElementFormat, int>;
  const SweepTrace& trace_;
  std::map<Shape, std::string> reasons_;
};

Candidate candidate(const std::string& spec_folder, const std::vector<std::string>& keys,
                    const Base& base, const Changes& changes, Fit* fit) {
  Candidate row;
  row.base = base.name;
  const std::string folder = fs::path(base.file.path).parent_path().string();
  const Changes from_base = from_folder(changes, spec_folder, folder);
  try {
    row.config = files::parse_config(base.text, base.file.path, folder, from_base);
    files::reject_attention(*row.config, "a sweep");
    row.reason = fit->reason(*row.config);
    if (!row.reason.empty()) row.config.reset();
  } catch (const files::InputError& error) {
    row.reason = reason_of(error.what(), base, changes, from_base);
    row.config.reset();
  }
  for (const std::string& key : keys) row.settings.push_back(setting_of(key, changes, row.config));
  return row;
}

std::string path_of_base(const Named& base, const Spec& spec) {
  const fs::path beside = fs::path(spec.folder) / base.text;
  std::error_code error;
  if (fs::is_regular_file(beside, error)) return beside.string();
  const std::vector<std::string> names = files::shipped_configs();
  if (std::find(names.begin(), names.end(), base.text) != names.end())
    return files::shipped("configs/" + base.text + ".yaml");
  const std::string meant = files::did_you_mean(base.text, names);
  spec.fail(base.line, "base " + files::in_quotes(base.text) +
                           " is no file beside the sweep and no shipped configuration; " +
                           (meant.empty() ? "'axelram list configurations' shows those" : meant));
}

}  // namespace

SweepTrace::SweepTrace(const Spec& spec) {
  if (spec.trace.text.empty()) return;
  path_ = (fs::path(spec.folder) / spec.trace.text).string();
  std::error_code error;
  if (!fs::is_regular_file(path_, error))
    spec.fail(spec.trace.line, "trace " + files::in_quotes(spec.trace.text) +
                                   " is no file; name one, from the folder of the sweep");
  const std::string shown = files::printable(path_);
  try {
    // The header decides, before any data is read, whether the file is what it should be.
    const std::uintmax_t size = fs::file_size(path_, error);
    if (error) throw files::InputError(error.message() + "; check the path");
    if (size > 0) files::Safetensors::map(path_);
    std::vector<std::uint8_t> bytes(size);
    std::ifstream stream(path_, std::ios::binary);
    if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
      throw files::InputError("cannot be read; check its permissions");
    sha256_ = files::sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    file_ = files::Safetensors::parse(std::move(bytes), shown);
  } catch (const files::InputError& failure) {
    const std::string message = failure.what();
    const bool named = message.rfind(shown, 0) == 0;
    spec.fail(spec.trace.line, "trace " + files::in_quotes(spec.trace.text) +
                                   (named ? message.substr(shown.size()) : ": " + message));
  }
}

std::optional<files::Trace> SweepTrace::of(const files::Config& config) const {
  if (!given()) return std::nullopt;
  return files::trace_from(*file_, config);
}

std::vector<Base> read_bases(const Spec& spec) {
  std::vector<Base> bases;
  for (const Named& name : spec.bases) {
    const std::string path = path_of_base(name, spec);
    std::string text = files::read_text(path);
    files::Config config = files::parse_config(text, path, fs::path(path).parent_path().string());
    bases.push_back({name.text, {path, std::move(config)}, std::move(text)});
  }
  return bases;
}

std::vector<std::string> files_of(const Spec& spec) {
  Changes all;
  for (const Axis& axis : spec.grid)
    for (const DocumentNode& value : axis.values) all.push_back({axis.section, axis.key, value});
  for (const Changes& row : spec.list) all.insert(all.end(), row.begin(), row.end());
  std::vector<std::string> paths;
  for (const files::ConfigOverride& change : all)
    if (is_file(change) && !change.value.text.empty())
      paths.push_back((fs::path(spec.folder) / change.value.text).string());
  return paths;
}

std::vector<Candidate> candidates(const Spec& spec, const std::vector<Base>& bases,
                                  const SweepTrace& trace) {
  std::vector<Changes> rows = combinations(spec.grid);
  rows.insert(rows.end(), spec.list.begin(), spec.list.end());
  if (rows.empty()) rows.emplace_back();
  Fit fit(trace);
  const std::vector<std::string> keys = spec.keys();
  std::vector<Candidate> all;
  for (const Base& base : bases)
    for (const Changes& changes : rows)
      all.push_back(candidate(spec.folder, keys, base, changes, &fit));
  if (std::none_of(all.begin(), all.end(), [](const Candidate& row) { return row.config; }))
    spec.fail(1, "all " + std::to_string(all.size()) + " configurations are rejected; row 1, " +
                     files::printable(all.front().base) + ": " + all.front().reason);
  return all;
}

}  // namespace axelram::commands::sweeps
