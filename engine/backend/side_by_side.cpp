// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/side_by_side.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/functions.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

constexpr size_t kFarthest = 512;  // kernels that are looked at for a way from one to another
constexpr size_t kMostRoots = 16, kMostSideBySide = 400;

const Instruction& at(const Computation& computation, int32_t place) {
  return computation.instructions[static_cast<size_t>(place)];
}

// What kernels on a GPU are told apart by.
enum class Role : uint8_t { other, sums, joins };
Role role_of(Opcode opcode) {
  static const OpTable<Role> kRoles({}, {{Opcode::reduce, Role::sums}, {Opcode::concatenate, Role::joins}});
  return kRoles[opcode];
}

// The elements that it goes through: those of its root, of a reduction those that it reads.
int64_t elements(const Computation& computation, const Kernel& kernel) {
  int64_t most = 0;
  for (const int32_t m : kernel.members) {
    const Instruction& i = at(computation, m);
    most = std::max(most, i.shape.element_count());
    if (role_of(i.opcode) == Role::sums)
      most = std::max(most, computation.at(i.operands[0]).shape.element_count());
  }
  return most;
}

class Joiner {
 public:
  Joiner(KernelGraph& graph, CompileAs as)
      : graph_(graph), as_(as), order_(graph.computation().instructions.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    rank_ = order_;
  }

  void run() {
    for (size_t k = 0; k < graph_.computation().instructions.size(); ++k)
      join_readers(static_cast<int32_t>(k));
  }

 private:
  void join_readers(int32_t place) {
    std::vector<int32_t> names(graph_.readers(place).begin(), graph_.readers(place).end());
    if (graph_.maker(place) >= 0) names.push_back(graph_.maker(place));
    std::ranges::sort(names);
    for (size_t a = 0; a < names.size(); ++a)
      for (size_t b = a + 1; b < names.size(); ++b)
        if (!read_apart(place, names[a], names[b]) && join(names[a], names[b])) names[a] = names[b];
  }

  // Of an array of which each kernel reads slices alone: whether no element is read by both.
  bool read_apart(int32_t place, int32_t a, int32_t b) const {
    if (as_ != CompileAs::xla_gpu || graph_.find(a) == nullptr || graph_.find(b) == nullptr) return false;
    std::vector<const Instruction*> of_a, of_b;
    if (!only_slices(place, *graph_.find(a), of_a) || !only_slices(place, *graph_.find(b), of_b))
      return false;
    return std::ranges::all_of(of_a, [&](const Instruction* one) {
      return std::ranges::all_of(of_b, [&](const Instruction* other) { return are_apart(*one, *other); });
    });
  }
  // Through views of it too; none: it is read otherwise.
  bool only_slices(int32_t place, const Kernel& kernel, std::vector<const Instruction*>& out) const {
    for (const int32_t m : kernel.members) {
      const Instruction& i = at(graph_.computation(), m);
      if (std::ranges::find(i.operands, InstructionId(place)) == i.operands.end()) continue;
      if (has(i.opcode, Trait::view) && only_slices(m, kernel, out)) continue;
      if (i.opcode != Opcode::slice) return false;
      out.push_back(&i);
    }
    return !out.empty();
  }
  static bool are_apart(const Instruction& a, const Instruction& b) {
    const auto &one = *a.slice, &other = *b.slice;
    if (one.size() != other.size()) return false;
    for (size_t d = 0; d < one.size(); ++d)
      if (one[d].limit <= other[d].start || other[d].limit <= one[d].start) return true;
    return false;
  }

  // The earlier one goes into the later one, which keeps its name.
  bool join(int32_t earlier, int32_t later) {
    const Kernel* a = graph_.find(earlier);
    const Kernel* b = graph_.find(later);
    if (a == nullptr || b == nullptr || earlier == later) return false;
    const Computation& computation = graph_.computation();
    if (elements(computation, *a) != elements(computation, *b)) return false;
    if (a->roots.size() + b->roots.size() > kMostRoots) return false;
    if (as_ == CompileAs::xla_gpu && (!joins_on_gpus(*a) || !joins_on_gpus(*b) || reads_sums(*a, *b) ||
                                      reads_sums(*b, *a) || !sum_alike(*a, *b)))
      return false;
    if (as_ == CompileAs::xla_tpu &&
        (holds_product(*a) || holds_product(*b) || reads_sums(*a, *b) || reads_sums(*b, *a)))
      return false;
    const bool swapped = rank(earlier) > rank(later);
    const int32_t first = swapped ? later : earlier, second = swapped ? earlier : later;
    const auto between = needed_between(first, second);
    if (!between) return false;
    Kernel both = joined(*a, *b);
    if (both.members.size() > kMostSideBySide) return false;
    const double seconds = graph_.seconds_of(both);
    if (seconds >= graph_.seconds(earlier) + graph_.seconds(later)) return false;
    put_together(first, second, *between);
    graph_.remove(earlier);
    graph_.replace(later, std::move(both), seconds);
    return true;
  }

