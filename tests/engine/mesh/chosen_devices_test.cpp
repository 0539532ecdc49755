// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/chosen_devices.h"

#include <functional>
#include <gtest/gtest.h>

namespace shardscope::chosen_devices_test {
namespace {

const Mesh& mesh() {
  static const Mesh kMesh = *Mesh::parse("row=4,col=8");
  return kMesh;
}

std::vector<int32_t> where(const std::function<bool(int64_t row, int64_t col)>& holds) {
  std::vector<int32_t> out;
  for (int32_t d = 0; d < 32; ++d)
    if (holds(d / 8, d % 8)) out.push_back(d);
  return out;
}

std::string refusal(std::string_view text) {
  const auto devices = chosen_devices(mesh(), text);
  return devices.ok() ? "none" : devices.error().what;
}

TEST(ChosenDevices, NothingSaidIsAllOfThem) {
  for (const char* text : {"", "  ", "\t"})
    EXPECT_EQ(*chosen_devices(mesh(), text), where([](int64_t, int64_t) { return true; }));
}

TEST(ChosenDevices, AnAxisHasNumbersAndRanges) {
  EXPECT_EQ(*chosen_devices(mesh(), "row=0"), where([](int64_t r, int64_t) { return r == 0; }));
  EXPECT_EQ(*chosen_devices(mesh(), "col=2..5"), where([](int64_t, int64_t c) { return c >= 2 && c <= 5; }));
  EXPECT_EQ(*chosen_devices(mesh(), "col=0,6..7"), where([](int64_t, int64_t c) { return c == 0 || c > 5; }));
}

TEST(ChosenDevices, SeveralAxesHoldTogether) {
  const auto wanted = where([](int64_t r, int64_t c) { return (r == 0 || r == 3) && c == 1; });
  for (const char* text : {"row=0,3 col=1", "row=0,3,col=1", " row = 0 , 3  col = 1 ", "col=1 row=3,0"})
    EXPECT_EQ(*chosen_devices(mesh(), text), wanted) << text;
}

TEST(ChosenDevices, AListHasNumbersAndPlaces) {
  const std::vector<int32_t> wanted{7, 12, 13, 14, 25};
  for (const char* text :
       {"7 12..14 25", "7,12..14,25", "(0,7) (1,4) (1,5) 14 (3,1)", "(0, 7),12 .. 14,(3,1)"})
    EXPECT_EQ(*chosen_devices(mesh(), text), wanted) << text;
  EXPECT_EQ(*chosen_devices(mesh(), "row=1 0..15"), where([](int64_t r, int64_t) { return r == 1; }));
}

TEST(ChosenDevices, WhatIsMalformedIsRefusedWithItsReason) {
  EXPECT_EQ(refusal("rwo=0"), "the mesh row=4,col=8 has no axis 'rwo'");
  EXPECT_EQ(refusal("row=4"), "row 4 is not there, expected 0 to 3");
  EXPECT_EQ(refusal("row=-1"), "row -1 is not there, expected 0 to 3");
  EXPECT_EQ(refusal("row="), "'' is not a number or range of row");
  EXPECT_EQ(refusal("row=x"), "'x' is not a number or range of row");
  EXPECT_EQ(refusal("col=5..2"), "'5..2' runs backwards");
  EXPECT_EQ(refusal("col=1..2..3"), "'1..2..3' is not a number or range of col");
  EXPECT_EQ(refusal("row=0 row=1"), "axis 'row' is there twice");
  EXPECT_EQ(refusal("32"), "device 32 is not there, expected 0 to 31");
  EXPECT_EQ(refusal("(0,1"), "'(0,1' has no closing bracket");
  EXPECT_EQ(refusal("(0)"), "'(0)' has 1 coordinates, the mesh row=4,col=8 has 2 axes");
  EXPECT_EQ(refusal("(0,1)3"), "'3' follows '(0,1)'");
  EXPECT_EQ(refusal("row=0,"), "a comma at the end");
  EXPECT_EQ(refusal("row=0 (1,1)"), "no device of row=4,col=8 is 'row=0 (1,1)'");
  EXPECT_EQ(refusal(std::string(5000, '1')), "the text has 5000 characters, expected at most 4096");
}

}  // namespace
}  // namespace shardscope::chosen_devices_test
