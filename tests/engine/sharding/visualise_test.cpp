// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/visualise.h"

#include <gtest/gtest.h>

namespace shardscope::visualise_test {
namespace {

std::string drawing(const char* mesh, const char* spec, const std::vector<int64_t>& global) {
  return visualise(*NamedSharding::make(*Mesh::parse(mesh), *PartitionSpec::parse(spec)), global);
}

TEST(Visualise, a_matrix_is_a_grid_of_device_ids) {
  EXPECT_EQ(drawing("a=2,b=2", "P('b','a')", {4, 8}),
            "      0:4   4:8\n"
            "    ┌─────┬─────┐\n"
            "0:2 │ 0   │ 2   │\n"
            "    ├─────┼─────┤\n"
            "2:4 │ 1   │ 3   │\n"
            "    └─────┴─────┘\n");
}

TEST(Visualise, replicas_share_a_cell) {
  EXPECT_EQ(drawing("a=2,b=2", "P('a')", {6}),
            "  0:3   3:6\n"
            "┌─────┬─────┐\n"
            "│ 0,1 │ 2,3 │\n"
            "└─────┴─────┘\n");
  EXPECT_EQ(drawing("a=2,b=2", "P()", {}), "┌─────────┐\n│ 0,1,2,3 │\n└─────────┘\n");
}

TEST(Visualise, further_dimensions_are_labelled_slices) {
  EXPECT_EQ(drawing("a=2,b=2", "P('a',None,'b')", {2, 3, 4}),
            "[0:1, :, :]\n      0:2   2:4\n    ┌─────┬─────┐\n0:3 │ 0   │ 1   │\n    └─────┴─────┘\n"
            "[1:2, :, :]\n      0:2   2:4\n    ┌─────┬─────┐\n0:3 │ 2   │ 3   │\n    └─────┴─────┘\n");
}

TEST(Visualise, padding_of_tiles_is_shown) {
  EXPECT_EQ(visualise(*HloSharding::parse("{devices=[4]<=[4]}"), {5}),
            "  0:2   2:4   4:5 +1   all padding +2\n"
            "┌─────┬─────┬────────┬────────────────┐\n"
            "│ 0   │ 1   │ 2      │ 3              │\n"
            "└─────┴─────┴────────┴────────────────┘\n");
}

TEST(Visualise, big_grids_are_cut_and_say_so) {
  const std::string text = drawing("a=512,b=512", "P('a','b')", {1024, 1024});
  EXPECT_LT(text.size(), 40000u);
  EXPECT_NE(text.find("… and 480 more rows"), std::string::npos);
  EXPECT_NE(text.find("… and 496 more columns"), std::string::npos);
  EXPECT_NE(drawing("a=4096", "P()", {4}).find("0,1,2,…,4095 (4,096 devices)"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::visualise_test
