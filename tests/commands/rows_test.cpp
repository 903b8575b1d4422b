#include "rows.hpp"

#include "check.hpp"
#include "files/support.hpp"

using namespace axelram;
using commands::in_rows;

namespace {

tokens::TokenText text_of(std::size_t count, bool bytes) {
  tokens::TokenText text;
  for (std::size_t i = 0; i < count; ++i) {
    text.ids.push_back(static_cast<std::int32_t>(100 + i));
    if (bytes) text.bytes.push_back(static_cast<std::uint32_t>(i));
  }
  text.columns = count;
  return text;
}

}  // namespace

TEST_CASE("rows of a text: each id once, the rest left out") {
  const tokens::TokenText rows = in_rows(text_of(11, true), 4, false);
  CHECK(rows.separate);
  CHECK(rows.rows == 2);
  CHECK(rows.columns == 4);
  CHECK_SAME(rows.ids, std::vector<std::int32_t>{100, 101, 102, 103, 104, 105, 106, 107});
  CHECK_SAME(rows.bytes, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(in_rows(text_of(8, false), 4, false).rows == 2);
  CHECK(in_rows(text_of(8, false), 4, false).bytes.empty());
}

TEST_CASE("rows of a text: each begins with BOS") {
  const tokens::TokenText rows = in_rows(text_of(8, true), 4, true);
  CHECK(rows.rows == 2);
  CHECK_SAME(rows.ids, std::vector<std::int32_t>{100, 101, 102, 103, 100, 104, 105, 106});
  CHECK_SAME(rows.bytes, std::vector<std::uint32_t>{0, 1, 2, 3, 0, 4, 5, 6});
  CHECK(in_rows(text_of(7, true), 4, true).rows == 2);
  CHECK(in_rows(text_of(6, true), 4, true).rows == 1);
}

TEST_CASE("rows of a text that fills none") {
  CHECK(test::contains(test::message([] { in_rows(text_of(3, false), 4, false); }),
                       "--separate: 3 tokens fill no window of 4"));
  CHECK(in_rows(text_of(4, false), 4, true).rows == 1);
  CHECK(test::message([] { in_rows(text_of(3, false), 4, true); }) != "");
}
