#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "axelram/sim/build.hpp"
#include "cli/program.hpp"
#include "needs.hpp"

// Limits, signals, full disks and other users of the machine.

namespace {

namespace fs = std::filesystem;
using namespace test;

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;  // it reserves terabytes: no limit of memory can be set
#else
constexpr bool kSanitized = false;
#endif

const std::string kRtlRun = "run small.yaml trace.safetensors -o out --engine rtl ";

/// A small macro whose model is in the cache of the tests.
void build_model(const TempDir& axelram) { REQUIRE(axelram(kRtlRun + "--force")); }

TEST_CASE("a waveform that the disk cuts off is not kept") {
  const TempDir axelram;
  build_model(axelram);
  REQUIRE(axelram(kRtlRun + "--force --waves whole.fst"));
  const auto size = fs::file_size(axelram.at("whole.fst"));
  REQUIRE(size > 8192);
  for (const char* limit : {"trap '' XFSZ; ulimit -f 4;", "ulimit -f 4;", "ulimit -f 1;"}) {
    CASE(limit);
    axelram.cut_off(kRtlRun + "--force --waves cut.fst", limit, "cut.fst");
  }
}

TEST_CASE("a waveform is written through a symbolic link") {
  const TempDir axelram;
  axelram.put("target", "old");
  fs::create_symlink("target", axelram.at("link.fst"));
  REQUIRE(axelram(kRtlRun + "--force --waves link.fst"));
  CHECK(fs::is_symlink(axelram.at("link.fst")));
  CHECK(fs::file_size(axelram.at("target")) > 1000);
}

/// A cache with the compiled models in the folder `cache`, which kFromCache takes them from. Other
/// tests build models meanwhile: only whole ones are copied.
fs::path copied_cache(const TempDir& axelram) {
  build_model(axelram);
  const fs::path cache = axelram.at("cache");
  fs::create_directory(cache);
  for (const auto& entry : fs::directory_iterator(axelram::sim::cache_directory()))
    if (fs::exists(entry.path() / "model.so") && !entry.path().has_extension())
      fs::copy(entry.path(), cache / entry.path().filename(), fs::copy_options::recursive);
  return cache;
}

const std::string kFromCache = "AXELRAM_CACHE=$PWD/cache PATH=/nowhere";

TEST_CASE("compiled models come from a directory of the user alone") {
  const TempDir axelram;
  const fs::path cache = copied_cache(axelram);
  fs::permissions(cache, fs::perms::all);
  CHECK(axelram(kRtlRun + "--force", kFromCache));
  CHECK((fs::status(cache).permissions() & fs::perms::others_write) == fs::perms::none);
}

TEST_CASE("compiled models of another user are not used" * needs_root) {
  const TempDir axelram;
  const fs::path cache = copied_cache(axelram);
  CHECK(axelram(kRtlRun + "--force", kFromCache));
  REQUIRE(::chown(cache.c_str(), 65534, 65534) == 0);
  failed(axelram(kRtlRun + "--force", kFromCache), 3, "belongs to another user");
  REQUIRE(::chown(cache.c_str(), 0, 0) == 0);
  for (const auto& entry : fs::recursive_directory_iterator(cache)) {
    CASE(entry);
    if (entry.path().filename() == "model.so")
      REQUIRE(::chown(entry.path().c_str(), 65534, 65534) == 0);
  }
  CHECK(axelram(kRtlRun + "--force", kFromCache).code == 3);
}

/// Sets a variable of this process, or removes it for "", until it is destroyed.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::string& value) const {
    if (value.empty())
      ::unsetenv(name_);
    else
      ::setenv(name_, value.c_str(), 1);
  }
  const char* name_;
  std::string old_;
};

TEST_CASE("without any variable compiled models are in the home of the user's account") {
  const TempDir axelram;
  const Variable cache("AXELRAM_CACHE", ""), xdg("XDG_CACHE_HOME", ""), home("HOME", "");
  const Variable temporary("TMPDIR", axelram.path());
  const passwd* const user = ::getpwuid(::geteuid());
  REQUIRE(user != nullptr);
  CHECK(axelram::sim::cache_directory() == std::string(user->pw_dir) + "/.cache/axelram");
}

TEST_CASE("a relative XDG_CACHE_HOME is no place") {
  const TempDir axelram;
  const Variable cache("AXELRAM_CACHE", ""), home("HOME", axelram.path());
  for (const char* relative : {"cache", "./cache", "~/cache", "../cache"}) {
    CASE(relative);
    const Variable xdg("XDG_CACHE_HOME", relative);
    CHECK(axelram::sim::cache_directory() == axelram.at(".cache/axelram"));
  }
  const Variable xdg("XDG_CACHE_HOME", axelram.at("x"));
  CHECK(axelram::sim::cache_directory() == axelram.at("x/axelram"));
}

/// A library for LD_PRELOAD: a file system without locks.
void put_no_locks(const TempDir& axelram) {
  axelram.put(
      "locks.cpp",
      "#include <cerrno>\nextern \"C\" int flock(int, int) { errno = ENOLCK; return -1; }\n");
  REQUIRE(axelram.run("g++", "-shared -fPIC -o locks.so locks.cpp"));
}

