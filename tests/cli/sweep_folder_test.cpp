#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "needs.hpp"
#include "sweep_support.hpp"

namespace {

namespace fs = std::filesystem;
using test::contains;
using test::kSweep;
using test::kSweepRun;
using test::ProcessResult;

/// Every file of a folder with its content.
std::vector<std::pair<std::string, std::string>> bytes_of(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.emplace_back(fs::relative(entry.path(), folder).string(),
                         test::content(entry.path().string()));
  std::sort(files.begin(), files.end());
  return files;
}

std::size_t points_in(const std::string& folder) {
  std::size_t count = 0;
  if (fs::exists(folder))
    for (const auto& entry : fs::directory_iterator(folder))
      count += entry.path().extension() == ".json" ? 1U : 0U;
  return count;
}

TEST_CASE("sweep: the same bytes with any number of threads, and again") {
  const test::TempDir axelram;
  test::put(axelram.at("s.yaml"), kSweep);
  REQUIRE(axelram(kSweepRun + " --threads 1").code == 0);
  const auto bytes = bytes_of(axelram.at("out"));
  CHECK(bytes.size() == 4 + 3);
  const ProcessResult again = axelram(kSweepRun);
  CHECK(again.code == 0);
  CHECK(contains(again.out, "0 points evaluated, 4 found"));
  CHECK_SAME(bytes_of(axelram.at("out")), bytes);
  REQUIRE(axelram("sweep s.yaml -o other --plots json --threads 3").code == 0);
  CHECK_SAME(bytes_of(axelram.at("other")), bytes);
}

TEST_CASE("sweep: the same bytes with several ranks" * test::needs_mpi) {
  const test::TempDir axelram;
  test::put(axelram.at("s.yaml"), kSweep);
  REQUIRE(axelram(kSweepRun).code == 0);
  const std::string mpi =
      "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -n ";
  for (const std::string ranks : {"1", "2", "3"}) {
    const ProcessResult done =
        axelram("sweep s.yaml --plots json --threads 1 -o ranks" + ranks, mpi + ranks);
    CASE(ranks, done.err);
    CHECK(done.code == 0);
    CHECK_SAME(bytes_of(axelram.at("ranks" + ranks)), bytes_of(axelram.at("out")));
    CHECK(done.out.find("sweep s.yaml") == done.out.rfind("sweep s.yaml"));
  }
  test::put(axelram.at("bad.yaml"), "base: small.yaml\ngrid: {macro.index_bit: [2]}\n");
  const ProcessResult bad = axelram("sweep bad.yaml -o bad", mpi + "2");
  CHECK(bad.code == 2);
  CHECK(bad.err.find("axelram: bad.yaml:2") == bad.err.rfind("axelram: bad.yaml:2"));
}

TEST_CASE("sweep: each point is the share of one rank, whatever the ranks find" * test::needs_mpi) {
  const test::TempDir axelram;
  const std::string rest = "\nreports: [memory]\ngrid: {macro.max_keys: [1";
  test::put(axelram.at("s.yaml"), "base: small.yaml" + rest + ", 2, 3, 4, 5, 6]}\n");
  fs::create_directories(axelram.at("a"));
  fs::create_directories(axelram.at("b"));
  test::put(axelram.at("a/s.yaml"), "base: ../small.yaml" + rest + "]}\n");
  REQUIRE(axelram("sweep a/s.yaml -o a/out").code == 0);  // what rank 0 finds
  test::put(axelram.at("two.sh"),
            "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -n 1 -wdir a "
            "\"$@\" : -n 1 -wdir b \"$@\"\n");
  for (const bool made : {false, true}) {
    if (made) fs::create_directories(axelram.at("b/out/points"));
    const ProcessResult done = axelram("sweep ../s.yaml -o out --threads 1", "sh ./two.sh");
    CASE(made, done.err);
    CHECK(done.code == 3);
    CHECK(contains(done.err,
                   "name a folder on a file system that all processes share, and give all "
                   "the same program and Yosys"));
  }
  fs::copy(axelram.at("b/out/points"), axelram.at("a/out/points"),
           fs::copy_options::skip_existing | fs::copy_options::recursive);
  CHECK(points_in(axelram.at("a/out/points")) == 6);
}

TEST_CASE("sweep: SIGKILL loses no finished point and leaves none half-written") {
  const test::TempDir axelram;
  constexpr std::size_t kPoints = 600;  // that take no time but for their files
  std::string values;
  for (std::size_t keys = 1; keys <= kPoints; ++keys)
    values += (keys == 1 ? "" : ", ") + std::to_string(keys);
  test::put(axelram.at("s.yaml"),
            "base: paper-d128-b3\nreports: [memory]\ngrid: {macro.max_keys: [" + values + "]}\n");
  // Ends when some points are there.
  const std::string until =
      "for i in $(seq 1000); do test $(ls out/points 2>/dev/null | wc -l) -ge 20 && "
      "break; sleep 0.01; done";
  test::put(axelram.at("kill.sh"),
            "\"$@\" & pid=$!\n" + until + "\nkill -9 $pid\nwait $pid\nexit 0\n");
  REQUIRE(axelram("sweep s.yaml -o out --threads 1", "sh ./kill.sh").code == 0);
  const std::size_t kept = points_in(axelram.at("out/points"));
  CHECK(kept >= 19);
  CHECK(kept < kPoints);
  CHECK_FALSE(axelram.has("out/s.csv"));
  for (const auto& [name, text] : bytes_of(axelram.at("out"))) {
    CASE(name, text);
    if (contains(name, ".json")) CHECK(test::Json::parse(text)["figures"].size() > 10);
  }
  // What a process that is gone left over is removed, unless a process of another machine may
  // still write it.
  const std::string here = std::to_string(::getpid());
  for (const std::string folder : {"out/", "out/points/"})
    for (const std::string& name :
         {here + "-7", std::string("999999999-7"), std::string("999999999-8")}) {
      const std::string file = axelram.at(folder + ".axelram-" + name + ".tmp");
      test::put(file, "x");
      if (name != "999999999-8")
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(2));
    }
  const ProcessResult rest = axelram("sweep s.yaml -o out");
  CASE(rest.err);
  CHECK(rest.code == 0);
  CHECK(contains(rest.out, std::to_string(kPoints - kept) + " points evaluated, " +
                               std::to_string(kept) + " found"));
  for (const std::string folder : {"out", "out/points"}) {
    CASE(folder);
    CHECK(fs::exists(axelram.at(folder + "/.axelram-" + here + "-7.tmp")));
    CHECK(fs::exists(axelram.at(folder + "/.axelram-999999999-8.tmp")));
    CHECK_FALSE(fs::exists(axelram.at(folder + "/.axelram-999999999-7.tmp")));
    for (const std::string& name : test::leftovers(axelram.at(folder)))
      fs::remove(axelram.at(folder + "/" + name));
  }
  REQUIRE(axelram("sweep s.yaml -o whole").code == 0);
  CHECK_SAME(bytes_of(axelram.at("out")), bytes_of(axelram.at("whole")));
}

