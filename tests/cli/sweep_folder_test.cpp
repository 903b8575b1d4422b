#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "needs.hpp"
#include "sweep_support.hpp"

namespace {

namespace fs = std::filesystem;
using namespace test;

/// Every file of a folder with its content.
std::vector<std::pair<std::string, std::string>> bytes_of(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.emplace_back(fs::relative(entry.path(), folder).string(),
                         content(entry.path().string()));
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
  const TempDir axelram;
  axelram.put("s.yaml", kSweep);
  REQUIRE(axelram(kSweepRun + " --threads 1"));
  const auto bytes = bytes_of(axelram.at("out"));
  CHECK(bytes.size() == 4 + 3);
  const std::string again = axelram.output(kSweepRun);
  CHECK(contains(again, "0 points evaluated, 4 found"));
  CHECK_SAME(bytes_of(axelram.at("out")), bytes);
  REQUIRE(axelram("sweep s.yaml -o other --plots json --threads 3"));
  CHECK_SAME(bytes_of(axelram.at("other")), bytes);
}

TEST_CASE("sweep: the same bytes with several ranks" * needs_mpi) {
  const TempDir axelram;
  axelram.put("s.yaml", kSweep);
  REQUIRE(axelram(kSweepRun));
  const std::string mpi =
      "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -n ";
  for (const std::string ranks : {"1", "2", "3"}) {
    CASE(ranks);
    const std::string printed =
        axelram.output("sweep s.yaml --plots json --threads 1 -o ranks" + ranks, mpi + ranks);
    CHECK_SAME(bytes_of(axelram.at("ranks" + ranks)), bytes_of(axelram.at("out")));
    CHECK(printed.find("sweep s.yaml") == printed.rfind("sweep s.yaml"));
  }
  axelram.put("bad.yaml", "base: small.yaml\ngrid: {macro.index_bit: [2]}\n");
  const ProcessResult bad = axelram("sweep bad.yaml -o bad", mpi + "2");
  CHECK(bad.code == 2);
  CHECK(bad.err.find("axelram: bad.yaml:2") == bad.err.rfind("axelram: bad.yaml:2"));
}

TEST_CASE("sweep: each point is the share of one rank, whatever the ranks find" * needs_mpi) {
  const TempDir axelram;
  const std::string rest = "\nreports: [memory]\ngrid: {macro.max_keys: [1";
  axelram.put("s.yaml", "base: small.yaml" + rest + ", 2, 3, 4, 5, 6]}\n");
  fs::create_directories(axelram.at("a"));
  fs::create_directories(axelram.at("b"));
  axelram.put("a/s.yaml", "base: ../small.yaml" + rest + "]}\n");
  REQUIRE(axelram("sweep a/s.yaml -o a/out"));  // what rank 0 finds
  axelram.put("two.sh",
              "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -n 1 -wdir a "
              "\"$@\" : -n 1 -wdir b \"$@\"\n");
  for (const bool made : {false, true}) {
    if (made) fs::create_directories(axelram.at("b/out/points"));
    const ProcessResult done = axelram("sweep ../s.yaml -o out --threads 1", "sh ./two.sh");
    CASE(made);
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
  const TempDir axelram;
  constexpr std::size_t kPoints = 600;  // that take no time but for their files
  std::string values;
  for (std::size_t keys = 1; keys <= kPoints; ++keys)
    values += (keys == 1 ? "" : ", ") + std::to_string(keys);
  axelram.put("s.yaml",
              "base: paper-d128-b3\nreports: [memory]\ngrid: {macro.max_keys: [" + values + "]}\n");
  // Ends when some points are there.
  const std::string until =
      "for i in $(seq 1000); do test $(ls out/points 2>/dev/null | wc -l) -ge 20 && "
      "break; sleep 0.01; done";
  axelram.put("kill.sh", "\"$@\" & pid=$!\n" + until + "\nkill -9 $pid\nwait $pid\nexit 0\n");
  REQUIRE(axelram("sweep s.yaml -o out --threads 1", "sh ./kill.sh"));
  const std::size_t kept = points_in(axelram.at("out/points"));
  CHECK(kept >= 19);
  CHECK(kept < kPoints);
  CHECK_FALSE(axelram.has("out/s.csv"));
  for (const auto& [name, text] : bytes_of(axelram.at("out"))) {
    CASE(name, text);
    if (contains(name, ".json")) CHECK(Json::parse(text)["figures"].size() > 10);
  }
  // What a process that is gone left over is removed, unless a process of another machine may
  // still write it.
  const std::string here = std::to_string(::getpid());
  for (const std::string folder : {"out/", "out/points/"})
    for (const std::string& name :
         {here + "-7", std::string("999999999-7"), std::string("999999999-8")}) {
      const std::string file = axelram.at(folder + ".axelram-" + name + ".tmp");
      put(file, "x");
      if (name != "999999999-8")
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(2));
    }
  const std::string rest = axelram.output("sweep s.yaml -o out");
  CHECK(contains(rest, std::to_string(kPoints - kept) + " points evaluated, " +
                           std::to_string(kept) + " found"));
  for (const std::string folder : {"out", "out/points"}) {
    CASE(folder);
    CHECK(fs::exists(axelram.at(folder + "/.axelram-" + here + "-7.tmp")));
    CHECK(fs::exists(axelram.at(folder + "/.axelram-999999999-8.tmp")));
    CHECK_FALSE(fs::exists(axelram.at(folder + "/.axelram-999999999-7.tmp")));
    for (const std::string& name : leftovers(axelram.at(folder)))
      fs::remove(axelram.at(folder + "/" + name));
  }
  REQUIRE(axelram("sweep s.yaml -o whole"));
  CHECK_SAME(bytes_of(axelram.at("out")), bytes_of(axelram.at("whole")));
}

TEST_CASE("sweep: sweeps in one folder share points, and each has its own tables") {
  const TempDir axelram;
  axelram.put("s.yaml", kSweep);
  REQUIRE(axelram(kSweepRun));
  const auto bytes = bytes_of(axelram.at("out"));
  axelram.put("t.yaml",
              "base: small.yaml\ntrace: trace.safetensors\n"
              "grid: {microarchitecture.read_lanes: [8, 16], macro.index_bits: [3]}\n");
  const std::string other = axelram.output("sweep t.yaml -o out");
  CHECK(contains(other, "1 points evaluated, 1 found"));
  CHECK(contains(other, "written: out/t.csv, t.json\n"));
  CHECK(axelram.json("out/t.json")["rows"].size() == 2);
  for (const auto& [name, text] : bytes) {
    CASE(name);
    CHECK_SAME(axelram.content("out/" + name), text);
  }
  // Plots that the same sweep no longer draws are removed.
  REQUIRE(axelram("sweep s.yaml -o out --plots none"));
  CHECK_FALSE(axelram.has("out/s_pareto_1.json"));
}

TEST_CASE("sweep: only files of others need --force") {
  const TempDir axelram;
  axelram.put("s.yaml", kSweep);
  const auto needs_force = [&](const std::string& file, const std::string& part) {
    CASE(file);
    const std::string before = axelram.content(file);
    failed(axelram(kSweepRun), 2, part);
    CHECK_SAME(axelram.content(file), before);
    CHECK(axelram(kSweepRun + " --force"));
  };
  fs::create_directories(axelram.at("out/points"));
  axelram.put("out/points/notes.txt", "mine");
  needs_force("out/points/notes.txt", "out: is not empty");
  fs::remove_all(axelram.at("out/points"));
  axelram.put("out/s.json", "{\"axelram_sweep\": \"t.yaml\", \"fronts\": []}");
  needs_force("out/s.json", "out: is not empty");
  for (const std::string text : {"{}", "[]", "{\"axelram_sweep\": \"t.yaml\", \"fronts\": []}",
                                 "{\"axelram_sweep\": \"s.yaml\", \"fronts\": [1]}",
                                 "{\"axelram_sweep\": \"s.yaml\", \"fronts\": [{\"plot\": 1}]}"}) {
    CASE(text);
    axelram.put("out/s.json", text);
    needs_force("out/s.json", "out/s.json: exists");
  }
  axelram.put("out/s.csv", "its record is gone");
  fs::remove(axelram.at("out/s.json"));
  needs_force("out/s.csv", "out/s.csv: exists");
  // A plot of the format that the record does not have.
  axelram.put("out/s_pareto_1.svg", "mine");
  failed(axelram("sweep s.yaml -o out --plots svg"), 2, "out/s_pareto_1.svg: exists");
  CHECK(axelram.content("out/s_pareto_1.svg") == "mine");
}

TEST_CASE("sweep: a name that is no UTF-8 is that of its record") {
  const TempDir axelram;
  axelram.put("n\xff.yaml", kSweep);
  const std::string run = "sweep n$(printf '\\377').yaml -o out --plots json";
  CHECK(axelram(run));
  CHECK(axelram(run));
}

TEST_CASE("sweep: a point that is not as it was written is told before any is evaluated") {
  const TempDir axelram;
  axelram.put("s.yaml", kSweep);
  REQUIRE(axelram(kSweepRun));
  const Json rows = axelram.json("out/s.json")["rows"];
  const std::string file = "out/points/" + rows[0]["point"].get<std::string>() + ".json";
  const std::string other = "out/points/" + rows[2]["point"].get<std::string>() + ".json";
  Json empty = axelram.json(file), changed = empty;
  empty["figures"] = Json::array();
  changed["figures"][0]["value"] = 1;
  for (const std::string& text : {std::string("{}"), empty.dump(), changed.dump()}) {
    CASE(text);
    axelram.put(file, text);
    fs::remove(axelram.at(other));
    failed(axelram(kSweepRun), 2, file + ": no point of this sweep; delete");
    CHECK_FALSE(axelram.has(other));
  }
}

TEST_CASE("sweep: a program built from other files has other points") {
  const TempDir axelram;
  axelram.put("s.yaml", "base: small.yaml\nreports: [memory]\n");
  REQUIRE(axelram("sweep s.yaml -o out"));
  fs::copy_file(AXELRAM_PROGRAM, axelram.at("changed"));
  std::ofstream(axelram.at("changed"), std::ios::app) << "x";
  const ProcessResult changed = axelram.run(axelram.at("changed"), "sweep s.yaml -o out");
  CHECK(changed);
  const std::string commit = axelram.json("out/s.json")["commit"];
  const bool known = !commit.empty() && commit.back() != '+';
  CHECK(contains(changed.out, known ? "0 points evaluated" : "1 points evaluated"));
}

}  // namespace
