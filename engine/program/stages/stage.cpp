// SPDX-License-Identifier: Apache-2.0
#include "engine/program/stages/stage.h"

#include <algorithm>
#include <unordered_set>

#include "engine/base/check.h"

namespace shardscope::inline program {
namespace {

// Stable, so that links of one side stay in the order in which they were given.
std::vector<StageLink> sorted_by(std::vector<StageLink> links, int32_t StageLink::*side) {
  std::ranges::stable_sort(links, {}, side);
  return links;
}

// The other side of all links whose `side` is that instruction, each once.
std::vector<int32_t> linked(const std::vector<StageLink>& links, int32_t StageLink::*side,
                            int32_t StageLink::*other, int32_t instruction) {
  std::vector<int32_t> out;
  for (auto link = std::ranges::lower_bound(links, instruction, {}, side);
       link != links.end() && (*link).*side == instruction; ++link)
    if (std::ranges::count(out, (*link).*other) == 0) out.push_back((*link).*other);
  return out;
}

template <class Step>
std::vector<int32_t> one_on(const std::vector<int32_t>& from, const Step& step) {
  std::vector<int32_t> out;
  std::unordered_set<int32_t> seen;
  for (const int32_t each : from)
    for (const int32_t next : step(each))
      if (seen.insert(next).second) out.push_back(next);
  return out;
}

std::vector<std::string> names_of(const SharedProgram& program, const std::vector<int32_t>& numbers) {
  std::vector<std::string> out;
  for (const int32_t number : numbers) out.push_back(program.at(number).name);
  return out;
}

// By their numbers.
std::vector<Instruction*> numbered_instructions(Program& program) {
  std::vector<Instruction*> out;
  for (Computation& c : program.computations)
    for (Instruction& i : c.instructions) out.push_back(&i);
  return out;
}

}  // namespace

StageLinks::StageLinks(std::vector<StageLink> links)
    : by_made_(sorted_by(links, &StageLink::made)),
      by_source_(sorted_by(std::move(links), &StageLink::source)) {}

std::vector<int32_t> StageLinks::sources(int32_t made) const {
  return linked(by_made_, &StageLink::made, &StageLink::source, made);
}

std::vector<int32_t> StageLinks::made(int32_t source) const {
  return linked(by_source_, &StageLink::source, &StageLink::made, source);
}

const char* name(StageKind kind) {
  constexpr const char* kNames[] = {"module",      "propagated", "resharded", "collectives", "padded",
                                    "partitioned", "backend",    "fused",     "timed"};
  return kNames[static_cast<size_t>(kind)];
}

StagePtr read_stage(Program module) {
  return shared_stage(ModuleStage{StageKind::module, SharedProgram(std::move(module))});
}

StagePtr stage_of(StagePtr last, StageKind kind) {
  while (last != nullptr && last->kind != kind) last = last->before;
  return last;
}

StagePtr first_stage(StagePtr last) {
  while (last->before != nullptr) last = last->before;
  return last;
}

const ModuleStage& first_stage(const ModuleStage& last) {
  const ModuleStage* stage = &last;
  while (stage->before != nullptr) stage = stage->before.get();
  return *stage;
}

std::vector<int32_t> sources_in(const ModuleStage& earlier, const ModuleStage& later, int32_t made) {
  std::vector<int32_t> out{made};
  for (const ModuleStage* stage = &later; stage != &earlier; stage = stage->before.get()) {
    CHECK(stage->before != nullptr);
    out = one_on(out, [&](int32_t each) { return stage->links.sources(each); });
  }
  return out;
}

std::vector<int32_t> made_in(const ModuleStage& later, const ModuleStage& earlier, int32_t source) {
  if (&later == &earlier) return {source};
  CHECK(later.before != nullptr);
  return one_on(made_in(*later.before, earlier, source),
                [&](int32_t each) { return later.links.made(each); });
}

std::vector<std::string> sources_in(const ModuleStage& earlier, const ModuleStage& later,
                                    std::string_view made) {
  const auto number = later.program.number_of(made);
  return number ? names_of(earlier.program, sources_in(earlier, later, *number)) : std::vector<std::string>();
}

std::vector<std::string> made_in(const ModuleStage& later, const ModuleStage& earlier,
                                 std::string_view source) {
  const auto number = earlier.program.number_of(source);
  return number ? names_of(later.program, made_in(later, earlier, *number)) : std::vector<std::string>();
}

std::string display_name(const ModuleStage& stage, std::string_view instruction) {
  const ModuleStage& first = first_stage(stage);
  const auto number = stage.program.number_of(instruction);
  const std::vector<int32_t> sources = number ? sources_in(first, stage, *number) : std::vector<int32_t>();
  return sources.empty() ? std::string(instruction) : display_name(first.program.at(sources.front()));
}

StageLinks links_by_provenance(const SharedProgram& made, const SharedProgram& before) {
  std::vector<StageLink> links;
  int32_t number = 0;
  for (const Computation& c : made->computations) {
    for (const Instruction& i : c.instructions) {
      auto source = before.number_of(source_name(i));
      if (!source) source = before.number_of(i.name);
      if (source) links.push_back({number, *source});
      ++number;
    }
  }
  return StageLinks(std::move(links));
}

void take_text_names(const SharedProgram& before, const StageLinks& links, Program& made) {
  const auto instructions = numbered_instructions(made);
  for (size_t k = 0; k < instructions.size(); ++k) {
    Instruction& i = *instructions[k];
    i.text_name = {};
    const std::vector<int32_t> sources = links.sources(static_cast<int32_t>(k));
    if (sources.empty()) continue;
    const Instruction& source = before.at(sources.front());
    if (source.text_name.empty() || source.opcode != i.opcode) continue;
    const std::vector<int32_t> all = links.made(sources.front());
    const auto is_alike = [&](int32_t other) {
      return instructions[static_cast<size_t>(other)]->opcode == i.opcode;
    };
    if (std::ranges::count_if(all, is_alike) == 1) i.text_name = source.text_name;
  }
}

void change_program(Program program, ModuleStage& stage) {
  const SharedProgram changed(std::move(program));
  std::vector<StageLink> links;
  int32_t number = 0;
  for (const Computation& c : changed->computations) {
    for (const Instruction& i : c.instructions) {
      if (const auto same = stage.program.number_of(i.name))
        for (const int32_t source : stage.links.sources(*same)) links.push_back({number, source});
      ++number;
    }
  }
  stage.program = changed;
  stage.links = StageLinks(std::move(links));
}

}  // namespace shardscope::inline program
