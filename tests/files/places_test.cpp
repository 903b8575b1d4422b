#include "axelram/files/places.hpp"

#include <filesystem>

#include "axelram/files/scratch_folder.hpp"
#include "support.hpp"

using namespace axelram::files;
namespace fs = std::filesystem;

TEST_CASE("a path has one canonical form, whether its file exists or not") {
  const ScratchFolder scratch;
  const std::string folder = canonical(scratch.path());
  fs::create_directory(folder + "/a");
  fs::create_directory_symlink(folder + "/a", folder + "/link");
  CHECK(canonical(folder + "/a/") == folder + "/a");
  CHECK(canonical(folder + "/a/../a/./x") == folder + "/a/x");
  CHECK(canonical(folder + "/link/x") == folder + "/a/x");
  CHECK(canonical(folder + "/none/../x/") == folder + "/x");
  CHECK(canonical("x") == canonical(".") + "/x");
  CHECK(canonical("/") == "/");
}

TEST_CASE("a folder holds itself and what is below it, and no neighbour of a like name") {
  CHECK(within("/a/b", "/a/b"));
  CHECK(within("/a/b/c", "/a/b"));
  CHECK(within("/a", "/"));
  CHECK_FALSE(within("/a/bc", "/a/b"));
  CHECK_FALSE(within("/a", "/a/b"));
}
