// SPDX-License-Identifier: Apache-2.0
// One player for runs and kernels: steps, bounds, speed, motion.
#include "app/window/document/player.h"

#include "tests/app/window_fixture.h"

namespace shardscope::player_test {
namespace {

TEST(Player, StepsStayWithinTheirBounds) {
  Player player(0.01);
  player.stepBy(3);
  EXPECT_EQ(player.step(), 0) << "nothing to step through";
  player.setLast(4);
  player.stepBy(9);
  EXPECT_EQ(player.step(), 4);
  player.setStep(-1);
  EXPECT_EQ(player.step(), 0);
  player.setStep(3);
  player.setLast(2);
  EXPECT_EQ(player.step(), 2);
}

TEST(Player, SaysAChangeOnceAndNothingWithoutOne) {
  Player player(0.01);
  player.setLast(4);
  int changes = 0;
  QObject::connect(&player, &Player::changed, &player, [&] { ++changes; });
  player.setStep(2);
  player.setStep(2);
  EXPECT_EQ(changes, 1);
}

TEST(Player, PlaysToTheLastStepAndStops) {
  Player player(0.01);
  player.setLast(3);
  std::vector<bool> said;
  QObject::connect(&player, &Player::playingChanged, &player, [&](bool on) { said.push_back(on); });
  player.play(true);
  EXPECT_TRUE(player.playing());
  ASSERT_TRUE(wait_for([&] { return !player.playing(); }));
  EXPECT_EQ(player.step(), 3);
  EXPECT_EQ(player.fraction(), 1);
  EXPECT_EQ(said, (std::vector<bool>{true, false}));
  player.play(true);
  EXPECT_EQ(player.step(), 0) << "again from the first";
}

TEST(Player, ReducedMotionJumpsFromStepToStep) {
  for (const bool reduced : {false, true}) {
    Player player(0.1);
    player.setReduceMotion(reduced);
    player.setLast(2);
    bool between = false;
    QObject::connect(&player, &Player::changed, &player, [&] { between = between || player.fraction() < 1; });
    player.play(true);
    ASSERT_TRUE(wait_for([&] { return !player.playing(); }));
    EXPECT_EQ(between, !reduced);
  }
}

TEST(Player, NothingPlaysWithoutSteps) {
  Player player(0.01);
  player.play(true);
  EXPECT_FALSE(player.playing());
}

}  // namespace
}  // namespace shardscope::player_test
