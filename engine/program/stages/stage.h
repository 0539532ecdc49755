// SPDX-License-Identifier: Apache-2.0
// A module on its way from its text to its time: the program of each stage, the stage that it was made from,
// and which of its instructions are there for which of that one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/program/stages/shared_program.h"

namespace shardscope::inline program {

// In the order in which a module goes through them. Not every module goes through all.
enum class StageKind : unsigned char {
  module,
  propagated,
  resharded,    // by Shardy's partitioner: every change of a sharding is an instruction
  collectives,  // and every collective
  padded,       // and its arrays are as large as their shardings divide
  partitioned,
  backend,
  fused,
  timed
};
const char* name(StageKind kind);

// An instruction of a stage and one of the stage before that it is there for, by their numbers.
struct StageLink {
  int32_t made = 0, source = 0;
  bool operator==(const StageLink&) const = default;
};

// All links between two stages, looked up from either side; each once, in the order in which they were given.
class StageLinks {
 public:
  StageLinks() = default;
  explicit StageLinks(std::vector<StageLink> links);
  std::vector<int32_t> sources(int32_t made) const;
  std::vector<int32_t> made(int32_t source) const;
  bool empty() const { return by_made_.empty(); }
  bool operator==(const StageLinks&) const = default;

 private:
  std::vector<StageLink> by_made_, by_source_;
};

// What else is known of a stage stands in types made from this one, as Partitioned.
struct ModuleStage {
  StageKind kind = StageKind::module;
  SharedProgram program;
  std::shared_ptr<const ModuleStage> before{};  // null: it was read
  StageLinks links{};                           // to instructions of `before`
};
using StagePtr = std::shared_ptr<const ModuleStage>;

// A module as it was read.
StagePtr read_stage(Program module);

template <class S>
std::shared_ptr<const S> shared_stage(S stage) {
  return std::make_shared<const S>(std::move(stage));
}

// `last` or the nearest before it that is of that kind; null: there is none.
StagePtr stage_of(StagePtr last, StageKind kind);
// What was read.
StagePtr first_stage(StagePtr last);
const ModuleStage& first_stage(const ModuleStage& last);

// Instructions of `earlier` that one of `later` is there for; `later` comes from it. Each once.
std::vector<int32_t> sources_in(const ModuleStage& earlier, const ModuleStage& later, int32_t made);
// Instructions of `later` that are there for one of `earlier`.
std::vector<int32_t> made_in(const ModuleStage& later, const ModuleStage& earlier, int32_t source);
// The same by name; nothing for a name that is not there.
std::vector<std::string> sources_in(const ModuleStage& earlier, const ModuleStage& later,
                                    std::string_view made);
std::vector<std::string> made_in(const ModuleStage& later, const ModuleStage& earlier,
                                 std::string_view source);

// What people call what an instruction of a stage is there for in the module that was read; of several the
// first, of none its own name.
std::string display_name(const ModuleStage& stage, std::string_view instruction);

// Of a program that was written out of `before`'s in plainer operations or round by round: an instruction is
// there for the one that its provenance names.
StageLinks links_by_provenance(const SharedProgram& made, const SharedProgram& before);
// What instructions of `made` are called in the text that the module was read from: as the one of `before`
// that they are there for and of its operation, where no other of their operation is there for it too.
void take_text_names(const SharedProgram& before, const StageLinks& links, Program& made);
// Gives a stage another program, whose instructions are there for what those of the same names were.
void change_program(Program program, ModuleStage& stage);

}  // namespace shardscope::inline program
