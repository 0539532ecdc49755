// SPDX-License-Identifier: Apache-2.0
// scatter: updates in the order of their index vectors, each window as a whole or not at all.
#include <algorithm>
#include <cstring>

#include "engine/numerics/functions/elementwise.h"
#include "engine/numerics/indexed/index_windows.h"
#include "engine/numerics/indexed/meetings.h"
#include "engine/numerics/rules/lifted.h"
#include "engine/numerics/rules/rules.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline numerics {
namespace {

using Dims = std::vector<int64_t>;

// What to_apply makes of an element and its update.
struct Combiner {
  std::vector<size_t> assigned{};           // by array: whose update it becomes; empty: it is no assignment
  ElementwiseKernel::Two kernel = nullptr;  // else, of one array; null: the computation itself
};

Result<Combiner> combiner_of(const Step& step) {
  const Instruction& i = step.at();
  const Computation* computation = called_computation(step.run.program, i, "to_apply");
  if (computation == nullptr) return invalid("scatter without to_apply", "%" + i.name);
  const size_t arrays = i.operands.size() / 2;
  std::vector<const Instruction*> parts;
  for (const InstructionId part : result_ids(*computation)) parts.push_back(&computation->at(part));
  const auto is_update = [&](const Instruction* part) {
    return part->parameter_number >= static_cast<int64_t>(arrays);
  };
  Combiner out;
  if (parts.size() == arrays && std::ranges::all_of(parts, is_update)) {
    for (const Instruction* part : parts)
      out.assigned.push_back(static_cast<size_t>(part->parameter_number) - arrays);
  } else if (arrays == 1) {
    if (const auto reducer = reducer_of(step.run.program, i); reducer.ok())
      out.kernel = elementwise_kernel(*reducer, i.shape.type).two;
  }
  return out;
}

// One scatter on all devices. Updates fall where their windows lie within the array.
class Scatter {
 public:
  Scatter(Step& step, const ScatterDims& dims)
      : step_(step),
        arrays_(step.at().operands.size() / 2),
        dims_(step.operand_shape(0).dims),
        windows_(IndexedDims::of(dims), dims_, step.operand_shape(arrays_).dims,
                 step.operand_shape(arrays_ + 1).dims) {
    for (const ViewPtr& view : step.arrays(arrays_)) entries_.push_back(index_entries(*view));
    for (size_t a = 0; a < arrays_; ++a) {
      updates_.push_back(step.arrays(arrays_ + 1 + a));
      std::vector<Array>& results = results_.emplace_back();
      for (const ViewPtr& view : step.arrays(a)) {
        results.push_back(step.run.pool.take(view->type(), dims_));
        copy_to(*view, results.back().mutable_data());
      }
    }
  }

  Result<void> run(const Combiner& combiner) {
    if (combiner.assigned.empty() && combiner.kernel == nullptr) {
      TRY_VOID(by_computation());
    } else {
      step_.run.workers.parallel_for(static_cast<int64_t>(step_.devices()), [&](int64_t device) {
        by_kernel(combiner, static_cast<size_t>(device));
      });
    }
    give();
    return {};
  }

 private:
  // Calls run(place in the array, place in the updates, length, strides) for all that is written.
  template <class F>
  void for_each_update(size_t device, F&& run) const {
    for (int64_t n = 0; n < windows_.count() && !step_.run.stop.stop_requested(); ++n) {
      const Dims start = windows_.start(n, entries_[device]);
      bool fits = true;
      for (size_t d = 0; d < start.size(); ++d)
        fits = fits && start[d] >= 0 && start[d] <= dims_[d] - windows_.sizes()[d];
      if (!fits) continue;
      const int64_t to = windows_.in_array(start), from = windows_.in_slices(n);
      windows_.for_each_run(
          [&](int64_t in_array, int64_t in_slices, int64_t length, int64_t array_step, int64_t slice_step) {
            run(to + in_array, from + in_slices, length, array_step, slice_step);
          });
    }
  }

  void by_kernel(const Combiner& combiner, size_t device) {
    for (size_t a = 0; a < arrays_; ++a) {
      const size_t by = combiner.assigned.empty() ? a : combiner.assigned[a];
      const int64_t size = stored_bytes(results_[a][device].type(), 1);
      std::byte* out = results_[a][device].mutable_data();
      const std::byte* in = updates_[by][device]->data();
      const auto combine = [&](std::byte* to, const std::byte* from, int64_t count) {
        if (combiner.kernel == nullptr)
          std::memcpy(to, from, static_cast<size_t>(count * size));
        else
          combiner.kernel(to, from, to, count);
      };
      for_each_update(device, [&](int64_t to, int64_t from, int64_t length, int64_t to_step,
                                  int64_t from_step) {
        const bool whole = to_step == 1 && from_step == 1;
        for (int64_t k = 0; k < (whole ? 1 : length); ++k)
          combine(out + (to + k * to_step) * size, in + (from + k * from_step) * size, whole ? length : 1);
      });
    }
  }

  Result<void> by_computation() {
    std::vector<Meetings> of_devices(step_.devices());
    for (size_t d = 0; d < step_.devices(); ++d)
      for_each_update(d, [&](int64_t to, int64_t from, int64_t length, int64_t to_step, int64_t from_step) {
        for (int64_t k = 0; k < length; ++k)
          of_devices[d].push_back({to + k * to_step, from + k * from_step});
      });
    return meet(step_, "to_apply", {results_, updates_}, of_devices);
  }

  void give() {
    ArrayViews parts;
    for (const std::vector<Array>& results : results_) {
      std::vector<ViewPtr>& views = parts.emplace_back();
      for (const Array& array : results) views.push_back(std::make_shared<View>(View::of(array)));
    }
    give_parts(step_, parts);
  }

  Step& step_;
  size_t arrays_;
  Dims dims_;
  IndexWindows windows_;
  std::vector<std::vector<int64_t>> entries_;  // by device
  ArrayViews updates_;
  std::vector<std::vector<Array>> results_;  // [array][device]
};

}  // namespace

Result<void> run_scatter(Step& step) {
  TRY(const ScatterDims dims, scatter_dims(step.frame.computation, step.at()));
  TRY(const Combiner combiner, combiner_of(step));
  return Scatter(step, dims).run(combiner);
}

}  // namespace shardscope::inline numerics
