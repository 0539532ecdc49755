// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/shrink.h"

#include <algorithm>
#include <numeric>

#include "engine/base/text.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"
#include "engine/session/proof/module_sizes.h"
#include "engine/session/proof/size_rules.h"
#include "engine/session/proof/small_sizes.h"

namespace shardscope::inline session {
namespace {

constexpr int64_t kMostPeriod = 1 << 16;

// By what dimensions of a module are split: by shardings, and by the groups of its own collectives.
struct Splits {
  int64_t period = 1, most = 1;
  void add(int64_t count) {
    if (period <= kMostPeriod) period = std::lcm(period, count);
    most = std::max(most, count);
  }
};

Splits splits_of(const Program& module) {
  Splits out;
  for (const Computation& c : module.computations) {
    for (const Instruction& i : c.instructions) {
      if (i.replica_groups->tiles.dims.size() == 2) out.add(i.replica_groups->tiles.dims[1]);
      if (!has_sharding(i)) continue;
      const auto shardings = leaf_shardings(i);
      if (!shardings.ok()) continue;
      for (const HloSharding& s : *shardings)
        for (size_t d = 0; d < s.data_rank(); ++d) out.add(s.tiles.dims[d]);
    }
  }
  return out;
}

// Writes a module with other sizes.
class Shrinker {
 public:
  Shrinker(const Program& module, const ModuleSizes& all, const std::vector<int64_t>& sizes)
      : module_(module), all_(all), sizes_(sizes), out_(module) {}

  Result<Program> write() {
    for (size_t c = 0; c < out_.computations.size(); ++c) {
      for (size_t k = 0; k < out_.computations[c].instructions.size(); ++k) {
        Instruction& i = out_.computations[c].instructions[k];
        size_t leaf = 0;
        reshape(i.shape, c, k, leaf);
        if (!rewrite(c, i))
          return invalid("its numbers do not shrink with its array", "instruction " + display_name(i));
      }
    }
    for (Computation& c : out_.computations)
      for (const Instruction& i : c.instructions) fewer_rounds(i);
    return std::move(out_);
  }

 private:
  // Of a loop whose condition is "counter < constant".
  void fewer_rounds(const Instruction& i) {
    for (const CalledComputation& called : i.called) {
      if (called.key != "condition") continue;
      Computation& c = out_.computations[static_cast<size_t>(called.computation.value)];
      const Instruction& test = c.root_instruction();
      const CompareDirection* direction = std::get_if<CompareDirection>(&*test.attributes);
      if (direction == nullptr || *direction != CompareDirection::lt) continue;
      Instruction& end = c.instructions[static_cast<size_t>(test.operands[1].value)];
      if (end.shape.rank() != 0) continue;
      if (parse_int(*end.literal).value_or(0) > kShrunkRounds) end.literal = std::to_string(kShrunkRounds);
    }
  }

  void reshape(Shape& shape, size_t c, size_t k, size_t& leaf) const {
    if (shape.is_tuple) {
      for (Shape& element : shape.elements.edit()) reshape(element, c, k, leaf);
      return;
    }
    for (size_t d = 0; d < shape.rank(); ++d)
      shape.dims[d] = sizes_[all_.classes.find(all_.first[c][k][leaf] + d)];
    ++leaf;
  }

  const Shape& before(size_t c, InstructionId id) const { return module_.computations[c].at(id).shape; }
  const Shape& now(size_t c, InstructionId id) const { return out_.computations[c].at(id).shape; }

  // What an operation says in numbers beside its shape; false: it does not fit.
  bool rewrite(size_t c, Instruction& i) const {
    static const OpTable<bool (Shrinker::*)(size_t, Instruction&) const> kRules(
        {}, {{Opcode::slice, &Shrinker::slice},
             {Opcode::dynamic_slice, &Shrinker::dynamic_slice},
             {Opcode::pad, &Shrinker::pad},
             {Opcode::reduce_window, &Shrinker::window},
             {Opcode::convolution, &Shrinker::convolution},
             {Opcode::gather, &Shrinker::gather}});
    const auto rule = kRules[i.opcode];
    return rule == nullptr || (this->*rule)(c, i);
  }

  bool dynamic_slice(size_t, Instruction& i) const {
    i.dynamic_slice_sizes = i.shape.dims;
    return true;
  }

  bool slice(size_t c, Instruction& i) const {
    const Shape &n = before(c, i.operands[0]), &t = now(c, i.operands[0]);
    for (size_t d = 0; d < i.slice->size(); ++d) {
      SliceDim& s = i.slice.edit()[d];
      const auto part = [&](const SliceDim& made) {
        return made.limit <= t.dims[d] && made.start >= 0 &&
               (made.limit - made.start + made.stride - 1) / made.stride == i.shape.dims[d];
      };
      const SliceDim scaled{s.start * t.dims[d] / n.dims[d], s.limit * t.dims[d] / n.dims[d], s.stride};
      const SliceDim shorter{s.start, s.limit - (n.dims[d] - t.dims[d]), s.stride};
      // A slice that leaves a few elements out leaves out the same ones.
      const bool few = n.dims[d] - (s.limit - s.start) <= kFewLeftOut;
      if (part(few ? shorter : scaled)) {
        s = few ? shorter : scaled;
      } else if (part(few ? scaled : shorter)) {
        s = few ? scaled : shorter;
      } else {
        return false;
      }
    }
    return true;
  }

