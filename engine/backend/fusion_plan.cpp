// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/fusion_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/kernel_graph.h"
#include "engine/backend/product_epilogue.h"
#include "engine/backend/row_sums.h"
#include "engine/backend/side_by_side.h"
#include "engine/backend/tpu_kernels.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

constexpr size_t kMostMembers = 400, kMostInputs = 96, kMostReaders = 64;

bool fits(const Kernel& kernel) {
  return kernel.members.size() <= kMostMembers && kernel.inputs.size() <= kMostInputs;
}

// What costs nothing where it stands goes into whoever reads it; the last first, so that chains of them do.
void give_views(KernelGraph& graph) {
  std::vector<int32_t> names = graph.names();
  std::ranges::reverse(names);
  for (const int32_t name : names) {
    const Kernel* view = graph.find(name);
    if (view == nullptr || graph.seconds(name) > 0) continue;
    const std::set<int32_t> readers = graph.readers(name);
    for (const int32_t reader : readers) {
      Kernel joined = graph.joined(*view, *graph.find(reader));
      const double seconds = graph.seconds_of(joined);
      graph.replace(reader, std::move(joined), seconds);
    }
    if (!graph.is_kept(name)) graph.remove(name);
  }
}

// Fuses what saves the most time first, until nothing saves any.
class Priority {
 public:
  explicit Priority(KernelGraph& graph) : graph_(graph) {
    for (const int32_t name : graph.names()) look(name);
  }

  Result<void> run(const std::stop_token& stop) {
    while (!order_.empty()) {
      if (stop.stop_requested()) return cancelled();
      fuse(order_.begin()->second);
    }
    return {};
  }

 private:
  struct Change {
    double gain = 0;
    std::vector<std::pair<int32_t, Kernel>> readers;
    std::vector<double> seconds;
  };

  // What it would bring to give it to all who read it; none: it cannot be.
  std::optional<Change> change(int32_t name) const {
    const Kernel* producer = graph_.find(name);
    const std::set<int32_t>& readers = graph_.readers(name);
    if (producer == nullptr || graph_.is_kept(name) || readers.empty() || readers.size() > kMostReaders)
      return std::nullopt;
    Change out;
    out.gain = graph_.seconds(name);
    for (const int32_t reader : readers) {
      Kernel joined = graph_.joined(*producer, *graph_.find(reader));
      if (!fits(joined)) return std::nullopt;
      out.seconds.push_back(graph_.seconds_of(joined));
      out.gain += graph_.seconds(reader) - out.seconds.back();
      out.readers.emplace_back(reader, std::move(joined));
    }
    return out;
  }

  void look(int32_t name) {
    if (const auto old = gains_.find(name); old != gains_.end()) {
      order_.erase({-old->second, name});
      gains_.erase(old);
    }
    const auto found = change(name);
    if (!found || found->gain <= 0) return;
    gains_[name] = found->gain;
    order_.insert({-found->gain, name});
  }

  void fuse(int32_t name) {
    auto made = change(name);
    std::set<int32_t> touched(graph_.find(name)->inputs.begin(), graph_.find(name)->inputs.end());
    order_.erase({-gains_[name], name});
    gains_.erase(name);
    for (size_t r = 0; r < made->readers.size(); ++r) {
      auto& [reader, joined] = made->readers[r];
      touched.insert(reader);
      touched.insert(joined.inputs.begin(), joined.inputs.end());
      graph_.replace(reader, std::move(joined), made->seconds[r]);
    }
    graph_.remove(name);
    for (const int32_t other : touched) look(other);
  }

  KernelGraph& graph_;
  std::map<int32_t, double> gains_;
  std::set<std::pair<double, int32_t>> order_;  // the most gain first, then the earliest
};

// Of one instruction that is free alone, or that its reader reads in place.
bool stays_alone(const Computation& computation, const Kernel& kernel, const KernelClock& clock,
                 CompileAs as) {
  if (kernel.members.size() > 1) return false;
  const Instruction& i = computation.instructions[static_cast<size_t>(kernel.members[0])];
  if (as == CompileAs::xla_gpu) return clock.is_view(computation, i);
  static const OpTable<bool> kMakesArray({}, {{Opcode::concatenate, true}, {Opcode::broadcast, true}});
  return !kMakesArray[i.opcode] || is_view_alone(computation, i);
}

// Parts of an array that are results: XLA for GPUs copies them, wherever they lie.
std::vector<bool> copied_parts(const Computation& computation, CompileAs as) {
  std::vector<bool> out(computation.instructions.size(), false);
  if (as != CompileAs::xla_gpu) return out;
  const Instruction& root = computation.root_instruction();
  const auto take = [&](InstructionId id) {
    if (!computation.at(id).slice.empty()) out[static_cast<size_t>(id.value)] = true;
  };
  take(computation.root);
  if (root.shape.is_tuple)
    for (const InstructionId id : root.operands) take(id);
  return out;
}

}  // namespace

Result<std::vector<Kernel>> plan_fusions(const Computation& computation, const KernelClock& clock,
                                         CompileAs as, const std::stop_token& stop) {
  KernelGraph graph(computation, clock);
  if (as == CompileAs::xla_gpu)
    for (const int32_t sum : sums_of_their_own(computation)) graph.keep(sum);
  if (as == CompileAs::xla_tpu) keep_for_tpus(graph);
  give_views(graph);
  TRY_VOID(Priority(graph).run(stop));
  if (as == CompileAs::xla_tpu) take_tpu_products(graph);
  join_side_by_side(graph, as);
  if (as == CompileAs::xla_gpu) take_products(graph);
  const std::vector<bool> copied = copied_parts(computation, as);
  std::vector<Kernel> out;
  for (const int32_t name : graph.names()) {
    const bool takes_time =
        !stays_alone(computation, *graph.find(name), clock, as) && graph.seconds(name) > 0;
    if (takes_time || copied[static_cast<size_t>(name)]) out.push_back(*graph.find(name));
  }
  return out;
}

}  // namespace shardscope::inline backend
