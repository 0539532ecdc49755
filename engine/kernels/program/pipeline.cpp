// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program/pipeline.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace shardscope::kernels {

namespace {

using BlockIndex = std::pair<int64_t, int64_t>;

// One operand of the pipeline: its blocks in vmem, who tells when a copy of each is done, and which visit of
// a block each grid step belongs to.
struct Operand {
  const BlockSpec* spec = nullptr;
  std::vector<Ref> blocks;
  std::vector<Semaphore> semaphores;
  std::vector<BlockIndex> index;  // by grid step
  std::vector<int64_t> visit;     // by grid step: how many times the index changed so far

  size_t slot(size_t step) const { return static_cast<size_t>(visit[step]) % blocks.size(); }
  bool first_of_visit(size_t step) const { return step == 0 || visit[step] != visit[step - 1]; }
  bool last_of_visit(size_t step) const { return step + 1 == visit.size() || visit[step] != visit[step + 1]; }
  Ref hbm(size_t step) const {
    const int64_t row = index[step].first * spec->rows, col = index[step].second * spec->cols;
    return spec->ref.at(row, std::min(spec->rows, spec->ref.rows() - row), col,
                        std::min(spec->cols, spec->ref.cols() - col));
  }
  Ref block(size_t step) const {
    const Ref part = hbm(step);
    return blocks[slot(step)].at(0, part.rows(), 0, part.cols());
  }
};

std::vector<GridIndex> grid_steps(const std::vector<int64_t>& grid) {
  std::vector<GridIndex> out = {{}};
  for (const int64_t extent : grid) {
    std::vector<GridIndex> longer;
    for (const GridIndex& index : out) {
      for (int64_t i = 0; i < extent; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    }
    out = std::move(longer);
  }
  return out;
}

class Emitter {
 public:
  Emitter(Kernel& k, const Pipeline& pipeline, const At& at)
      : k_(k), at_(at), buffers_(pipeline.buffers), steps_(grid_steps(pipeline.grid)) {
    for (const BlockSpec& spec : pipeline.inputs) inputs_.push_back(operand(spec));
    for (const BlockSpec& spec : pipeline.outputs) {
      outputs_.push_back(operand(spec));
      check_revisits(outputs_.back());
    }
  }

  void emit(const std::function<void(const PipelineStep&)>& body) {
    const bool ahead = buffers_ > 1;
    if (ahead && !steps_.empty()) fetch(0);
    size_t step = 0;
    k_.grid(static_cast<int64_t>(steps_.size()), [&](int64_t) {
      if (!ahead) fetch(step);
      if (ahead && step + 1 < steps_.size()) fetch(step + 1);
      for (const Operand& in : inputs_) {
        if (in.first_of_visit(step)) in_copy(in, step).wait(at_);
      }
      PipelineStep now;
      now.at = steps_[step];
      for (const Operand& in : inputs_) now.inputs.push_back(in.block(step));
      for (const Operand& out : outputs_) now.outputs.push_back(out.block(step));
      body(now);
      for (const Operand& out : outputs_) store(out, step);
      ++step;
    });
    for (const Operand& out : outputs_) {
      if (ahead && !steps_.empty()) out_copy(out, steps_.size() - 1).wait(at_);
    }
    for (const auto* operands : {&inputs_, &outputs_}) {
      for (const Operand& o : *operands) {
        for (const Ref& block : o.blocks) k_.end_scope(block, at_);
      }
    }
  }

 private:
  Operand operand(const BlockSpec& spec) {
    Operand out;
    out.spec = &spec;
    for (int64_t b = 0; b < buffers_; ++b) {
      const std::string name = fmt::format("{}.block[{}]", spec.name, b);
      out.blocks.push_back(k_.scoped(name, spec.rows, spec.cols, spec.ref.type(), at_));
      out.semaphores.push_back(k_.dma_semaphore(name + ".sem"));
    }
    for (size_t s = 0; s < steps_.size(); ++s) {
      out.index.push_back(spec.index(steps_[s]));
      const bool moved = s > 0 && out.index[s] != out.index[s - 1];
      out.visit.push_back(s == 0 ? 0 : out.visit.back() + (moved ? 1 : 0));
    }
    return out;
  }

  void check_revisits(const Operand& out) {
    std::vector<BlockIndex> done;
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (!out.first_of_visit(s)) continue;
      if (std::find(done.begin(), done.end(), out.index[s]) != done.end()) {
        k_.defect(FindingKind::output_revisit,
                  fmt::format(
                      "grid step {} comes back to block ({}, {}) of {} after another one: its block in vmem "
                      "is new by then",
                      s, out.index[s].first, out.index[s].second, out.spec->name),
                  at_);
        return;
      }
      done.push_back(out.index[s]);
    }
  }

  Copy in_copy(const Operand& in, size_t step) {
    return k_.async_copy(in.hbm(step), in.block(step), in.semaphores[in.slot(step)]);
  }
  Copy out_copy(const Operand& out, size_t step) {
    return k_.async_copy(out.block(step), out.hbm(step), out.semaphores[out.slot(step)]);
  }
  void fetch(size_t step) {
    for (const Operand& in : inputs_) {
      if (in.first_of_visit(step)) in_copy(in, step).start(at_);
    }
  }
  // Starts the copy of a block that is done, and waits for the one before it, whose block comes next.
  void store(const Operand& out, size_t step) {
    if (!out.last_of_visit(step)) return;
    out_copy(out, step).start(at_);
    if (buffers_ == 1) out_copy(out, step).wait(at_);
    if (buffers_ == 1 || out.visit[step] == 0) return;
    size_t before = step;
    while (out.visit[before] == out.visit[step]) --before;
    out_copy(out, before).wait(at_);
  }

  Kernel& k_;
  At at_;
  int64_t buffers_;
  std::vector<GridIndex> steps_;
  std::vector<Operand> inputs_, outputs_;
};

}  // namespace

void emit_pipeline(Kernel& k, const Pipeline& pipeline, const std::function<void(const PipelineStep&)>& body,
                   At at) {
  for (const auto* operands : {&pipeline.inputs, &pipeline.outputs}) {
    for (const BlockSpec& spec : *operands) {
      if (!k.require(spec.rows > 0 && spec.cols > 0, fmt::format("blocks of {} are empty", spec.name)))
        return;
    }
  }
  // Longer ones are no kernel that anybody watches, and take gigabytes here.
  constexpr int64_t kMaxSteps = int64_t{1} << 17;
  int64_t steps = 1;
  for (const int64_t extent : pipeline.grid)
    steps = std::min(kMaxSteps + 1, steps * std::min(extent, kMaxSteps + 1));
  if (!k.require(steps <= kMaxSteps,
                 fmt::format("the grid has more than {} steps: take larger tiles", kMaxSteps)))
    return;
  Emitter(k, pipeline, at).emit(body);
}

}  // namespace shardscope::kernels
