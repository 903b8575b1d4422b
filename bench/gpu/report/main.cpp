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

/// What was measured on a machine that is gone is not lost for a line that nobody can read: names
/// of such lines go to `unreadable`. False where there is no file.
bool read_lines(const std::string& path, Lines* lines, std::vector<std::string>* unreadable) {
  std::ifstream file(path);
  if (!file) return false;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.empty()) continue;
    auto line = JsonLine::parse(text);
    if (line)
      lines->push_back(std::move(*line));
    else
      unreadable->push_back(path + ":" + std::to_string(number));
  }
  return true;
}

JsonLine target_line(const Target& target) {
  JsonLine line;
  const auto optional = [&line](const char* key, const std::optional<double>& value) {
    value ? line.number(key, *value) : line.null(key);
  };
  line.text("name", target.name).text("sense", target.at_least ? "at least" : "at most");
  optional("target", target.bar);
  optional("roofline", target.roofline);
  optional("measured", target.measured);
  const auto holds = target.holds();
  holds ? line.flag("holds", *holds) : line.null("holds");
  return line.text("note", target.note);
}

/// "key": [the lines that have the member `mark`]
std::string list_of(const std::string& key, const Lines& lines, const char* mark) {
  std::string text = json_text(key) + ": [";
  const char* separator = "\n    ";
  for (const JsonLine& line : lines) {
    if (mark != nullptr && !line.has(mark)) continue;
    text += separator + line.str();
    separator = ",\n    ";
  }
  return text + "\n  ]";
}

std::string document(const Lines& lines, const std::vector<Target>& judged,
                     std::size_t unreadable) {
  Lines judged_lines;
  for (const Target& target : judged) judged_lines.push_back(target_line(target));
  std::string text = "{\n";
  for (const auto& [key, mark] : {std::pair("machine", "machine"), {"device", "device"}})
    for (const JsonLine& line : lines)
      if (line.has(mark)) {
        text += "  " + json_text(key) + ": " + line.str() + ",\n";
        break;
      }
  text += "  \"unreadable_lines\": " + std::to_string(unreadable) + ",\n";
  text += "  " + list_of("targets", judged_lines, nullptr) + ",\n";
  text += "  " + list_of("stages", lines, "stage") + ",\n";
  text += "  " + list_of("perplexity", lines, "perplexity") + ",\n";
  text += "  " + list_of("benchmarks", lines, "bench") + ",\n";
  text += "  " + list_of("peers", lines, "peer") + "\n}\n";
  return text;
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
  for (const JsonLine& line : lines) {
    const auto stage = line.text_of("stage");
    if (!stage) continue;
    const std::string outcome = line.text_of("outcome").value_or("?");
    good = good && outcome != "failed";
    if (outcome == "passed") continue;
    std::printf("%-44s %-8s %5.0f s  %s\n", stage->c_str(), outcome.c_str(),
                line.number_of("seconds").value_or(0), line.text_of("detail").value_or("").c_str());
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
  if (!write_whole(output, document(lines, judged, unreadable.size()), &why)) return fail(why);
  const bool good = print(lines, judged);
  for (const std::string& line : unreadable)
    std::printf("%s: no flat JSON object: left out\n", line.c_str());
  return good && unreadable.empty() ? 0 : 1;
}
