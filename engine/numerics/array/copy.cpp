// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/copy.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/units.h"

namespace shardscope::inline numerics {

namespace {

constexpr int64_t kPartBytes = int64_t{1} << 20;  // what one task copies at least

struct Loop {
  int64_t size, step, stride;  // step: in row-major places; stride: in elements of the source
};

// The loops over one piece, innermost last, with those joined that neighbour each other in view and source.
std::vector<Loop> loops_of(const View& view, const View::Piece& piece, int64_t& first_place) {
  std::vector<Loop> loops;
  int64_t step = 1;
  first_place = 0;
  for (size_t f = view.factors().size(); f-- > 0;) {
    const View::Extent& e = piece.extents[f];
    first_place += e.start * step;
    if (!loops.empty() && loops.back().size * loops.back().step == step &&
        loops.back().size * loops.back().stride == e.stride) {
      loops.back().size *= e.size;
    } else if (e.size != 1) {
      loops.push_back({e.size, step, e.stride});
    }
    step *= view.factors()[f];
  }
  if (loops.empty()) loops.push_back({1, 1, 1});
  std::reverse(loops.begin(), loops.end());
  return loops;
}

template <class T>
void copy_run(const ElementRun& run, std::byte* target) {
  T* out = reinterpret_cast<T*>(target) + run.at;
  const T* in = reinterpret_cast<const T*>(run.data);
  if (run.stride == 1) {
    std::memcpy(out, in, static_cast<size_t>(run.count) * sizeof(T));
  } else {
    for (int64_t i = 0; i < run.count; ++i) out[i] = in[i * run.stride];
  }
}

}  // namespace

void for_each_run(const View& view, const std::function<void(const ElementRun&)>& body) {
  if (view.element_count() == 0) return;
  const int64_t element = stored_bytes(view.type(), 1);
  for (const View::Piece& piece : view.pieces()) {
    ElementRun run;
    const std::vector<Loop> loops = loops_of(view, piece, run.at);
    const Loop& inner = loops.back();
    run.data = piece.data;
    // An innermost loop that skips places (others' pieces lie between) gives runs of one element.
    const bool dense = inner.step == 1;
    run.count = dense ? inner.size : 1;
    run.stride = dense ? inner.stride : 1;
    const size_t outer = loops.size() - (dense ? 1 : 0);
    std::vector<int64_t> index(outer, 0);
    for (;;) {
      body(run);
      size_t l = outer;
      while (l-- > 0) {
        run.at += loops[l].step;
        run.data += loops[l].stride * element;
        if (++index[l] < loops[l].size) break;
        run.at -= loops[l].size * loops[l].step;
        run.data -= loops[l].size * loops[l].stride * element;
        index[l] = 0;
      }
      if (l == static_cast<size_t>(-1)) break;
    }
  }
}

std::vector<ViewPart> cut(const View& view, int64_t parts) {
  std::vector<ViewPart> result;
  size_t dim = 0;
  while (dim < view.rank() && view.dims()[dim] == 1) ++dim;
  if (parts <= 1 || dim == view.rank() || view.element_count() == 0) return {{view, 0}};
  const int64_t rows = view.dims()[dim];
  const int64_t row = view.element_count() / rows;
  // Ranges of the dimension's innermost factors cut no factor in the middle.
  int64_t inner = 1;
  for (size_t f = view.first_factor(dim) + 1; f < view.first_factor(dim + 1); ++f) inner *= view.factors()[f];
  const int64_t grain = std::max<int64_t>(1, rows / inner / parts) * inner;
  for (int64_t start = 0; start < rows; start += grain) {
    auto part = view.slice(dim, start, std::min(rows, start + grain));
    CHECK(part.has_value());
    result.push_back({*std::move(part), start * row});
  }
  return result;
}

void copy_to(const View& view, std::byte* target) {
  switch (stored_bytes(view.type(), 1)) {
    case 1:
      return for_each_run(view, [&](const ElementRun& run) { copy_run<uint8_t>(run, target); });
    case 2:
      return for_each_run(view, [&](const ElementRun& run) { copy_run<uint16_t>(run, target); });
    case 4:
      return for_each_run(view, [&](const ElementRun& run) { copy_run<uint32_t>(run, target); });
    case 8:
      return for_each_run(view, [&](const ElementRun& run) { copy_run<uint64_t>(run, target); });
    default:
      return for_each_run(view, [&](const ElementRun& run) { copy_run<std::complex<double>>(run, target); });
  }
}

Array copy_of(const View& view) {
  Array array = Array::allocate(view.type(), view.dims());
  copy_to(view, array.mutable_data());
  return array;
}

std::vector<ViewPtr> materialise(std::span<const ViewPtr> views, BufferPool& pool, Loops& loops) {
  std::vector<ViewPtr> result(views.begin(), views.end());
  struct Task {
    View view;
    std::byte* target;
  };
  std::vector<Task> tasks;
  int64_t held = 0;
  std::map<const View*, ViewPtr> copies;
  for (ViewPtr& view : result) {
    if (view == nullptr || view->plain()) continue;
    ViewPtr& copy = copies[view.get()];
    if (copy == nullptr && view->contiguous()) {
      copy = std::make_shared<View>(
          View::row_major(view->type(), view->dims(), view->pieces().front().buffer, view->data()));
    } else if (copy == nullptr) {
      Array array = pool.take(view->type(), view->dims());
      const int64_t bytes = stored_bytes(view->type(), view->element_count());
      for (ViewPart& part : cut(*view, ceil_div(bytes, kPartBytes))) {
        std::byte* target = array.mutable_data() + stored_bytes(view->type(), part.at);
        part.view.let_go();
        held += static_cast<int64_t>(part.view.pieces().size() * sizeof(View::Piece));
        tasks.push_back({std::move(part.view), target});
      }
      copy = std::make_shared<View>(View::of(array));
    }
    view = copy;
  }
  const auto count = static_cast<int64_t>(tasks.size());
  loops.run({count,
             [tasks = std::move(tasks), stop = &loops.stop()](int64_t i) {
               const Task& task = tasks[static_cast<size_t>(i)];
               if (!stop->stop_requested()) copy_to(task.view, task.target);
             }},
            held);
  return result;
}

void paste(const std::byte* part, const IndexBox& box, Array& whole) {
  const std::vector<int64_t>& dims = whole.dims();
  if (box.empty()) {
    std::memcpy(whole.mutable_data(), part, static_cast<size_t>(whole.bytes()));
    return;
  }
  const int64_t row = stored_bytes(whole.type(), box.back().size());
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < box.size(); ++d) rows *= box[d].size();
  for (int64_t r = 0; r < rows; ++r) {
    int64_t rest = r, at = box.back().start, stride = dims.back();
    for (size_t d = box.size() - 1; d-- > 0;) {
      at += (box[d].start + rest % box[d].size()) * stride;
      rest /= box[d].size();
      stride *= dims[d];
    }
    std::memcpy(whole.mutable_data() + stored_bytes(whole.type(), at), part + r * row,
                static_cast<size_t>(row));
  }
}

}  // namespace shardscope::inline numerics
