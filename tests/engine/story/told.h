// SPDX-License-Identifier: Apache-2.0
// Runs whose story is told, for the tests of stories.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/story/story.h"
#include "engine/strategies/strategy.h"

namespace shardscope::story_test {

// A story and what it refers to.
struct Told {
  std::string name;  // "wang.os on row=2,col=4 by ring"
  StrategyKind kind = StrategyKind::matmul;
  Program program;
  Timeline timeline;
  Story story;
};
using ToldPtr = std::unique_ptr<const Told>;

// Timed on TPU v5e's links and told; none: it cannot be planned, timed or told, which `why` says.
ToldPtr told(std::string name, Program program,
             CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic, std::string* why = nullptr);
// A strategy on a mesh, of sizes that suit it.
ToldPtr told_strategy(const Strategy& strategy, const Mesh& mesh,
                      CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic,
                      std::string* why = nullptr);
// The same by its id, which must be there; a failure is the test's.
ToldPtr told_strategy(std::string_view id, std::string_view mesh,
                      CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic);
// The module on TPU v5e, as `hlo run` runs it.
ToldPtr told_module(const std::string& name, const std::string& text, std::string* why = nullptr);

// Every strategy on every mesh on which it can be planned, once for each way in which its collectives can go.
// Some in CI, all at night.
std::vector<std::string> meshes_to_try();
void for_each_run(const std::string& mesh, const std::function<void(const Told&)>& body);

}  // namespace shardscope::story_test
