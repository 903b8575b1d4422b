#pragma once

#include <functional>
#include <string>

namespace axelram::files {

/// Receives what readers state beside their result, on one line: the new name of a key.
using NoteReceiver = std::function<void(const std::string& line)>;

/// Sets the receiver of all notes of the process and returns the one before. Without a receiver, as
/// at first, notes are dropped.
NoteReceiver receive_notes(NoteReceiver receiver);

/// Passes a line to the receiver. Safe in several threads.
void note(const std::string& line);

}  // namespace axelram::files
