// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu_reductions.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "engine/backend/library_kernels.h"
#include "engine/backend/long_reductions.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

constexpr int64_t kWindow = 32, kRow = 16;

int64_t parts(int64_t all, int64_t each) {
  return (all + each - 1) / each;
}

class Steps : ComputationPass {
 public:
  Steps(const Program& program, const Computation& from, FreshNames& fresh)
      : ComputationPass(from, fresh, ".step"), program_(program) {}

  Computation run() {
    find_orders();
    static const OpTable<bool (Steps::*)(size_t)> kRules(
        {}, {{Opcode::reduce, &Steps::reduce}, {Opcode::reduce_window, &Steps::run_along}});
    return written([&](size_t k) {
      const auto rule = like_->shape.is_tuple ? nullptr : kRules[like_->opcode];
      return rule != nullptr && (this->*rule)(k);
    });
  }

 private:
  InstructionId add(Opcode opcode, std::vector<int64_t> dims, std::vector<InstructionId> operands) {
    const InstructionId out =
        ComputationPass::add(opcode, Shape::array(like_->shape.type, std::move(dims)), std::move(operands));
    if (opcode == Opcode::reduce_window) rewrite_.edit(out).called = like_->called;
    return out;
  }

  // As shapes are inferred: a transpose has its dimensions in the order of what it turns, work by element in
  // that of its first operand.
  void find_orders() {
    struct As {
      bool known = false;
      size_t operand = 0;
      bool turns = false;
    };
    static const OpTable<As> kAs(
        {{OpClass::elementwise, {true}}},
        {{Opcode::select, {true, 1}}, {Opcode::clamp, {true, 1}}, {Opcode::transpose, {true, 0, true}}});
    for (size_t k = 0; k < from_.instructions.size(); ++k) {
      const Instruction& i = from_.instructions[k];
      const As as = kAs[i.opcode];
      if (i.shape.is_tuple || !as.known) continue;
      std::vector<int64_t> rows(i.shape.rank());
      std::iota(rows.begin(), rows.end(), 0);
      const auto known = orders_.find(i.operands[as.operand].value);
      std::vector<int64_t> order = known == orders_.end() ? rows : known->second;
      if (as.turns)
        for (int64_t& d : order) d = std::ranges::find(*i.dimensions, d) - i.dimensions->begin();
      if (order.size() == rows.size() && order != rows) orders_[static_cast<int64_t>(k)] = std::move(order);
    }
  }

  // What lies turned is cut before the library is asked, which then has the pieces.
  bool reduce(size_t k) {
    Instruction i = *like_;
    if (i.operands.size() != 2) return false;
    if (is_librarys_reduction(program_, from_, i) && !orders_.contains(i.operands[0].value)) return false;
    std::vector<int64_t> dims = from_.at(i.operands[0]).shape.dims;
    InstructionId at = rewrite_.at(i.operands[0]);
    const InstructionId start = rewrite_.at(i.operands[1]);
    const auto is_long = [&] {
      return std::ranges::any_of(*i.dimensions,
                                 [&](int64_t d) { return dims[static_cast<size_t>(d)] > kWindow; });
    };
    bool stepped = false;
    while (is_long()) {
      Window window;
      window.dims.resize(dims.size());
      for (const int64_t d : *i.dimensions) {
        int64_t& extent = dims[static_cast<size_t>(d)];
        const int64_t size = std::min(extent, kWindow);
        extent = parts(extent, size);
        window.dims[static_cast<size_t>(d)].size = size;
        window.dims[static_cast<size_t>(d)].stride = size;
      }
      at = add(Opcode::reduce_window, dims, {at, start});
      rewrite_.edit(at).attributes = Attributes(std::move(window));
      stepped = true;
    }
    if (!stepped) return false;
    i.operands = {at, start};
    i.control_predecessors = {};
    rewrite_.stand_for(k, rewrite_.add(std::move(i)));
    return true;
  }

  // The dimension goes last while it is cut.
  bool run_along(size_t k) {
    const Instruction& i = from_.instructions[k];
    const Shape& of = from_.at(i.operands[0]).shape;
    const int64_t along = running_dimension(of, i);
    if (along < 0 || of.dims[static_cast<size_t>(along)] <= kRow) return false;
    std::vector<int64_t> order(of.rank()), back(of.rank());
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin() + along, order.begin() + along + 1, order.end());
    for (size_t d = 0; d < order.size(); ++d) back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
    InstructionId at = turned(rewrite_.at(i.operands[0]), order);
    at = turned(by_rows(at, rewrite_.at(i.operands[1])), back);
    rewrite_.stand_for(k, at);
    return true;
  }

  InstructionId turned(InstructionId at, const std::vector<int64_t>& order) {
    if (std::ranges::is_sorted(order)) return at;
    std::vector<int64_t> dims;
    for (const int64_t d : order) dims.push_back(rewrite_.made(at).shape.dims[static_cast<size_t>(d)]);
    const InstructionId out = add(Opcode::transpose, std::move(dims), {at});
    rewrite_.edit(out).dimensions = order;
    return out;
  }

  // Along the last dimension: rows of sixteen, each with what the rows before it come to.
  InstructionId by_rows(InstructionId at, InstructionId start) {
    const std::vector<int64_t> dims = rewrite_.made(at).shape.dims;
    const int64_t rows = parts(dims.back(), kRow);
    const auto with_last = [&](std::vector<int64_t> last) {
      std::vector<int64_t> out(dims.begin(), dims.end() - 1);
      out.insert(out.end(), last.begin(), last.end());
      return out;
    };
    if (rows == 1) return add(Opcode::reduce_window, dims, {at, start});
    if (dims.back() % kRow != 0) at = add(Opcode::pad, with_last({rows * kRow}), {at, start});
    at = add(Opcode::reshape, with_last({rows, kRow}), {at});
    const InstructionId within = add(Opcode::reduce_window, with_last({rows, kRow}), {at, start});
    const InstructionId last = add(Opcode::slice, with_last({rows, 1}), {within});
    InstructionId ends = add(Opcode::reshape, with_last({rows}), {last});
    ends = rows > kRow ? by_rows(ends, start)
                       : add(Opcode::slice, with_last({rows}),
                             {add(Opcode::reduce_window, with_last({rows + 1}), {ends, start})});
    const InstructionId before = add(Opcode::broadcast, with_last({rows, kRow}), {ends});
    std::vector<int64_t> kept(dims.size());
    std::iota(kept.begin(), kept.end(), 0);
    rewrite_.edit(before).dimensions = kept;
    InstructionId out = add(Opcode::add, with_last({rows, kRow}), {within, before});
    out = add(Opcode::reshape, with_last({rows * kRow}), {out});
    return dims.back() % kRow == 0 ? out : add(Opcode::slice, dims, {out});
  }

  const Program& program_;
  std::map<int64_t, std::vector<int64_t>> orders_;  // by place: its dimensions as they lie, if not in rows
};

}  // namespace

Computation reduced_in_steps(const Program& program, const Computation& computation, FreshNames& fresh) {
  return Steps(program, computation, fresh).run();
}

}  // namespace shardscope::inline backend
