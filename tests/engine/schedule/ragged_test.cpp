// SPDX-License-Identifier: Apache-2.0
// Times of ragged exchanges by hand: rows of 4 KiB go straight to where they belong.
#include <numeric>

#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::ragged_test {
namespace {

constexpr double kRow = 4096;  // bytes

using Sizes = std::vector<std::vector<int64_t>>;  // [from][to]

// One ragged-all-to-all over axis x, of rows in the order of their targets.
Program exchange(const Mesh& m, const Sizes& sizes) {
  const size_t n = sizes.size();
  Sizes starts = sizes, targets = sizes, received = sizes;
  int64_t sent_most = 1, received_most = 1;
  for (size_t i = 0; i < n; ++i) {
    int64_t from = 0, to = 0;
    for (size_t j = 0; j < n; ++j) {
      starts[i][j] = from;
      targets[j][i] = to;
      received[i][j] = sizes[j][i];
      from += sizes[i][j];
      to += sizes[j][i];
    }
    sent_most = std::max(sent_most, from);
    received_most = std::max(received_most, to);
  }
  SpmdBuilder b("exchange", m, {64, 64, 64}, {{"x", "x"}});
  const auto devices = static_cast<int64_t>(n), width = static_cast<int64_t>(kRow / 4);
  Value v = b.input(ArrayRole::lhs, {devices * sent_most, width}, P("x", ""));
  const SpmdBuilder::RaggedTables tables{b.table_row(starts, "x"), b.table_row(sizes, "x"),
                                         b.table_row(targets, "x"), b.table_row(received, "x")};
  v = b.ragged_all_to_all(v, b.zeros({received_most, width}), "x", tables);
  auto program = b.finish(v, ArrayRole::lhs, {devices * received_most, width}, P("x", ""));
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

// Two devices send at the same time; the longer message decides.
TEST(RaggedTime, OfTwoIsTheLongerMessage) {
  expect_time(run(exchange(mesh("x=2", false), {{7, 300}, {120, 9}})).total, kAlpha + 300 * kRow / kBeta,
              "two");
}

// 0 sends 200 rows to 1 and 90 to 2, over the same first link, on which they queue up, α each; α later they
// go on over the next one, from which the rows of 1 to 2 are gone by then.
TEST(RaggedTime, RowsForTwoHopsQueueBehindThoseForOne) {
  const Sizes sizes = {{0, 200, 90, 0}, {0, 0, 50, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  const Timeline t = run(exchange(mesh("x=4"), sizes));
  expect_time(t.total, (kAlpha + 200 * kRow / kBeta) + (2 * kAlpha + 90 * kRow / kBeta), "ring");
  EXPECT_EQ(t.collectives.at(0).algorithm, "direct");
}

// Through a switch a device sends all its rows one after the other: the fullest sender decides.
TEST(RaggedTime, OfASwitchIsThatOfTheFullestSender) {
  Hardware h = chip();
  h.topology = Topology::switch_;
  const Sizes sizes = {{5, 0, 0, 0}, {100, 0, 20, 0}, {60, 0, 0, 20}, {240, 10, 0, 0}};
  expect_time(run(exchange(mesh("x=4", false), sizes), h).total, kAlpha + (240 + 10) * kRow / kBeta,
              "switch");
}

// Equal sizes are the all-to-all that it then is.
TEST(RaggedTime, OfEqualSizesIsThatOfAnAllToAll) {
  const Sizes even(8, std::vector<int64_t>(8, 32));
  const Timeline ragged = run(exchange(mesh("x=8"), even));
  SpmdBuilder b("even", mesh("x=8"), {64, 64, 64}, {{"x", "x"}});
  Value v = b.input(ArrayRole::lhs, {8 * 256, static_cast<int64_t>(kRow / 4)}, P("x", ""));
  v = b.all_to_all(v, "x", 0);
  const auto program = b.finish(v, ArrayRole::lhs, {8 * 256, static_cast<int64_t>(kRow / 4)}, P("x", ""));
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(ragged.total, run(*program, chip(), CollectiveAlgorithm::direct).total);
}

// There, the products of the fullest device, and back.
TEST(RaggedTime, ExpertParallelSaysWhichDeviceItsProductsAreTimedOn) {
  const Program program = plan("moe.expert_parallel", mesh("x=4"), {4096, 512, 512});
  const Timeline t = run(program);
  EXPECT_EQ(std::count(t.assumptions.begin(), t.assumptions.end(),
                       "a grouped product takes as long on every device as on the one with the most rows"),
            1);
}

}  // namespace
}  // namespace shardscope::schedule_test::ragged_test
