// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/stage_strip.h"

#include <algorithm>

#include "engine/backend/backend_passes.h"
#include "engine/base/say.h"
#include "engine/partition/entry/partition.h"
#include "engine/session/compiled/stage_clock.h"
#include "engine/session/hlo_explain.h"

namespace shardscope::inline session {
namespace {

std::vector<StagePtr> stages_to(const StagePtr& last) {
  std::vector<StagePtr> out;
  for (StagePtr stage = last; stage != nullptr; stage = stage->before) out.push_back(stage);
  std::ranges::reverse(out);
  return out;
}

// What a stage is called, and what it says of itself.
std::pair<std::string, std::vector<std::string>> told_by(const StagePtr& stage) {
  switch (stage->kind) {
    case StageKind::propagated:
      return {name(stage->kind), std::static_pointer_cast<const PropagatedModule>(stage)->notes};
    case StageKind::partitioned:
      return {name(stage->kind), std::static_pointer_cast<const Partitioned>(stage)->notes};
    case StageKind::backend: {
      const auto pass = std::static_pointer_cast<const BackendPass>(stage);
      return {pass->pass, pass->said};
    }
    case StageKind::timed:
      return {name(stage->kind), {said("as it is timed: with the kernels that the chip's compiler makes")}};
    default:
      return {name(stage->kind), {}};
  }
}

int64_t collectives_in(const Program& program) {
  int64_t out = 0;
  for (const Computation& c : program.computations)
    out += std::ranges::count_if(c.instructions, is_communication);
  return out;
}

// Stages by their places in the strip: of one that was left out that of the one before it.
class StripMaker {
 public:
  Result<void> add(const StagePtr& stage, bool may_go, const std::stop_token& stop) {
    auto [title, said] = told_by(stage);
    StripStage made{stage, std::move(title), std::move(said)};
    if (stage->before != nullptr) {
      made.before = place_of(*stage->before);
      TRY(made.from, match_stages(*strip_[static_cast<size_t>(made.before)].stage, *stage, stop));
      made.added = made.from.after.count(Fate::alone);
      made.changed = made.from.after.count(Fate::changed);
      made.gone = made.from.before.count(Fate::alone);
    }
    if (may_go && made.before >= 0 && made.from.equal()) {
      idle_.push_back(say("{} had nothing to do", made.title));
      places_.emplace_back(stage.get(), made.before);
      return {};
    }
    made.said.insert(made.said.begin(), idle_.begin(), idle_.end());
    idle_.clear();
    made.instructions = stage->program->instruction_count();
    made.collectives = collectives_in(*stage->program);
    places_.emplace_back(stage.get(), static_cast<int>(strip_.size()));
    strip_.push_back(std::move(made));
    return {};
  }
  // What passes say that came last and did nothing belongs to what they left as it was.
  StageStrip strip() && {
    if (!strip_.empty()) {
      auto& said = strip_.back().said;
      said.insert(said.end(), idle_.begin(), idle_.end());
    }
    return std::move(strip_);
  }

 private:
  int place_of(const ModuleStage& stage) const {
    for (const auto& [known, place] : places_)
      if (known == &stage) return place;
    return 0;
  }
  StageStrip strip_;
  std::vector<std::string> idle_;
  std::vector<std::pair<const ModuleStage*, int>> places_;
};

}  // namespace

Result<StageStrip> strip_of(const StagePtr& last, CompileAs as, const Hardware& hardware,
                            const std::stop_token& stop) {
  StripMaker maker;
  const auto partitioned = partitioned_stage(last);
  for (const StagePtr& stage : stages_to(last)) {
    if (stop.stop_requested()) return cancelled();
    TRY_VOID(maker.add(stage, stage->kind == StageKind::backend, stop));
    if (stage != StagePtr(partitioned) || !has_passes(as)) continue;
    if (stage_of(last, StageKind::backend) != nullptr) continue;
    TRY(const auto passes,
        backend_passes(partitioned, {as, {}, hardware, stage_clock(hardware, stop), stop}));
    for (const auto& pass : passes_of(passes)) TRY_VOID(maker.add(pass, true, stop));
  }
  return std::move(maker).strip();
}

}  // namespace shardscope::inline session
