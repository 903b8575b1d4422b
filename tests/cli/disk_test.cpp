#include <algorithm>

#include "cli/other_hardware.hpp"
#include "needs.hpp"

// Waveforms on a disk that is smaller than they are.

namespace {

using namespace test;

/// Runs the program with a disk of `bytes` in the folder `disk`, whose files are copied to `kept`.
ProcessResult on_disk(const TempDir& axelram, int bytes, const std::string& arguments,
                      const std::string& environment = "") {
  axelram.put(
      "disk.sh",
      "rm -rf kept && mkdir -p disk kept && mount -t tmpfs -o size=" + std::to_string(bytes) +
          " none disk || exit 125\n\"$@\"\ncode=$?\ncp -a disk/. kept\nexit $code\n");
  return axelram(arguments, environment + " unshare -rm sh disk.sh");
}

std::vector<std::string> files_in(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory()) names.push_back(fs::relative(entry.path(), folder).string());
  std::sort(names.begin(), names.end());
  return names;
}

constexpr int kLarge = 1 << 24;
using Names = std::vector<std::string>;

TEST_CASE("a waveform that a full disk cuts off is not kept" * needs_mount) {
  const TempDir axelram;
  const std::string run =
      "run small.yaml trace.safetensors --force -o out --engine rtl --waves disk/run.fst";
  REQUIRE(on_disk(axelram, kLarge, run));
  CHECK_SAME(files_in(axelram.at("kept")), Names{"run.fst", "run.gtkw"});
  const auto size = static_cast<int>(std::filesystem::file_size(axelram.at("kept/run.fst")));
  REQUIRE(size > 131072);
  for (const int bytes : {4096, 16384, 65536, 131072, size - 4096}) {
    CASE(bytes);
    failed(on_disk(axelram, bytes, run), 3, "disk");
    CHECK(files_in(axelram.at("kept")).empty());
  }
}

TEST_CASE("compiled models where no program may run: the message names another place" *
          needs_mount) {
  const TempDir axelram;
  axelram.put("closed.sh",
              "mkdir -p closed && mount -t tmpfs -o noexec none closed && exec \"$@\"\n");
  failed(axelram("run small.yaml trace.safetensors -o out --engine rtl",
                 "AXELRAM_CACHE=$PWD/closed unshare -rm sh closed.sh"),
         3, "set AXELRAM_CACHE to a folder from which programs may run");
  CHECK_FALSE(axelram.has("out"));
}

TEST_CASE("a mismatch on a full disk leaves no part of a file" * needs_mount) {
  const TempDir axelram;
  const std::string cache = put_other_hardware(axelram);
  const std::string run = "verify other.yaml -o disk/dump";
  const Names all = {"dump/mismatch.fst", "dump/mismatch.gtkw", "dump/mismatch.safetensors",
                     "dump/mismatch.txt"};
  CHECK(on_disk(axelram, kLarge, run, cache).code == 1);
  CHECK_SAME(files_in(axelram.at("kept")), all);
  const auto size =
      static_cast<int>(std::filesystem::file_size(axelram.at("kept/dump/mismatch.fst")));
  REQUIRE(size > 16384);
  for (const int bytes : {4096, 8192, size - 8192}) {
    CASE(bytes);
    const ProcessResult cut = on_disk(axelram, bytes, run, cache);
    CHECK(cut.code == 3);
    CHECK(contains(cut.err, "disk"));
    CHECK(contains(cut.out, "first mismatch: phase "));
    CHECK(files_in(axelram.at("kept")).empty());
  }
}

TEST_CASE("a converted folder that a full disk cuts off is not kept" * needs_mount) {
  const TempDir axelram;
  const std::string run = "convert " + kTinyGguf + " -o disk/model";
  REQUIRE(on_disk(axelram, kLarge, run));
  CHECK_SAME(files_in(axelram.at("kept")),
             Names{"model/config.json", "model/convert.json", "model/model.safetensors"});
  for (const int bytes : {4096, 16384, 65536, 131072}) {
    CASE(bytes);
    failed(on_disk(axelram, bytes, run), 3, "axelram: disk/model");
    CHECK(files_in(axelram.at("kept")).empty());
  }
}

}  // namespace
