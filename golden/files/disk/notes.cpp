#include "axelram/files/notes.hpp"

#include <mutex>
#include <utility>

namespace axelram::files {
namespace {

struct Notes {
  std::mutex mutex;
  NoteReceiver receiver;
};

Notes& notes() {
  static Notes notes;
  return notes;
}

}  // namespace

NoteReceiver receive_notes(NoteReceiver receiver) {
  const std::lock_guard<std::mutex> lock(notes().mutex);
  return std::exchange(notes().receiver, std::move(receiver));
}

void note(const std::string& line) {
  const std::lock_guard<std::mutex> lock(notes().mutex);
  if (notes().receiver) notes().receiver(line);
}

}  // namespace axelram::files
