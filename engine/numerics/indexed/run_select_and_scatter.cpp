// SPDX-License-Identifier: Apache-2.0
// select-and-scatter, the gradient of pooling: of each window the element that `select` keeps gets what
// `scatter` makes of it and the window's element of the source.
#include <algorithm>
#include <cstring>

#include "engine/numerics/array/element.h"
#include "engine/numerics/functions/elementwise.h"
#include "engine/numerics/indexed/meetings.h"
#include "engine/numerics/rules/index_space.h"
#include "engine/numerics/rules/lifted.h"
#include "engine/numerics/rules/rules.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline numerics {
namespace {

using Dims = std::vector<int64_t>;

class Selection {
 public:
  Selection(Step& step, std::vector<WindowDim> window)
      : step_(step),
        window_(std::move(window)),
        dims_(step.operand_shape(0).dims),
        places_(step.operand_shape(1).dims),
        operand_(step.arrays(0)),
        count_(step.operand_shape(1).element_count()) {}

  // By device and window: the place of the element that is kept; -1: the window lies beyond the array.
  Result<std::vector<Dims>> kept() {
    std::vector<Dims> out(step_.devices(), Dims(static_cast<size_t>(count_), -1));
    Dims sizes;
    for (const WindowDim& w : window_) sizes.push_back(w.size);
    Result<void> done;
    for_each_index(sizes, step_.run.stop, [&](const Dims& tap) {
      if (done.ok()) done = look_at(candidates(tap), out);
    });
    if (step_.run.stop.stop_requested()) return cancelled();
    TRY_VOID(done);
    forget_lifted(step_.run, {step_.at(), "select"}, count_);
    return out;
  }

 private:
  // By window: the place of its element at `tap`; -1: beyond the array.
  Dims candidates(const Dims& tap) const {
    Dims out;
    out.reserve(static_cast<size_t>(count_));
    const Dims strides = row_major_strides(dims_);
    for_each_index(places_, step_.run.stop, [&](const Dims& place) {
      int64_t flat = 0;
      for (size_t d = 0; d < place.size() && flat >= 0; ++d) {
        const int64_t at = place[d] * window_[d].stride + tap[d] - window_[d].low;
        flat = at < 0 || at >= dims_[d] ? -1 : flat + at * strides[d];
      }
      out.push_back(flat);
    });
    return out;
  }

  Result<void> look_at(const Dims& candidate, std::vector<Dims>& kept) {
    if (step_.run.stop.stop_requested() || static_cast<int64_t>(candidate.size()) != count_)
      return cancelled();
    ArrayViews arguments{elements(kept), elements(std::vector<Dims>(step_.devices(), candidate))};
    TRY(const ArrayViews stays, apply_lifted(step_.run, {step_.at(), "select"}, count_, arguments));
    const std::vector<ViewPtr> truth = step_.plain(stays.front());
    for (size_t d = 0; d < step_.devices(); ++d)
      for (size_t n = 0; n < candidate.size(); ++n)
        if (candidate[n] >= 0 && (kept[d][n] < 0 || truth[d]->data()[n] == std::byte{}))
          kept[d][n] = candidate[n];
    return {};
  }

  std::vector<ViewPtr> elements(const std::vector<Dims>& places) {
    std::vector<ViewPtr> out;
    for (size_t d = 0; d < step_.devices(); ++d) {
      Array array = step_.run.pool.take(operand_[d]->type(), {count_});
      const auto size = static_cast<size_t>(stored_bytes(array.type(), 1));
      std::byte* to = array.mutable_data();
      for (const int64_t place : places[d]) {
        if (place >= 0)
          std::memcpy(to, operand_[d]->data() + static_cast<size_t>(place) * size, size);
        else
          std::memset(to, 0, size);
        to += size;
      }
      out.push_back(std::make_shared<View>(View::of(array)));
    }
    return out;
  }

  Step& step_;
  std::vector<WindowDim> window_;
  Dims dims_, places_;
  std::vector<ViewPtr> operand_;
  int64_t count_;
};

}  // namespace

Result<void> run_select_and_scatter(Step& step) {
  const Instruction& i = step.at();
  if (!element::has_arrays(i.shape.type)) return cannot_compute(i);
  TRY(std::vector<WindowDim> window, window_dims(i, i.shape.rank()));
  std::vector<std::vector<Array>> results{step.new_arrays()};
  for (size_t d = 0; d < step.devices(); ++d)
    copy_to(step.view(2, d)->broadcast(i.shape.dims, {}), results[0][d].mutable_data());
  if (step.operand_shape(1).element_count() > 0) {
    TRY(const std::vector<Dims> kept, Selection(step, std::move(window)).kept());
    std::vector<Meetings> meetings(step.devices());
    for (size_t d = 0; d < step.devices(); ++d)
      for (size_t n = 0; n < kept[d].size(); ++n)
        if (kept[d][n] >= 0) meetings[d].push_back({kept[d][n], static_cast<int64_t>(n)});
    const ArrayViews updates{step.arrays(1)};
    TRY_VOID(meet(step, "scatter", {results, updates}, meetings));
  }
  step.give(results[0]);
  return {};
}

}  // namespace shardscope::inline numerics
