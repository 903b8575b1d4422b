#define DOCTEST_CONFIG_IMPLEMENT
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "check.hpp"
#include "needs.hpp"

namespace {

constexpr int kSkipped = 77;  // SKIP_RETURN_CODE of the tests

bool names_directory(const char* variable) {
  const char* directory = std::getenv(variable);
  return directory != nullptr && std::filesystem::is_directory(directory);
}

bool have_data() { return names_directory("AXELRAM_DATA"); }
bool have_vocabularies() { return names_directory("AXELRAM_VOCABULARIES"); }

bool on_path(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

bool have_yosys() { return on_path("yosys"); }
bool have_qflow() {
  return std::filesystem::exists("/usr/share/qflow/tech/osu018/osu018_stdcells.lib");
}
bool have_gtkwave() { return on_path("fst2vcd"); }

bool have_script() { return on_path("script"); }
bool is_root() { return ::geteuid() == 0; }
bool can_mount() {
  return std::system("unshare -rm mount -t tmpfs none /mnt >/dev/null 2>&1") == 0;
}

bool have_smollm2() { return !test::pretrained("smollm2-135m").empty(); }
bool have_gemma3() { return !test::pretrained("gemma3-270m").empty(); }
bool have_qwen05() { return !test::pretrained("qwen2.5-coder-0.5b").empty(); }
bool have_qwen15() { return !test::pretrained("qwen2.5-coder-1.5b").empty(); }

bool have_mpi() {
#ifdef AXELRAM_MPI
  return on_path("mpirun");
#else
  return false;
#endif
}

bool have_levels() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

struct Need {
  const doctest::test_suite& suite;
  bool (*met)();
  const char* advice;
};

const Need needs[] = {
    {test::needs_data, have_data, "AXELRAM_DATA names no directory"},
    {test::needs_vocabularies, have_vocabularies, "AXELRAM_VOCABULARIES names no directory"},
    {test::needs_yosys, have_yosys, "yosys is not installed"},
    {test::needs_qflow, have_qflow, "qflow-tech-osu018 is not installed"},
    {test::needs_gtkwave, have_gtkwave, "fst2vcd (GTKWave) is not installed"},
    {test::needs_mpi, have_mpi, "mpirun is not installed, or the build is without MPI"},
    {test::needs_script, have_script, "script(1) is not installed"},
    {test::needs_levels, have_levels, "the CPU has one instruction set"},
    {test::needs_root, is_root, "the user is not root"},
    {test::needs_mount, can_mount, "unshare(1) may not mount a file system"},
    {test::needs_smollm2, have_smollm2, "not in the cache; run scripts/get_model smollm2-135m"},
    {test::needs_gemma3, have_gemma3, "not in the cache; run scripts/get_model gemma3-270m"},
    {test::needs_qwen05, have_qwen05, "not in the cache; run scripts/get_model qwen2.5-coder-0.5b"},
    {test::needs_qwen15, have_qwen15, "not in the cache; run scripts/get_model qwen2.5-coder-1.5b"},
};

unsigned cases_run = 0;

struct CountCases : doctest::IReporter {
  explicit CountCases(const doctest::ContextOptions&) {}
  void test_case_start(const doctest::TestCaseData&) override { ++cases_run; }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("count_cases", 1, CountCases);

}  // namespace

/// Leaves out the cases whose need is not met. If no other case was selected, the exit code is 77.
int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  std::string missing;
  for (const Need& need : needs) {
    if (need.met()) continue;
    context.addFilter("test-suite-exclude", need.suite.data);
    missing += std::string("\n  '") + need.suite.data + "': " + need.advice;
  }
  const int result = context.run();
  if (context.shouldExit()) return result;
  if (cases_run == 0 && !missing.empty()) {
    std::cout << "skipped" << missing << "\n";
    return kSkipped;
  }
  return result;
}
