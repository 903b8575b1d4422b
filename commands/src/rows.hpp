#pragma once

#include <cstddef>

#include "axelram/tokens/text.hpp"

namespace axelram::commands {

/// The text as rows of `window` ids, texts of their own. bos: its first id is BOS, and each row
/// shall begin with it. Ids that fill no row are left out. Throws files::InputError if none is
/// filled.
tokens::TokenText in_rows(const tokens::TokenText& text, std::size_t window, bool bos);

}  // namespace axelram::commands
