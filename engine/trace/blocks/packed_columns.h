// SPDX-License-Identifier: Apache-2.0
// Columns of numbers as blobs of a workspace hold them: of each the width of its numbers, the least one, and
// how much each exceeds that, as little-endian numbers of so many bytes. Behind the last column of a text
// stand eight zeros, so that eight bytes can be read at any number.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace shardscope::inline trace {

void append_column(std::string& to, std::span<const int64_t> values);
void end_columns(std::string& to);

// One that is read where it stands.
class PackedColumn {
 public:
  // Becomes the column of `count` numbers that `from` begins with, and leaves the rest there. False: it is
  // damaged.
  bool take(std::string_view& from, size_t count);
  int64_t operator[](size_t i) const {
    uint64_t more = 0;
    std::memcpy(&more, begin_ + i * width_, sizeof(more));
    return static_cast<int64_t>(least_ + (more & mask_));
  }

 private:
  const char* begin_ = nullptr;
  size_t width_ = 0;
  uint64_t least_ = 0, mask_ = 0;
};

// All of one. False: it is damaged.
bool take_column(std::string_view& from, std::span<int64_t> values);
// Whether `from` is what end_columns() left.
bool at_end(std::string_view from);

// Where a text of columns stands alone it begins with how many numbers each of them has.
std::string counted_columns(size_t count);
// Takes the count away. False: it is damaged.
bool take_count(std::string_view& from, size_t& count);

}  // namespace shardscope::inline trace
