#include "axelram/sim/build.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/places.hpp"
#include "axelram/files/unfinished.hpp"
#include "axelram/sim/tools.hpp"
#include "rtl/model/harness_text.hpp"
#include "rtl/model/model_cache.hpp"

namespace axelram::sim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVerilate =
    "verilator --cc -Mdir obj -O3 --unroll-count 1024"
    " --unroll-stmts 200000 --x-assign fast --x-initial unique --assert +define+AXELRAM_SVA"
    " -Wno-fatal -Werror-USERERROR --no-timing --timescale-override 1ns/1ns --output-split 20000 "
    "-f axelram.f";
constexpr const char* kVcd =
    " --trace --trace-structs --no-trace-params --trace-max-width 65536 --trace-max-array 256";
constexpr const char* kCompile =
    "g++ -std=c++17 -fPIC -fvisibility=hidden -fno-gnu-unique -DVM_SC=0"
    " -DVL_USER_STOP -DVL_USER_FATAL";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// FNV-1a, 128 bits in two lanes: a name for the content, not a cryptographic digest.
class Digest {
 public:
  void add(const std::string& text) {
    for (const char c : text + '\0') {
      const auto byte = static_cast<unsigned char>(c);
      a_ = (a_ ^ byte) * 0x100000001b3U;
      b_ = (b_ ^ byte) * 0x9E3779B97F4A7C15U + (b_ >> 29);
    }
  }
  std::string hex() const {
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(a_),
                  static_cast<unsigned long long>(b_));
    return text;
  }

 private:
  std::uint64_t a_ = 0xcbf29ce484222325U, b_ = 0x84222325cbf29ce4U;
};

/// Folder of Verilator's runtime, which one of the lines that it prints names.
std::string verilator_runtime() {
  const std::string printed = ask_tool(kVerilator, {.arguments = {"--getenv", "VERILATOR_ROOT"}});
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);)
    if (const fs::path include = fs::path(line) / "include"; fs::exists(include / "verilated.cpp"))
      return include.string();
  throw files::EnvironmentError("verilator's runtime is not where it says: " +
                                files::printable(printed.substr(0, printed.find('\n'))));
}

/// A path within build.ninja.
std::string ninja_path(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '$' || c == ':') text += '$';
    text += c;
  }
  return text;
}

/// The harness and Verilator's sources, several in one file as far as they are small: the headers
/// of its runtime take longer to parse than those. Returns the names of the files, without
/// extension.
std::vector<std::string> join_sources(const fs::path& folder, bool slow) {
  constexpr std::uintmax_t kSmall = 1'500'000;  // bytes; larger macros still keep every core busy
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(folder / "obj"))
    if (entry.path().extension() == ".cpp" &&
        (entry.path().stem().string().find("__Slow") != std::string::npos) == slow)
      sources.push_back(entry.path());
  std::sort(sources.begin(), sources.end());
  if (!slow) sources.insert(sources.begin(), folder / "harness.cpp");

  std::vector<std::string> names;
  std::ofstream out;
  std::uintmax_t size = kSmall;
  for (const fs::path& source : sources) {
    size += fs::file_size(source);
    if (size > kSmall) {
      names.push_back((slow ? "slow_" : "fast_") + std::to_string(names.size()));
      out = std::ofstream(folder / (names.back() + ".cpp"));
      size = fs::file_size(source);
    }
    out << "#include \"" << fs::relative(source, folder).string() << "\"\n";
  }
  return names;
}

void write_ninja(const fs::path& folder, const BuildOptions& options) {
  const std::string include = ninja_path(verilator_runtime());
  const std::string launcher = find_tool("ccache").empty() ? "" : "ccache ";
  std::ofstream out(folder / "build.ninja");
  out << "rule cc\n  command = " << launcher << kCompile << " -DVM_COVERAGE=" << options.covers
      << " -DVM_TRACE=" << (options.waves || options.vcd) << " -DVM_TRACE_FST=" << options.waves
      << (options.waves ? " -DAXELRAM_WAVES" : "") << (options.vcd ? " -DAXELRAM_VCD" : "")
      << " $opt -Iobj -I\"" << include << "\" -I\"" << include
      << "/vltstd\" -c $in -o $out\n"
         "rule link\n  command = g++ -shared -Wl,-Bsymbolic $in -o $out -lpthread"
      << (options.waves ? " -lz" : "") << "\n";
  std::string objects;
  const auto compile = [&](const std::string& source, const char* level) {
    const std::string object = fs::path(source).stem().string() + ".o";
    out << "build " << object << ": cc " << source << "\n  opt = " << level << "\n";
    objects += " " + object;
  };
  const char* const fast = options.fast_compile ? "-O0" : "-O1";
  for (const std::string& name : join_sources(folder, false)) compile(name + ".cpp", fast);
  // Code that Verilator calls slow runs once. With -O2 it compiles 1.5 times as long, and models do
  // not run faster.
  for (const std::string& name : join_sources(folder, true)) compile(name + ".cpp", "-O0");
  compile(include + "/verilated.cpp", fast);
  compile(include + "/verilated_threads.cpp", fast);
  if (options.waves) compile(include + "/verilated_fst_c.cpp", fast);
  if (options.vcd) compile(include + "/verilated_vcd_c.cpp", fast);
  if (options.covers) compile(include + "/verilated_cov.cpp", fast);
  out << "build model.so: link" << objects << "\n";
}

