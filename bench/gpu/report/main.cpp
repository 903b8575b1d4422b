#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "targets.hpp"

// Joins what the stages of scripts/gpu_check wrote into one JSON file and prints a short table.
namespace {

using namespace bench;
namespace fs = std::filesystem;

constexpr char kUsage[] =
    "usage: gpu_report [--force] -o FILE LINES...\n"
    "LINES: files of JSON objects, one a line, by gpu_bench, pytorch_baseline.py and gpu_check.\n"
    "Lines that are none are left out, and counted as a failure.\n"
    "Exit codes: 0 what was measured holds, 1 something failed, 2 bad usage or no such file.\n";

int fail(const std::string& what) {
  std::cerr << "gpu_report: " << what << "\n";
  return 2;
}

/// Names of lines that cannot be parsed go to `unreadable`, so that the other measurements are
/// kept. False if there is no file.
bool read_lines(const std::string& path, Lines* lines, std::vector<std::string>* unreadable) {
  std::ifstream file(path);
  if (!file) return false;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.empty()) continue;
    auto line = parse_line(text);
    if (line)
      lines->push_back(std::move(*line));
    else
      unreadable->push_back(path + ":" + std::to_string(number));
  }
  return true;
}

Json target_line(const Target& target) {
  const auto holds = target.holds();
  return {{"name", target.name},
          {"sense", target.at_least ? "at least" : "at most"},
          {"target", rounded(target.bar)},
          {"roofline", rounded(target.roofline)},
          {"measured", rounded(target.measured)},
          {"holds", holds ? Json(*holds) : Json(nullptr)},
          {"note", target.note}};
}

/// The lines that have the member `mark`.
Json lines_with(const Lines& lines, const char* mark) {
  Json found = Json::array();
  for (const Json& line : lines)
    if (line.contains(mark)) found.push_back(line);
  return found;
}

Json document(const Lines& lines, const std::vector<Target>& judged, std::size_t unreadable) {
  Json result = Json::object();
  for (const char* once : {"machine", "device"})
    if (const Json found = lines_with(lines, once); !found.empty()) result[once] = found.front();
  result["unreadable_lines"] = unreadable;
  result["targets"] = Json::array();
  for (const Target& target : judged) result["targets"].push_back(target_line(target));
  for (const auto& [key, mark] : {std::pair("stages", "stage"),
                                  {"perplexity", "perplexity"},
                                  {"benchmarks", "bench"},
                                  {"peers", "peer"}})
    result[key] = lines_with(lines, mark);
  return result;
}

/// Whole or not at all: a file beside it takes its name.
bool write_whole(const fs::path& path, const std::string& text, std::string* why) {
  const fs::path temporary = path.string() + ".part" + std::to_string(getpid());
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  {
    std::ofstream file(temporary, std::ios::binary);
    file << text << std::flush;
    if (!file) *why = path.string() + ": cannot be written";
  }
  if (why->empty()) fs::rename(temporary, path, error);
  if (error) *why = path.string() + ": " + error.message();
  if (!why->empty()) fs::remove(temporary, error);
  return why->empty();
}

std::string shown(const std::optional<double>& value) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", *value);
  return text;
}

/// Prints stages that did not pass, and the table; whether all that was measured holds and no stage
/// failed.
bool print(const Lines& lines, const std::vector<Target>& judged) {
  bool good = true;
  for (const Json& line : lines) {
    const auto stage = text_of(line, "stage");
    if (!stage) continue;
    const std::string outcome = text_of(line, "outcome").value_or("?");
    good = good && outcome != "failed";
    if (outcome == "passed") continue;
    std::printf("%-44s %-8s %5.0f s  %s\n", stage->c_str(), outcome.c_str(),
                number_of(line, "seconds").value_or(0),
                text_of(line, "detail").value_or("").c_str());
  }
  std::printf("\n%-60s %9s %9s %9s\n", "", "measured", "target", "roofline");
  for (const Target& target : judged) {
    const auto holds = target.holds();
    good = good && holds.value_or(true);
    const std::string bar =
        target.bar ? std::string(target.at_least ? ">= " : "<= ") + shown(target.bar) : "-";
    std::printf("%-60s %9s %9s %9s  %s%s\n", target.name.c_str(),
                target.measured ? shown(target.measured).c_str() : "not yet", bar.c_str(),
                shown(target.roofline).c_str(), holds == false ? "MISSED; " : "",
                target.note.c_str());
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  std::string output;
  bool force = false;
  Lines lines;
  std::vector<std::string> unreadable;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--force") {
      force = true;
    } else if (argument == "-o" && i + 1 < argc) {
      output = argv[++i];
    } else if (argument.rfind("-", 0) == 0) {
      std::cerr << kUsage;
      return 2;
    } else if (!read_lines(argument, &lines, &unreadable)) {
      return fail(argument + ": no such file");
    }
  }
  if (output.empty()) {
    std::cerr << kUsage;
    return 2;
  }
  if (fs::exists(output) && !force) return fail(output + ": is there already; --force overwrites");
  const std::vector<Target> judged = targets(lines);
  std::string why;
  if (!write_whole(output, document(lines, judged, unreadable.size()).dump(2) + "\n", &why))
    return fail(why);
  const bool good = print(lines, judged);
  for (const std::string& line : unreadable)
    std::printf("%s: not a flat JSON object; left out\n", line.c_str());
  return good && unreadable.empty() ? 0 : 1;
}
