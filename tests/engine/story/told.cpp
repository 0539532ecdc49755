// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/story/told.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

#include "engine/program/text/hlo_text.h"
#include "engine/schedule/schedule.h"
#include "engine/session/hlo_run.h"

namespace shardscope::story_test {
namespace {

constexpr CollectiveAlgorithm kAlgorithms[] = {
#define ALGORITHM(enumerator, ...) CollectiveAlgorithm::enumerator,
#include "engine/collectives/algorithms.def"
#undef ALGORITHM
};

ToldPtr refused(const Error& error, std::string* why) {
  if (why != nullptr) *why = error.text();
  return nullptr;
}

ToldPtr tell_of(std::unique_ptr<Told> out, std::string* why) {
  Result<Story> story = tell(out->program, out->timeline);
  if (!story.ok()) return refused(story.error(), why);
  out->story = *std::move(story);
  return out;
}

// Sizes that every split of the mesh divides; a Gram matrix is square.
std::vector<MatmulProblem> problems_for(const Mesh& mesh) {
  int64_t unit = 1;
  for (const MeshAxis& axis : mesh.axes()) unit = std::lcm(unit, axis.size);
  for (const int64_t each = unit; 2 * unit < mesh.device_count();) unit += each;
  return {{4 * unit, 8 * unit, 12 * unit}, {8 * unit, 8 * unit, 8 * unit}};
}

}  // namespace

ToldPtr told(std::string name, Program program, CollectiveAlgorithm algorithm, std::string* why) {
  auto out = std::make_unique<Told>();
  out->name = std::move(name);
  out->program = std::move(program);
  ScheduleOptions options;
  options.collective = algorithm;
  Result<Timeline> timeline = schedule(out->program, *find_hardware("tpu-v5e"), options, {});
  if (!timeline.ok()) return refused(timeline.error(), why);
  out->timeline = *std::move(timeline);
  return tell_of(std::move(out), why);
}

ToldPtr told_strategy(const Strategy& strategy, const Mesh& mesh, CollectiveAlgorithm algorithm,
                      std::string* why) {
  for (const MatmulProblem& problem : problems_for(mesh)) {
    Result<Program> program = strategy.plan(mesh, problem, {});
    if (!program.ok()) {
      if (why != nullptr) *why = program.error().text();
      continue;
    }
    ToldPtr out = told(fmt::format("{} on {} by {}", strategy.id, mesh.text(), shardscope::name(algorithm)),
                       *std::move(program), algorithm, why);
    if (out) const_cast<Told&>(*out).kind = strategy.kind;
    return out;
  }
  return nullptr;
}

ToldPtr told_strategy(std::string_view id, std::string_view mesh, CollectiveAlgorithm algorithm) {
  const auto strategy = find_strategy(id);
  const auto parsed = Mesh::parse(mesh);
  std::string why = "no such strategy or mesh";
  ToldPtr out = strategy.ok() && parsed.ok() ? told_strategy(**strategy, *parsed, algorithm, &why) : nullptr;
  EXPECT_NE(out, nullptr) << id << " on " << mesh << ": " << why;
  return out;
}

ToldPtr told_module(const std::string& name, const std::string& text, std::string* why) {
  const Result<HloText> module = read_hlo(text, name);  // which may be cut off
  if (!module.ok()) return refused(module.error(), why);
  ModuleRunOptions options;
  options.check = CheckMode::off;
  options.asked["compile-as"] = "none";  // stories of the operations themselves
  const Result<ModuleRun> made = execute_module(module->program, options, {});
  if (!made.ok()) return refused(made.error(), why);
  auto out = std::make_unique<Told>();
  out->name = name;
  out->kind = StrategyKind::example;
  out->program = made->run->program;
  out->timeline = made->run->timeline;
  return tell_of(std::move(out), why);
}

std::vector<std::string> meshes_to_try() {
#ifdef SHARDSCOPE_NIGHTLY
  return {"row=1,col=1",
          "row=1,col=2",
          "row=1,col=4",
          "row=4,col=1",
          "row=1,col=8",
          "row=8,col=1",
          "row=2,col=2",
          "row=2,col=3",
          "row=3,col=2",
          "row=3,col=3",
          "row=2,col=4",
          "row=4,col=2",
          "row=5,col=1",
          "row=1,col=6",
          "row=4,col=4",
          "row=2,col=8",
          "row=1,col=16",
          "row=16,col=1",
          "row=4",
          "row=8",
          "row=3",
          "row=16",
          "row=2,col=2,depth=2",
          "row=2,col=2,depth=4",
          "row=2,col=4,depth=2"};
#elif defined(__SANITIZE_ADDRESS__)  // fifteen times as slow
  return {"row=2,col=2", "row=3,col=2", "row=3", "row=2,col=2,depth=2"};
#else
  return {"row=2,col=2", "row=1,col=4", "row=4,col=1", "row=3,col=2", "row=3,col=3",        "row=2,col=4",
          "row=4,col=2", "row=4,col=4", "row=8",       "row=3",       "row=2,col=2,depth=2"};
#endif
}

void for_each_run(const std::string& mesh_text, const std::function<void(const Told&)>& body) {
  const Mesh mesh = *Mesh::parse(mesh_text);
  for (const Strategy& strategy : strategies()) {
    std::set<std::vector<std::string>> seen;  // what each of the program's collectives went by
    for (const CollectiveAlgorithm algorithm : kAlgorithms) {
      const ToldPtr run = told_strategy(strategy, mesh, algorithm);
      if (!run) continue;
      std::vector<std::string> went_by;
      for (const TimedCollective& c : run->timeline.schedules) went_by.push_back(c.algorithm);
      if (seen.insert(went_by).second) body(*run);
    }
  }
}

}  // namespace shardscope::story_test
