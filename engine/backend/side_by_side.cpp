// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/side_by_side.h"

#include <algorithm>
#include <iterator>

namespace shardscope::inline backend {
namespace {

constexpr size_t kFarthest = 512;  // kernels that are looked at for a way from one to another
constexpr size_t kMostRoots = 16, kMostSideBySide = 400;

const Instruction& at(const Computation& computation, int32_t place) {
  return computation.instructions[static_cast<size_t>(place)];
}

// The elements that it goes through: those of its root, of a reduction those that it reads.
int64_t elements(const Computation& computation, const Kernel& kernel) {
  int64_t most = 0;
  for (const int32_t m : kernel.members) {
    const Instruction& i = at(computation, m);
    most = std::max(most, i.shape.element_count());
    if (i.opcode == Opcode::reduce)
      most = std::max(most, computation.at(i.operands[0]).shape.element_count());
  }
  return most;
}

class Joiner {
 public:
  explicit Joiner(KernelGraph& graph) : graph_(graph) {}

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
        if (join(names[a], names[b])) names[a] = names[b];
  }

  // The earlier one goes into the later one, which keeps its name.
  bool join(int32_t earlier, int32_t later) {
    const Kernel* a = graph_.find(earlier);
    const Kernel* b = graph_.find(later);
    if (a == nullptr || b == nullptr || earlier == later) return false;
    const Computation& computation = graph_.computation();
    if (elements(computation, *a) != elements(computation, *b)) return false;
    if (a->roots.size() + b->roots.size() > kMostRoots || waits(later, earlier) || waits(earlier, later))
      return false;
    Kernel both = joined(*a, *b);
    if (both.members.size() > kMostSideBySide) return false;
    const double seconds = graph_.seconds_of(both);
    if (seconds >= graph_.seconds(earlier) + graph_.seconds(later)) return false;
    graph_.remove(earlier);
    graph_.replace(later, std::move(both), seconds);
    return true;
  }

  Kernel joined(const Kernel& a, const Kernel& b) const {
    std::vector<int32_t> members, roots;
    std::ranges::set_union(a.members, b.members, std::back_inserter(members));
    std::ranges::set_union(a.roots, b.roots, std::back_inserter(roots));
    return kernel_of(graph_.computation(), std::move(members), std::move(roots));
  }

  // Whether `one` needs what `other` makes by way of a third, or might: it is looked for upwards.
  bool waits(int32_t one, int32_t other) const {
    const std::vector<int32_t>& goals = graph_.find(other)->roots;
    const auto is_goal = [&](int32_t place) { return std::ranges::find(goals, place) != goals.end(); };
    std::vector<int32_t> open;
    for (const int32_t input : graph_.find(one)->inputs)
      if (!is_goal(input) && input > goals.front()) open.push_back(input);
    std::set<int32_t> seen(open.begin(), open.end());
    while (!open.empty()) {
      if (seen.size() > kFarthest) return true;
      const int32_t place = open.back();
      open.pop_back();
      for (const int32_t next : inputs_of(place)) {
        if (is_goal(next)) return true;
        if (next > goals.front() && seen.insert(next).second) open.push_back(next);
      }
    }
    return false;
  }

  std::vector<int32_t> inputs_of(int32_t place) const {
    if (graph_.maker(place) >= 0) return graph_.find(graph_.maker(place))->inputs;
    std::vector<int32_t> out;
    for (const InstructionId operand : at(graph_.computation(), place).operands)
      out.push_back(static_cast<int32_t>(operand.value));
    return out;
  }

  KernelGraph& graph_;
};

}  // namespace

void join_side_by_side(KernelGraph& graph) {
  Joiner(graph).run();
}

}  // namespace shardscope::inline backend
