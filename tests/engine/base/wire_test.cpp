// SPDX-License-Identifier: Apache-2.0
// Messages are read by the rules of the wire format, whoever wrote them.
#include "engine/base/file/wire.h"

#include <bit>
#include <gtest/gtest.h>
#include <string>

namespace shardscope::wire_test {
namespace {

using wire::Message;

// Field 1: 150 (the format's own example); field 2: "testing"; field 3 twice, one by one and packed.
const std::string kBytes = std::string("\x08\x96\x01\x12\x07testing\x18\x03\x1a\x04\x04\x05\x96\x01", 20);

TEST(Wire, AFieldIsANumberOrBytes) {
  bool broken = false;
  const Message m(kBytes, broken);
  EXPECT_FALSE(broken);
  EXPECT_EQ(m.number(1), 150);
  EXPECT_EQ(m.bytes(2), "testing");
  EXPECT_FALSE(m.has(4));
  EXPECT_EQ(m.number(4, 7), 7);
  EXPECT_EQ(m.number(2, 7), 7);  // no number
}

TEST(Wire, RepeatedNumbersAreReadPackedAndOneByOne) {
  bool broken = false;
  EXPECT_EQ(Message(kBytes, broken).numbers(3), (std::vector<int64_t>{3, 4, 5, 150}));
  EXPECT_FALSE(broken);
}

TEST(Wire, TheLastOfAFieldCounts) {
  bool broken = false;
  EXPECT_EQ(Message(std::string("\x08\x01\x08\x02", 4), broken).number(1), 2);
}

TEST(Wire, FloatsAreTheirBits) {
  bool broken = false;
  const std::string one("\x0d\x00\x00\x80\x3f", 5), two("\x11\x00\x00\x00\x00\x00\x00\x00\x40", 9);
  EXPECT_EQ(Message(one, broken).real(1), 1.0);
  EXPECT_EQ(Message(two, broken).real(2), 2.0);
  const std::string packed("\x0a\x08\x00\x00\x80\x3f\x00\x00\x00\x40", 10);
  EXPECT_EQ(Message(packed, broken).fixed(1, 4),
            (std::vector<uint64_t>{std::bit_cast<uint32_t>(1.0F), std::bit_cast<uint32_t>(2.0F)}));
  EXPECT_FALSE(broken);
}

TEST(Wire, WhatEndsInTheMiddleIsBroken) {
  for (size_t size = 1; size < kBytes.size(); ++size) {
    const std::string cut = kBytes.substr(0, size);
    const bool whole = size == 3 || size == 12 || size == 14;  // between fields
    EXPECT_EQ(wire::is_message(cut), whole) << size;
  }
  EXPECT_FALSE(wire::is_message("\x0b"));  // a group, which nobody writes any more
  bool broken = false;
  (void)Message(std::string("\x1a\x01\x96", 3), broken).numbers(3);  // the packed number has no end
  EXPECT_TRUE(broken);
}

}  // namespace
}  // namespace shardscope::wire_test
