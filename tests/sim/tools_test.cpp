#include "axelram/sim/tools.hpp"

#include <filesystem>

#include "files/support.hpp"

using namespace axelram;
using test::contains;

// Calls of programs of others, which a script in a folder of its own on the PATH stands for.

namespace {

constexpr sim::Tool kFake = {"axelram-fake", "Fake", "--version", "5.006", "fake", "https://fake"};
const std::string kAnswers = "[ \"$1\" = --version ] && { echo 'Fake 5.006 rev 1'; exit; }\n";

/// A folder in front of the PATH with a script axelram-fake, until it is destroyed.
class FakeTool {
 public:
  explicit FakeTool(const std::string& script) {
    const std::string path = folder_ / kFake.name;
    test::put(path, "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder_.path() + ":" + before_).c_str(), 1);
  }
  ~FakeTool() { ::setenv("PATH", before_.c_str(), 1); }
  FakeTool(const FakeTool&) = delete;
  FakeTool& operator=(const FakeTool&) = delete;

  std::string folder() const { return std::filesystem::canonical(folder_.path()).string(); }

 private:
  test::TemporaryFolder folder_;
  std::string before_ = std::getenv("PATH");
};

std::string complaint(const std::string& script) {
  const FakeTool tool(script);
  return test::message<files::EnvironmentError>(
      [] { sim::ask_tool(kFake, {.arguments = {}, .subject = "it"}); });
}

}  // namespace

TEST_CASE("a tool: a warning is no answer") {
  const FakeTool tool(kAnswers + "echo 'cannot preload x' >&2; echo answer; echo 'as said' >&2\n");
  CHECK(sim::ask_tool(kFake, {}) == "answer\n");
  const sim::ToolEnd end = sim::call_tool(kFake, {});
  CHECK(end.status == 0);
  CHECK(end.out == "answer\n");
  CHECK(end.err == "cannot preload x\nas said\n");
}

TEST_CASE("a tool: its language is C, its temporary files are in the folder of the call") {
  const FakeTool tool(kAnswers + "echo \"$LC_ALL $TMPDIR\"; pwd; cat\n");
  ::setenv("LC_ALL", "xx_YY.UTF-8", 1);
  std::vector<std::string> lines;
  const std::string folder = tool.folder();
  sim::run_tool(kFake, {.arguments = {}, .folder = folder, .line = [&](const std::string& line) {
                          lines.push_back(line);
                        }});
  ::unsetenv("LC_ALL");
  CHECK_SAME(lines, std::vector<std::string>{"C " + folder, folder});
}

TEST_CASE("a tool: words of a call are no words of a shell") {
  const FakeTool tool(kAnswers + "for word; do echo \"<$word>\"; done\n");
  CHECK(sim::run_tool(kFake, {.arguments = {"a b", "$HOME", "'", "\"", ";"}}) ==
        "<a b>\n<$HOME>\n<'>\n<\">\n<;>\n");
}

TEST_CASE("a tool: both streams are read, however long they are") {
  const FakeTool tool(kAnswers + "seq 30000 >&2; seq 30000; seq 30000 >&2\n");
  const sim::ToolEnd end = sim::call_tool(kFake, {});
  CHECK(end.out.size() > 100000);
  CHECK(end.err.size() == 2 * end.out.size());
}

TEST_CASE("a tool: the version is asked, compared and named") {
  const auto version = [](const std::string& script) {
    const FakeTool tool(script);
    return sim::tool_version(kFake);
  };
  CHECK(version(kAnswers) == "Fake 5.006 rev 1");
  CHECK(version("echo 'module loaded'; echo Fake 5.048\n") == "Fake 5.048");
  CHECK(version("echo 'locale, 3 times' >&2; echo 12\n") == "12");
  CHECK(version("echo 6.0\n") == "6.0");
  CHECK(version("echo 'Fake rev UNKNOWN'\n") == "Fake rev UNKNOWN");

  const std::string install = "; run scripts/setup or apt-get install fake";
  for (const char* old : {"4.038", "5", "5.005", "5.5.5", "0.9"}) {
    CASE(old);
    const FakeTool tool(std::string("echo 'Fake ") + old + " 2020-07-11'\n");
    // It is installed: how to get another one helps.
    CHECK(
        test::message<files::EnvironmentError>([] { sim::tool_version(kFake); }) ==
        std::string("Fake ") + old +
            "; 5.006 or later is needed, such as that of Debian 12 or https://fake, in front of " +
            tool.folder() + " on the PATH");
  }
  {
    const FakeTool silent("exit 0\n");
    CHECK(test::message<files::EnvironmentError>([] { sim::tool_version(kFake); }) ==
          "axelram-fake --version printed nothing; see that " + silent.folder() +
              "/axelram-fake is Fake");
  }
  CHECK(complaint("echo 'no library' >&2; exit 127\n") ==
        "axelram-fake --version failed with status 127: no library");
  CHECK(test::message<files::EnvironmentError>([] { sim::tool_version(kFake); }) ==
        "axelram-fake is not installed" + install);
}

TEST_CASE("a tool: its exit code comes first, then what it complains of") {
  const auto failed = [](const std::string& script) { return complaint(kAnswers + script); };
  const std::string status = "axelram-fake on it failed with status 3: ";
  CHECK(failed("echo fine; exit 3\n") == status + "fine");
  CHECK(failed("echo fine; echo bad >&2; exit 3\n") == status + "bad");
  CHECK(failed("echo '%Error: x.sv:1: bad'; echo 'and so on' >&2; exit 3\n") ==
        status + "%Error: x.sv:1: bad");
  CHECK(failed("echo 'x.cpp:1: error: bad'; echo 'stopped.'; exit 3\n") ==
        status + "x.cpp:1: error: bad");
  CHECK(failed("echo \"ERROR: ld.so: object 'x' cannot be preloaded\" >&2; echo bad; exit 3\n") ==
        status + "bad");
  CHECK(failed("exit 3\n") == status + "it printed nothing");
  // A signal ended the tool: its output tells how far it came. Why it ended is in no line of it.
  const std::string killed = "axelram-fake on it was ended by signal 9 (Killed)";
  CHECK(failed("echo gone >&2; kill -9 $$\n") == killed + ": gone");
  CHECK(failed("echo '3 of 12'; kill -9 $$\n") == killed);
}

TEST_CASE("a tool: silence is that of the tool") {
  CHECK(complaint(kAnswers + "echo warning >&2\n") ==
        "Fake printed nothing on it; does 'axelram-fake --version' answer?");
  const FakeTool tool(kAnswers + ": >empty; echo x >full\n");
  const sim::ToolCall call = {.arguments = {}, .folder = tool.folder(), .subject = "it"};
  sim::run_tool(kFake, call);
  sim::require_written(kFake, call, "full");
  for (const char* name : {"empty", "none"}) {
    CASE(name);
    CHECK(test::message<files::EnvironmentError>([&] {
            sim::require_written(kFake, call, name);
          }) == std::string("Fake wrote no ") + name +
                    " on it, and reported no error; is there space left?");
  }
}

TEST_CASE("a tool: a program on the PATH is one that can be run") {
  const FakeTool tool(kAnswers);
  CHECK(sim::find_tool(kFake.name) == tool.folder() + "/axelram-fake");
  CHECK(sim::find_tool("sh") != "");
  CHECK(sim::find_tool("axelram-none") == "");
  std::filesystem::permissions(tool.folder() + "/axelram-fake", std::filesystem::perms::owner_read);
  CHECK(sim::find_tool(kFake.name) == "");
}