TEST_CASE("sweep: sweeps in one folder share points, and each has its own tables") {
  const test::TempDir axelram;
  test::put(axelram.at("s.yaml"), kSweep);
  REQUIRE(axelram(kSweepRun).code == 0);
  const auto bytes = bytes_of(axelram.at("out"));
  test::put(axelram.at("t.yaml"),
            "base: small.yaml\ntrace: trace.safetensors\n"
            "grid: {microarchitecture.read_lanes: [8, 16], macro.index_bits: [3]}\n");
  const ProcessResult other = axelram("sweep t.yaml -o out");
  CASE(other.err);
  CHECK(other.code == 0);
  CHECK(contains(other.out, "1 points evaluated, 1 found"));
  CHECK(contains(other.out, "written: out/t.csv, t.json\n"));
  CHECK(axelram.json("out/t.json")["rows"].size() == 2);
  for (const auto& [name, text] : bytes) {
    CASE(name);
    CHECK_SAME(test::content(axelram.at("out/" + name)), text);
  }
  // Plots that the same sweep no longer draws are removed.
  REQUIRE(axelram("sweep s.yaml -o out --plots none").code == 0);
  CHECK_FALSE(axelram.has("out/s_pareto_1.json"));
}

TEST_CASE("sweep: only files of others need --force") {
  const test::TempDir axelram;
  test::put(axelram.at("s.yaml"), kSweep);
  const auto needs_force = [&](const std::string& file, const std::string& part) {
    CASE(file);
    const std::string before = test::content(axelram.at(file));
    const ProcessResult mine = axelram(kSweepRun);
    CASE(mine.err);
    CHECK(mine.code == 2);
    CHECK(contains(mine.err, part));
    CHECK_SAME(test::content(axelram.at(file)), before);
    CHECK(axelram(kSweepRun + " --force").code == 0);
  };
  fs::create_directories(axelram.at("out/points"));
  test::put(axelram.at("out/points/notes.txt"), "mine");
  needs_force("out/points/notes.txt", "out: is not empty");
  fs::remove_all(axelram.at("out/points"));
  test::put(axelram.at("out/s.json"), "{\"axelram_sweep\": \"t.yaml\", \"fronts\": []}");
  needs_force("out/s.json", "out: is not empty");
  for (const std::string text : {"{}", "[]", "{\"axelram_sweep\": \"t.yaml\", \"fronts\": []}",
                                 "{\"axelram_sweep\": \"s.yaml\", \"fronts\": [1]}",
                                 "{\"axelram_sweep\": \"s.yaml\", \"fronts\": [{\"plot\": 1}]}"}) {
    CASE(text);
    test::put(axelram.at("out/s.json"), text);
    needs_force("out/s.json", "out/s.json: exists");
  }
  test::put(axelram.at("out/s.csv"), "its record is gone");
  fs::remove(axelram.at("out/s.json"));
  needs_force("out/s.csv", "out/s.csv: exists");
  // A plot of the format that the record does not have.
  test::put(axelram.at("out/s_pareto_1.svg"), "mine");
  const ProcessResult plots = axelram("sweep s.yaml -o out --plots svg");
  CHECK(plots.code == 2);
  CHECK(contains(plots.err, "out/s_pareto_1.svg: exists"));
  CHECK(test::content(axelram.at("out/s_pareto_1.svg")) == "mine");
}