TEST_CASE("a first run with a locale and a library that are not installed, and without locks" *
          doctest::skip(kSanitized)) {
  const TempDir axelram;
  put_no_locks(axelram);
  const std::string foreign = "AXELRAM_CACHE=$PWD/cache LC_ALL=xx_YY.UTF-8 LANGUAGE=de ";
  REQUIRE(axelram(kRtlRun, foreign + "LD_PRELOAD=\"/nowhere/none.so $PWD/locks.so\""));
  REQUIRE(axelram("run small.yaml trace.safetensors -o golden"));
  CHECK(axelram.content("out") == axelram.content("golden"));
  CHECK(leftovers(axelram.at("cache")).empty());
  // The next one compiles nothing.
  CHECK(axelram(kRtlRun + "--force", kFromCache));
}

TEST_CASE("a user without an account has no compiled models" * needs_root) {
  const TempDir axelram;
  fs::permissions(axelram.path(), fs::perms::all);
  // A copy: the folder of the build may be closed to others.
  fs::copy_file(AXELRAM_PROGRAM, axelram.at("program"));
  failed(axelram.run("./program", kRtlRun,
                     "env -u HOME -u XDG_CACHE_HOME -u AXELRAM_CACHE "
                     "setpriv --reuid=4200000 --regid=4200000 --clear-groups"),
         3, "no directory for compiled models; set AXELRAM_CACHE");
}

TEST_CASE("a compiled model that was cut off is compiled again") {
  const TempDir axelram;
  const std::string use = "AXELRAM_CACHE=$PWD/cache";
  REQUIRE(axelram(kRtlRun, use));
  for (const auto& entry : fs::recursive_directory_iterator(axelram.at("cache")))
    if (entry.path().filename() == "model.so")
      fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  CHECK(axelram(kRtlRun + "--force", use));
}

TEST_CASE("too little memory for threads ends no language model with an abort" *
          doctest::skip(kSanitized)) {
  const TempDir axelram;
  axelram.put_text();
  const std::string run = "perplexity " + kByteLlama + " text.txt --tokens 40 --cache fp16 ";
  const ProcessResult done = axelram(run + "--threads 1024", "ulimit -v 2500000;");
  CHECK((done.code == 0 || done.code == 3));
}

TEST_CASE("a signal leaves neither temporary files nor compilers behind") {
  const TempDir axelram;
  // TERM comes when the first file of this kind is there: while Verilator runs, and the compiler.
  for (const std::string kind : {"*", "*.cpp"}) {
    CASE(kind);
    const ProcessResult ended =
        axelram(kRtlRun,
                "CCACHE_DISABLE=1 AXELRAM_CACHE=$PWD/fresh bash -c '\"$@\" & "
                "while kill -0 $! && [[ -z $(find fresh -type f -name \"" +
                    kind + "\" 2>/dev/null) ]]; do sleep 0.02; done; kill $!; wait $!' -");
    CHECK(ended.code == 143);
    CHECK_FALSE(axelram.has("out"));
    CHECK(leftovers(axelram.at("fresh")).empty());
    CHECK(std::system(
              ("sleep 0.5; pgrep -f " + quoted(axelram.path()) + "/fresh >/dev/null").c_str()) !=
          0);
  }

  const std::string stress = "stress " + kByteLlama + " -o model --layers all --bias 10";
  for (const char* seconds : {"0.02", "0.05", "0.1", "0.2"}) {
    CASE(seconds);
    axelram(stress + " --force", std::string("timeout --preserve-status ") + seconds);
    CHECK(leftovers(axelram.path()).empty());
  }
}

TEST_CASE("memory grows with what is asked for, not with the file" * doctest::skip(kSanitized)) {
  const TempDir axelram;
  REQUIRE(std::system(("truncate -s 4G " + quoted(axelram.at("large"))).c_str()) == 0);
  // The limit counts memory that a file is read into, and no mapped file.
  const std::string limit = "ulimit -d 400000;";
  CHECK(axelram("perplexity " + kByteLlama + " large --cache fp16 --tokens 40 --threads 1", limit));
  CHECK(axelram("capture " + kByteLlama + " large --layer 0 --head 0 -o t --threads 1", limit));
  CHECK(
      axelram("stress " + kByteLlama + " --norm-ratio 4 --text large -o model --threads 1", limit));
  failed(axelram("run small.yaml large -o out", limit), 2, "large: ");
}

TEST_CASE("a checkpoint that is cut while it is read ends the run with a line" *
          doctest::skip(kSanitized)) {
  const TempDir axelram;
  axelram.put_text();
  fs::copy(kByteLlama, axelram.at("model"));
  failed(axelram("perplexity model text.txt --cache int4:ber=1e-3 --seeds 1-900 --json out",
                 "{ (sleep 0.7; truncate -s 8192 model/model.safetensors) & }; timeout 60"),
         3, "axelram: a file was cut while it was read");
  CHECK_FALSE(axelram.has("out"));
  CHECK(leftovers(axelram.path()).empty());
}

}  // namespace