  bool pad(size_t c, Instruction& i) const {
    Padding* padding = std::get_if<Padding>(&i.attributes.edit());
    if (padding == nullptr) return true;
    const Shape &n = before(c, i.operands[0]), &t = now(c, i.operands[0]);
    for (size_t d = 0; d < std::min(padding->dims.size(), t.rank()); ++d) {
      PadDim& p = padding->dims[d];
      const auto fits = [&](const PadDim& made) {
        return t.dims[d] + made.low + made.high + std::max<int64_t>(t.dims[d] - 1, 0) * made.interior ==
               i.shape.dims[d];
      };
      if (fits(p)) continue;
      const PadDim scaled{p.low * t.dims[d] / n.dims[d], p.high * t.dims[d] / n.dims[d], p.interior};
      if (!fits(scaled)) return false;
      p = scaled;
    }
    return true;
  }

  // A window over all of a dimension is one over what is left of it.
  bool window(size_t c, Instruction& i) const {
    Window* window = std::get_if<Window>(&i.attributes.edit());
    if (window == nullptr) return true;
    const Shape &n = before(c, i.operands[0]), &t = now(c, i.operands[0]);
    for (size_t d = 0; d < std::min(window->dims.size(), t.rank()); ++d) {
      WindowDim& w = window->dims[d];
      if (t.dims[d] == n.dims[d] || w.size != n.dims[d]) continue;
      w.size = t.dims[d];
      if (w.low > 0) w.low = t.dims[d] - 1;
      if (w.high > 0) w.high = t.dims[d] - 1;
    }
    return true;
  }

  // The window is the kernel's space, groups are what features and batches are multiples of.
  bool convolution(size_t c, Instruction& i) const {
    ConvolutionDims* conv = std::get_if<ConvolutionDims>(&i.attributes.edit());
    if (conv == nullptr) return false;
    const auto ratio = [](const Shape& of, int64_t whole, const Shape& by, int64_t part) {
      return of.dims[static_cast<size_t>(whole)] / by.dims[static_cast<size_t>(part)];
    };
    const Shape &image = now(c, i.operands[0]), &kernel = now(c, i.operands[1]);
    for (size_t s = 0; s < conv->window.size(); ++s)
      conv->window[s].size = kernel.dims[static_cast<size_t>(conv->kernel_spatial[s])];
    conv->feature_groups = ratio(image, conv->input_feature, kernel, conv->kernel_input);
    conv->batch_groups = ratio(image, conv->input_batch, i.shape, conv->output_batch);
    return true;
  }

  bool gather(size_t c, Instruction& i) const {
    GatherDims* g = std::get_if<GatherDims>(&i.attributes.edit());
    if (g == nullptr) return true;
    const Shape &n = before(c, i.operands[0]), &t = now(c, i.operands[0]);
    for (size_t d = 0; d < std::min(g->slice_sizes.size(), t.rank()); ++d) {
      if (g->slice_sizes[d] == n.dims[d]) g->slice_sizes[d] = t.dims[d];
      if (g->slice_sizes[d] > t.dims[d]) return false;
    }
    return true;
  }

  const Program& module_;
  const ModuleSizes& all_;
  const std::vector<int64_t>& sizes_;
  Program out_;
};

double elements_of(const Program& module) {
  double out = 0;
  for (const Computation& c : module.computations)
    for (const Instruction& i : c.instructions)
      for (const Shape& leaf : leaves_of(i.shape)) out += static_cast<double>(leaf.element_count());
  return out;
}

}  // namespace

Result<ShrunkModule> shrink_module(const Program& module, SizeWishes wishes) {
  const Splits splits = splits_of(module);
  if (splits.period > kMostPeriod) return invalid("its dimensions are split in too many ways", module.name);
  const ModuleSizes all = module_sizes(module);
  wishes.period = std::lcm(wishes.period, splits.period);
  wishes.least = std::max(wishes.least, splits.most);
  const std::vector<int64_t> sizes = small_sizes(all.classes, wishes);
  TRY(Program small, Shrinker(module, all, sizes).write());
  TRY_VOID(verify(small));
  const double before = elements_of(module), now = elements_of(small);
  if (now >= before) return invalid("none of its dimensions can be made smaller", module.name);
  return ShrunkModule{std::move(small), now / before};
}

}  // namespace shardscope::inline session