  // One block of threads sums rows, or columns, of arrays of one shape.
  bool sum_alike(const Kernel& a, const Kernel& b) const {
    const Computation& computation = graph_.computation();
    const auto sums = [&](const Kernel& kernel) {
      std::vector<const Instruction*> out;
      for (const int32_t root : kernel.roots)
        if (role_of(at(computation, root).opcode) == Role::sums) out.push_back(&at(computation, root));
      return out;
    };
    const auto of = [&](const Instruction* sum) { return computation.at(sum->operands[0]).shape.dims; };
    const std::vector<const Instruction*> ours = sums(a), theirs = sums(b);
    return ours.empty() || theirs.empty() ||
           (*ours[0]->dimensions == *theirs[0]->dimensions && of(ours[0]) == of(theirs[0]));
  }

  bool holds_product(const Kernel& kernel) const {
    return std::ranges::any_of(kernel.members, [&](int32_t m) {
      return operation(at(graph_.computation(), m).opcode).kind == OpClass::product;
    });
  }

  bool reads_sums(const Kernel& reader, const Kernel& of) const {
    return std::ranges::any_of(of.roots, [&](int32_t root) {
      return role_of(at(graph_.computation(), root).opcode) == Role::sums &&
             std::ranges::binary_search(reader.inputs, root);
    });
  }

  // Of XLA's kernels for GPUs those that compute something, cheaply, and neither use the sums of their rows
  // (Triton's, which make one array) nor put arrays together.
  bool joins_on_gpus(const Kernel& kernel) const {
    bool computes = false;
    for (const int32_t m : kernel.members) {
      const Instruction& i = at(graph_.computation(), m);
      const bool is_root = std::ranges::binary_search(kernel.roots, m);
      const Role role = role_of(i.opcode);
      if (function_of(i.opcode).exponential || (role == Role::sums && !is_root) ||
          (role == Role::joins && is_root))
        return false;
      const OpClass kind = operation(i.opcode).kind;
      computes = computes || kind == OpClass::elementwise || kind == OpClass::reduction;
    }
    return computes;
  }

  Kernel joined(const Kernel& a, const Kernel& b) const {
    std::vector<int32_t> members, roots;
    std::ranges::set_union(a.members, b.members, std::back_inserter(members));
    std::ranges::set_union(a.roots, b.roots, std::back_inserter(roots));
    return kernel_of(graph_.computation(), std::move(members), std::move(roots));
  }

  // By what a place is computed: its kernel, itself where none makes it.
  int32_t node(int32_t place) const { return graph_.maker(place) >= 0 ? graph_.maker(place) : place; }
  int32_t rank(int32_t place) const { return rank_[static_cast<size_t>(node(place))]; }

  // What stands between them and `second` needs. None: it needs what `first` makes by way of one of these, or
  // might: it is looked for upwards.
  std::optional<std::set<int32_t>> needed_between(int32_t first, int32_t second) const {
    const int32_t from = rank(first);
    std::set<int32_t> seen;
    std::vector<int32_t> open;
    for (const int32_t input : graph_.find(second)->inputs)
      if (rank(input) > from && seen.insert(input).second) open.push_back(input);
    while (!open.empty()) {
      if (seen.size() > kFarthest) return std::nullopt;
      const int32_t place = open.back();
      open.pop_back();
      for (const int32_t next : inputs_of(place)) {
        if (node(next) == first) return std::nullopt;
        if (rank(next) > from && seen.insert(next).second) open.push_back(next);
      }
    }
    return seen;
  }

  // In the order `needed` comes first, then these two, then all else that stood between them.
  void put_together(int32_t first, int32_t second, const std::set<int32_t>& needed) {
    const int32_t from = rank(first), to = rank(second);
    std::set<int32_t> in_front;
    for (const int32_t place : needed) in_front.insert(node(place));
    const auto begin = order_.begin() + from, end = order_.begin() + to + 1;
    const auto group = [&](int32_t at) {
      return in_front.contains(at) ? 0 : at == first || at == second ? 1 : 2;
    };
    std::stable_sort(begin, end, [&](int32_t a, int32_t b) { return group(a) < group(b); });
    for (int32_t k = from; k <= to; ++k) rank_[static_cast<size_t>(order_[static_cast<size_t>(k)])] = k;
  }

  std::vector<int32_t> inputs_of(int32_t place) const {
    if (graph_.maker(place) >= 0) return graph_.find(graph_.maker(place))->inputs;
    std::vector<int32_t> out;
    each_needed(at(graph_.computation(), place),
                [&](size_t needed) { out.push_back(static_cast<int32_t>(needed)); });
    return out;
  }

  KernelGraph& graph_;
  CompileAs as_;
  // Names of kernels, and places that none makes, each behind what it needs; by these, where each stands. A
  // kernel of several roots may need what stands behind one of them in the computation.
  std::vector<int32_t> order_, rank_;
};

}  // namespace

void join_side_by_side(KernelGraph& graph, CompileAs as) {
  Joiner(graph, as).run();
}

}  // namespace shardscope::inline backend