TEST_CASE("sweep: a name that is no UTF-8 is that of its record") {
  const test::TempDir axelram;
  test::put(axelram.at("n\xff.yaml"), kSweep);
  const std::string run = "sweep n$(printf '\\377').yaml -o out --plots json";
  CHECK(axelram(run).code == 0);
  const ProcessResult again = axelram(run);
  CASE(again.err);
  CHECK(again.code == 0);
}

TEST_CASE("sweep: a point that is not as it was written is told before any is evaluated") {
  const test::TempDir axelram;
  test::put(axelram.at("s.yaml"), kSweep);
  REQUIRE(axelram(kSweepRun).code == 0);
  const test::Json rows = axelram.json("out/s.json")["rows"];
  const std::string file = "out/points/" + rows[0]["point"].get<std::string>() + ".json";
  const std::string other = "out/points/" + rows[2]["point"].get<std::string>() + ".json";
  test::Json empty = axelram.json(file), changed = empty;
  empty["figures"] = test::Json::array();
  changed["figures"][0]["value"] = 1;
  for (const std::string& text : {std::string("{}"), empty.dump(), changed.dump()}) {
    CASE(text);
    test::put(axelram.at(file), text);
    fs::remove(axelram.at(other));
    const ProcessResult broken = axelram(kSweepRun);
    CHECK(broken.code == 2);
    CHECK(contains(broken.err, file + ": no point of this sweep; delete"));
    CHECK_FALSE(axelram.has(other));
  }
}

TEST_CASE("sweep: a program built from other files has other points") {
  const test::TempDir axelram;
  test::put(axelram.at("s.yaml"), "base: small.yaml\nreports: [memory]\n");
  REQUIRE(axelram("sweep s.yaml -o out").code == 0);
  fs::copy_file(AXELRAM_PROGRAM, axelram.at("changed"));
  std::ofstream(axelram.at("changed"), std::ios::app) << "x";
  const ProcessResult changed = axelram.run(axelram.at("changed"), "sweep s.yaml -o out");
  CASE(changed.err);
  CHECK(changed.code == 0);
  const std::string commit = axelram.json("out/s.json")["commit"];
  const bool known = !commit.empty() && commit.back() != '+';
  CHECK(contains(changed.out, known ? "0 points evaluated" : "1 points evaluated"));
}

}  // namespace
