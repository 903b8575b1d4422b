#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "generator_internal.hpp"

namespace axelram::rtl {
namespace {

using Names = std::vector<std::string>;

/// Packages and modules that a text uses, in order: `name::`, `name #(` and `name u_name (` at the
/// start of a statement.
Names used_by(const std::string& text) {
  static const std::regex use(R"(([a-zA-Z]\w*)::|\n +([a-zA-Z]\w*) (?:#\(|u_\w+ \())");
  Names names;
  for (std::sregex_iterator at(text.begin(), text.end(), use), end; at != end; ++at)
    names.push_back((*at)[1].matched ? (*at)[1].str() : (*at)[2].str());
  return names;
}

std::string stem(const std::string& path) {
  const std::size_t slash = path.rfind('/') + 1;
  return path.substr(slash, path.rfind('.') - slash);
}

/// Adds `name` to `order`, after what it uses.
void visit(const std::string& name, const std::map<std::string, const GeneratedFile*>& files,
           std::set<std::string>* seen, Names* order) {
  const auto file = files.find(name);
  if (file == files.end() || !seen->insert(name).second) return;
  for (const std::string& used : used_by(file->second->text)) visit(used, files, seen, order);
  order->push_back(file->second->path);
}

}  // namespace

Names sources_of(const std::string& top, const std::vector<GeneratedFile>& files,
                 const Names& left_out) {
  std::map<std::string, const GeneratedFile*> by_name;
  for (const GeneratedFile& file : files)
    if (const std::string name = stem(file.path);
        std::find(left_out.begin(), left_out.end(), name) == left_out.end())
      by_name[name] = &file;
  std::set<std::string> seen;
  Names order;
  visit(top, by_name, &seen, &order);
  return order;
}

std::vector<GeneratedFile> with_modules(const GeneratedFile& top) {
  std::vector<GeneratedFile> all = {top}, files;
  for (const std::vector<Module>& some : {modules(), baseline_modules()})
    for (const Module& module : some)
      all.push_back({kCommonFolder + std::string(module.file), module.text});
  const Names sources = sources_of(stem(top.path), all, {});
  for (GeneratedFile& file : all)
    if (file.path.rfind(".svh") != std::string::npos ||
        std::find(sources.begin(), sources.end(), file.path) != sources.end())
      files.push_back(std::move(file));
  files.push_back({"axelram.f", file_list_text(sources)});
  return files;
}

std::vector<GeneratedFile> common_files() {
  std::vector<GeneratedFile> files;
  for (const Module& module : modules())
    files.push_back({std::string(kCommonFolder) + module.file, module.text});
  files.push_back(
      {std::string(kCommonFolder) + "axelram_golay_rom.sv", golay_rom_text(make_code("golay24"))});
  return files;
}

}  // namespace axelram::rtl