void report(const BuildOptions& options, const std::string& line) {
  if (options.progress) options.progress(line);
}

void build(const ModelSource& source, const fs::path& folder, const BuildOptions& options) {
  for (const Tool& tool : {kVerilator, kCompiler, kNinja}) tool_version(tool);
  rtl::write_generated(source.files, folder.string(), true);
  files::write_file((folder / "harness.cpp").string(), source.harness, true);

  std::string arguments = kVerilate;
  arguments += " --top-module " + source.top + " " + source.parameters;
  if (options.waves) arguments += " --trace-fst --trace-structs";
  if (options.vcd) arguments += kVcd;
  if (options.covers) arguments += " --coverage-user +define+AXELRAM_COVERS";
  ToolCall verilate = {.arguments = words_of(arguments), .folder = folder.string()};
  verilate.arguments.erase(verilate.arguments.begin());  // its own name
  report(options, "verilating");
  run_tool(kVerilator, verilate);
  if (!fs::exists(folder / "obj"))
    throw files::EnvironmentError("Verilator wrote no C++, and reported no error");
  write_ninja(folder, options);

  ToolCall compile = {.arguments = {"model.so"}, .folder = folder.string()};
  compile.subject = "the Verilated C++";
  compile.line = [&](const std::string& line) {
    if (!line.empty() && line[0] == '[')
      report(options, "compiling " + line.substr(1, line.find(']') - 1));
  };
  run_tool(kNinja, compile);
  require_written(kNinja, compile, "model.so");
}

/// Name of an instance in the root of a Verilated model.
std::string verilated_name(const std::string& instance) {
  std::string name;
  for (const char c : instance)
    name += c == '.' ? "__DOT__" : c == '[' ? "__BRA__" : c == ']' ? "__KET__" : std::string(1, c);
  return name;
}

/// Name of the top and the harness's definitions of it, from the manifest.
ModelSource source_of(const std::vector<rtl::GeneratedFile>& generated) {
  for (const rtl::GeneratedFile& file : generated) {
    if (file.path != "axelram.json") continue;
    const auto manifest = nlohmann::json::parse(file.text);
    const auto top = manifest.at("top").get<std::string>();
    std::string text;
    for (const auto& memory : manifest.at("memories"))
      for (const auto& [holds, name] : {std::pair{"records", "AXELRAM_MEMORY"},
                                        {"copies", "AXELRAM_COPIES"},
                                        {"copy exponents", "AXELRAM_COPY_EXPONENTS"}})
        if (memory.at("holds") == holds)
          text += std::string("#define ") + name + " " +
                  verilated_name(top + "." + memory.at("instance").get<std::string>()) +
                  "__DOT__memory_q\n";
    text += "#define AXELRAM_PORTS";
    for (const char* section : {"ports", "observation_ports"})
      for (const auto& port : manifest.at(section))
        if (const auto name = port.at("name").get<std::string>(); name != "clk_i")
          text += " AXELRAM_PORT(" + name + ")";
    return {generated, top, "--prefix Vaxelram_model", text + "\n" + harness_text()};
  }
  throw std::logic_error("generated files have no manifest");
}

}  // namespace

std::string cache_directory() {
  if (const char* cache = std::getenv("AXELRAM_CACHE"); cache != nullptr && *cache != '\0')
    return cache;
  if (std::string cache = files::user_cache(); !cache.empty()) return cache;
  throw files::EnvironmentError(
      "no directory for compiled models; set AXELRAM_CACHE to a directory of yours");
}

std::string build_library(const ModelSource& source, const BuildOptions& options) {
  Digest digest;
  digest.add(kVerilate);
  digest.add(kCompile);
  digest.add(source.harness);
  digest.add(source.top);
  digest.add(source.parameters);
  digest.add(options.waves ? "waves" : "");
  digest.add(options.covers ? "covers" : "");
  if (options.vcd) digest.add(kVcd);
  digest.add(options.fast_compile ? "fast" : "");
  for (const rtl::GeneratedFile& file : source.files)
    if (file.path.rfind("rtl/", 0) == 0) {
      digest.add(file.path);
      digest.add(file.text);
    }

  const fs::path cache = cache_directory();
  const fs::path folder = cache / digest.hex();
  const fs::path model = folder / "model.so";
  create_cache(cache);
  if (is_cached(folder, model)) return model.string();
  const Lock lock(cache / (digest.hex() + ".lock"));
  if (is_cached(folder, model)) return model.string();

  const fs::path scratch = building_folder(folder, lock);
  const files::Unfinished unfinished(scratch.string());
  build(source, scratch, options);
  // Everything but the library is removed.
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(scratch))
    if (entry.path().filename() != "model.so") fs::remove_all(entry.path(), ignored);
  put_into_cache(scratch, folder, model);
  return model.string();
}

std::string build_model(const std::vector<rtl::GeneratedFile>& generated,
                        const BuildOptions& options) {
  return build_library(source_of(generated), options);
}

}  // namespace axelram::sim
