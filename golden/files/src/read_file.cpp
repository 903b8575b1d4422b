#include "read_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "open_file.hpp"

namespace axelram::files {
std::vector<std::uint8_t> read_file(const std::string& path, std::size_t limit) {
  const OpenFile file(path);
  const auto too_long = [&] {
    return InputError(printable(path) + ": longer than " + std::to_string(limit) +
                      " bytes; such a file is a few lines long");
  };
  try {
    std::vector<std::uint8_t> content;
    // One byte more than expected, so that the end shows without a second allocation. A pipe, and a
    // file that grows or hides its size (as in /proc), is read in steps.
    std::size_t step =
        S_ISREG(file.status().st_mode) ? static_cast<std::size_t>(file.status().st_size) + 1 : 0;
    for (std::size_t used = 0;;) {
      if (used == content.size()) {
        const std::size_t room = used + std::max(step, std::max<std::size_t>(4096, used / 2));
        content.resize(limit == 0 ? room : std::min(room, limit + 1));
        step = 0;
      }
      const ssize_t got = ::read(file.descriptor(), content.data() + used, content.size() - used);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        throw EnvironmentError(printable(path) + ": " + std::strerror(errno) + "; reading failed");
      used += static_cast<std::size_t>(got);
      if (limit != 0 && used > limit) throw too_long();
      if (got == 0) {
        content.resize(used);
        return content;
      }
    }
  } catch (const std::bad_alloc&) {
    throw EnvironmentError(printable(path) + ": does not fit into memory; free some memory");
  } catch (const std::length_error&) {
    throw EnvironmentError(printable(path) + ": does not fit into memory; free some memory");
  }
}

}  // namespace axelram::files
