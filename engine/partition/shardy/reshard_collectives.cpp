// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "engine/partition/shardy/explicit_reshards.h"
#include "engine/partition/shardy/fitted_writer.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/sharding/shardy_steps.h"

namespace shardscope::inline partitioner {
namespace {

// What Shardy calls it.
const char* word_of(StepKind kind) {
  switch (kind) {
    case StepKind::slice:
      return "all_slice";
    case StepKind::permute:
      return "collective_permute";
    case StepKind::exchange:
      return "all_to_all";
    case StepKind::gather:
      return "all_gather";
    case StepKind::reduce_scatter:
      return "reduce_scatter";
    case StepKind::all_reduce:
      return "all_reduce";
    case StepKind::make_partial:
      return "replicated_to_unreduced";
  }
  return "";
}

class StepsOfComputation {
 public:
  StepsOfComputation(const FittedModule& before, const Computation& from, FittedWriter& writer)
      : before_(before),
        from_(from),
        writer_(writer),
        readers_(from.instructions.size()),
        scattered_(from.instructions.size()) {
    for (size_t k = 0; k < from.instructions.size(); ++k)
      for (const InstructionId operand : from.instructions[k].operands)
        readers_[static_cast<size_t>(operand.value)].push_back(k);
    readers_[static_cast<size_t>(from.root.value)].push_back(from.instructions.size());
    for (const Instruction& i : from.instructions) steps_.push_back(steps_of(i));
  }

  Result<Computation> run(const std::stop_token& stop) {
    for (size_t k = 0; k < from_.instructions.size(); ++k) {
      if (stop.stop_requested()) return cancelled();
      const Instruction& i = from_.instructions[k];
      if (before_.moves.contains(i.name)) {
        TRY_VOID(reshard(k));
        continue;
      }
      Instruction made = i;
      for (InstructionId& operand : made.operands) operand = made_[static_cast<size_t>(operand.value)];
      made_.push_back(writer_.add(page_, std::move(made), i.name));
    }
    const InstructionId root = made_[static_cast<size_t>(from_.root.value)];
    Computation out = std::move(page_).close(from_, root);
    remove_dead(out);
    return out;
  }

 private:
  const ReshardMove* move_of(const Instruction& i) const {
    const auto found = before_.moves.find(i.name);
    return found == before_.moves.end() ? nullptr : &found->second;
  }

  std::vector<SplitStep> steps_of(const Instruction& i) const {
    const ReshardMove* move = move_of(i);
    if (move == nullptr) return {};
    return *shardy_steps(move->from, move->to, writer_.made().mesh, i.shape.dims);
  }

  // All that read a sum slice it alike at first: the slice.
  const SplitStep* slice_behind(size_t k) const {
    const SplitStep* out = nullptr;
    for (const size_t reader : readers_[k]) {
      if (reader >= steps_.size() || steps_[reader].empty()) return nullptr;
      const SplitStep& first = steps_[reader].front();
      if (first.kind != StepKind::slice || (out != nullptr && !(*out == first))) return nullptr;
      out = &first;
    }
    return out;
  }

  Result<void> reshard(size_t k) {
    const Instruction& i = from_.instructions[k];
    const auto operand = static_cast<size_t>(i.operands[0].value);
    const Opcode combining = move_of(i)->combining;
    InstructionId id = made_[operand];
    const std::optional<ScatteredSum>& behind = scattered_[operand];
    std::vector<SplitStep> steps = std::move(steps_[k]);
    if (behind) {
      steps.erase(steps.begin());
      if (behind->rest) steps.insert(steps.begin(), *behind->rest);
    }
    if (steps.size() == 1 && steps[0].kind == StepKind::all_reduce) {
      const SplitStep* slice = slice_behind(k);
      if (slice != nullptr) {
        if (auto scattered = scattered_sum(steps[0], *slice)) {
          steps[0] = scattered->scatter;
          scattered_[k] = *std::move(scattered);
        }
      }
    }
    for (SplitStep& step : steps) {
      TRY(id, writer_.add_copy(page_, id, step.to, word_of(step.kind), i));
      writer_.made().steps[page_.at(id).name] = {std::move(step), combining};
    }
    made_.push_back(id);
    return {};
  }

  const FittedModule& before_;
  const Computation& from_;
  FittedWriter& writer_;
  FittedPage page_;
  std::vector<std::vector<size_t>> readers_;  // by instruction; one past the last: it is the root
  std::vector<std::vector<SplitStep>> steps_;
  std::vector<InstructionId> made_;
  std::vector<std::optional<ScatteredSum>> scattered_;
};

}  // namespace

Result<FittedModule> reshards_to_collectives(const std::shared_ptr<const FittedModule>& resharded,
                                             std::stop_token stop) {
  FittedWriter writer(resharded, StageKind::collectives, resharded->mesh);
  writer.made().devices = resharded->devices;
  writer.made().local = resharded->local;
  Program out = *resharded->program;
  for (Computation& c : out.computations) {
    const Computation from = c;
    TRY(c, StepsOfComputation(*resharded, from, writer).run(stop));
  }
  return std::move(writer).done(std::move(out), {});
}

}  // namespace shardscope::inline partitioner
