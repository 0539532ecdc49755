// SPDX-License-Identifier: Apache-2.0
// Messages of Protocol Buffers that lie in memory, field by field, without their descriptions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope::wire {

// The fields of one message. Does not own the bytes. A message that ends in the middle of a field, or has
// one of a kind that is none, sets `broken` and keeps what stands before: who reads many of them looks once,
// at the end.
class Message {
 public:
  Message(std::string_view bytes, bool& broken);

  bool has(int field) const { return find(field) != nullptr; }
  // Of a field that is there several times the last counts, as proto3 says.
  int64_t number(int field, int64_t otherwise = 0) const;
  double real(int field, double otherwise = 0) const;  // of a float, a double
  std::string_view bytes(int field) const;
  Message message(int field) const { return {bytes(field), *broken_}; }

  std::vector<Message> messages(int field) const;  // all of a repeated field
  std::vector<std::string_view> texts(int field) const;
  std::vector<int64_t> numbers(int field) const;  // packed or one by one

  // What of a repeated field of floats or doubles is there: their bits, packed or one by one.
  std::vector<uint64_t> fixed(int field, int bytes_each) const;

 private:
  enum class Kind : uint8_t { varint, fixed64, bytes, fixed32 };
  struct Field {
    int32_t number = 0;
    Kind kind = Kind::varint;
    uint64_t value = 0;      // of all but bytes
    std::string_view bytes;  // of bytes
  };
  const Field* find(int field) const;  // the last

  std::vector<Field> fields_;
  bool* broken_;
};

// Whether the bytes are a whole message, by its own account: fields of known kinds up to the end.
bool is_message(std::string_view bytes);

}  // namespace shardscope::wire
