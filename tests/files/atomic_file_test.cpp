#include "axelram/files/atomic_file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include "support.hpp"

using namespace axelram::files;
using test::contains;

TEST_CASE("a file is written whole, or not at all") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "out";
  {
    AtomicFile file(path, false);
    file.write("one ");
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK(folder.entries() == 1);  // the temporary file lies in the same folder
    file.write("two");
    file.commit();
  }
  CHECK(test::content(path) == "one two");
  CHECK(folder.entries() == 1);
  {
    AtomicFile file(folder / "given up", false);
    file.write("lost");
  }
  CHECK(folder.entries() == 1);
  write_file(folder / "empty", "", false);
  CHECK(std::filesystem::file_size(folder / "empty") == 0);
}

TEST_CASE("the mode follows the umask") {
  const test::TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder / "out", "x", false);
  ::umask(before);
  struct stat status = {};
  REQUIRE(::stat((folder / "out").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("nothing is written over without force") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "out";
  write_file(path, "old", false);
  const std::string expected =
      path + ": exists already; give --force to overwrite it, or another name";
  CHECK(test::message([&] { check_output(path, false); }) == expected);
  CHECK(test::message([&] { write_file(path, "new", false); }) == expected);
  CHECK(test::content(path) == "old");
  check_output(path, true);
  write_file(path, "new", true);
  CHECK(test::content(path) == "new");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a file that appears meanwhile survives") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "out";
  AtomicFile file(path, false);
  file.write("mine");
  test::put(path, "theirs");
  CHECK(contains(test::message([&] { file.commit(); }), "exists already"));
  CHECK(test::content(path) == "theirs");
}

TEST_CASE("of many writers of one name exactly one succeeds") {
  const test::TemporaryFolder folder;
  std::vector<int> done(8);
  std::vector<std::thread> writers;
  for (std::size_t i = 0; i < done.size(); ++i)
    writers.emplace_back([&, i] {
      try {
        write_file(folder / "out", std::string(100000, static_cast<char>('a' + i)), false);
        done[i] = 1;
      } catch (const InputError&) {
      }
    });
  for (std::thread& writer : writers) writer.join();
  int total = 0;
  for (const int one : done) total += one;
  CHECK(total == 1);
  const std::string text = test::content(folder / "out");
  REQUIRE(text.size() == 100000);
  CHECK(done[static_cast<std::size_t>(text[0] - 'a')] == 1);
  CHECK(folder.entries() == 1);
}

TEST_CASE("names that cannot be written") {
  const test::TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  for (const bool force : {false, true}) {
    CASE(force);
    const auto message = [force](const std::string& path) {
      const std::string before = test::message([&] { check_output(path, force); });
      CHECK(test::message([&] { write_file(path, "x", force); }) == before);
      return before;
    };
    CHECK(contains(message(folder.path()), "is a folder; name a file"));
    CHECK(contains(message(folder / "pipe"), "is no regular file; name a file"));
    CHECK(contains(message(folder / "none/out"), "none' does not exist; create it first"));
    CHECK(contains(message(folder / "none/"), "none' does not exist; create it first") == false);
    CHECK(contains(message(folder / "none/"), "does not exist"));
    CHECK(contains(message(""), "no file name"));
    CHECK(contains(message(std::string("a\0b", 3)), "no file name"));
    CHECK(contains(message(folder / std::string(300, 'x')), "File name too long; choose"));
    test::put(folder / "file", "");
    CHECK(contains(message(folder / "file/out"), "does not exist"));
  }
  CHECK(folder.entries() == 2);
}

TEST_CASE("symbolic links") {
  const test::TemporaryFolder folder;
  write_file(folder / "real", "old", false);
  std::filesystem::create_symlink("real", folder / "link");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  write_file(folder / "link", "new", true);
  CHECK(test::content(folder / "real") == "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(contains(test::message([&] { write_file(folder / "dangling", "x", true); }),
                 "a symbolic link to nothing"));
}

TEST_CASE("a full disk leaves nothing behind") {
  const test::TemporaryFolder folder;
  // A limit on file sizes replaces a full disk.
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string got = test::message<EnvironmentError>(
      [&] { write_file(folder / "out", std::string(5000, 'x'), false); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(got == (folder / "out") + ": File too large; free some space or write elsewhere");
  CHECK(folder.entries() == 0);
}

TEST_CASE("a folder that is somebody else's is the environment's fault") {
  const test::TemporaryFolder folder;
  const uid_t user = ::geteuid();
  // Root may write anywhere, so as root the test changes its user; otherwise it removes
  // permissions.
  if (user == 0)
    REQUIRE(::seteuid(65534) == 0);
  else
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_exec);
  const std::string got =
      test::message<EnvironmentError>([&] { write_file(folder / "out", "x", false); });
  if (user == 0) REQUIRE(::seteuid(0) == 0);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  CHECK(got == (folder / "out") + ": Permission denied; write to a folder that is yours");
}

TEST_CASE("a file system without hard links: the message names what does without") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder /
                                    "made");  // link(2) rejects it as such a file system does
  const std::string made = folder / "made", out = folder / "out";
  CHECK_THROWS_WITH_AS(publish(made, out, "out", false),
                       "out: this file system has no hard links; --force does without",
                       EnvironmentError);
  CHECK_FALSE(std::filesystem::exists(out));
  publish(made, out, "out", true);
  CHECK(std::filesystem::is_directory(out));
}

TEST_CASE("a name without folder lies in the current one") {
  const test::TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_file("out", "x", false);
  std::filesystem::current_path(before);
  CHECK(test::content(folder / "out") == "x");
}
