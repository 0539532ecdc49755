// SPDX-License-Identifier: Apache-2.0
// Orders along one dimension: sort by any comparison, and the largest of each row.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/numerics/array/element.h"
#include "engine/numerics/functions/total_order.h"
#include "engine/numerics/indexed/merge_order.h"
#include "engine/numerics/rules/lifted.h"
#include "engine/numerics/rules/rules.h"

namespace shardscope::inline numerics {
namespace {

using Places = std::vector<int64_t>;

// What is sorted, the sorted dimension last.
struct Sorted : SortedRows {
  Places order;  // of the dimensions
};

Result<Sorted> rows_to_sort(Step& step) {
  const Instruction& i = step.at();
  const Shape& shape = step.operand_shape(0);
  if (i.dimensions.size() != 1 || i.dimensions[0] < 0 ||
      i.dimensions[0] >= static_cast<int64_t>(shape.rank()))
    return invalid("sort needs one dimension of its operands", "%" + i.name);
  Sorted out;
  out.n = shape.dims[static_cast<size_t>(i.dimensions[0])];
  out.rows = out.n == 0 ? 0 : shape.element_count() / out.n;
  out.order.resize(shape.rank());
  std::iota(out.order.begin(), out.order.end(), 0);
  out.order.erase(out.order.begin() + i.dimensions[0]);
  out.order.push_back(i.dimensions[0]);
  for (size_t a = 0; a < i.operands.size(); ++a) {
    if (step.operand_shape(a).dims != shape.dims) return invalid("sort of unequal arrays", "%" + i.name);
    std::vector<ViewPtr> turned;
    for (const ViewPtr& view : step.arrays(a))
      turned.push_back(std::make_shared<View>(view->transpose(out.order)));
    turned = step.plain(turned);
    for (ViewPtr& view : turned) view = std::make_shared<View>(*view->reshape({out.rows, out.n}));
    out.arrays.push_back(std::move(turned));
  }
  return out;
}

// The rows of one device in their order.
Array ordered_rows(Step& step, const View& rows, const Places& order, Places dims, int64_t n) {
  const auto size = static_cast<size_t>(stored_bytes(rows.type(), 1));
  Array array = step.run.pool.take(rows.type(), std::move(dims));
  std::byte* to = array.mutable_data();
  for (int64_t e = 0; e < rows.element_count(); ++e, to += size)
    std::memcpy(to, rows.data() + static_cast<size_t>(e / n * n + order[static_cast<size_t>(e)]) * size,
                size);
  return array;
}

// Elements of one row from the largest down, or from the smallest up; of equal ones the first before the
// others.
template <class Tag>
std::vector<int32_t> picking_order(const typename Tag::Stored* row, int64_t n, bool largest) {
  std::vector<int32_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const auto x = total_order_key<Tag>(row[a]), y = total_order_key<Tag>(row[b]);
    return largest ? x > y : x < y;
  });
  return order;
}

bool is_top_k(const Step& step) {
  const Instruction& i = step.at();
  if (i.operands.size() != 1 || !i.shape.is_tuple || i.shape.elements.size() != 2) return false;
  const Shape &from = step.operand_shape(0), &values = i.shape.elements[0], &places = i.shape.elements[1];
  if (from.rank() == 0 || !element::has_arrays(from.type) || is_complex(from.type) ||
      values.rank() != from.rank())
    return false;
  const int64_t n = from.dims.back(), k = values.dims.back();
  return values.type == from.type && places.type == ElementType::s32 && values.dims == places.dims &&
         k <= n && n > 0 && values.element_count() == from.element_count() / n * k;
}

}  // namespace

Result<void> run_sort(Step& step) {
  TRY(const Sorted s, rows_to_sort(step));
  TRY(const std::vector<Places> order, merge_order(step, s));
  Places dims, back(s.order.size());
  for (size_t d = 0; d < back.size(); ++d) {
    dims.push_back(step.operand_shape(0).dims[static_cast<size_t>(s.order[d])]);
    back[static_cast<size_t>(s.order[d])] = static_cast<int64_t>(d);
  }
  ArrayViews sorted;
  for (const std::vector<ViewPtr>& array : s.arrays) {
    std::vector<ViewPtr>& out = sorted.emplace_back();
    for (size_t d = 0; d < step.devices(); ++d) {
      const Array ordered = ordered_rows(step, *array[d], order[d], dims, s.n);
      out.push_back(std::make_shared<View>(View::of(ordered).transpose(back)));
    }
  }
  give_parts(step, sorted);
  return {};
}

// The k largest of each row of the last dimension, or the smallest, and their places.
Result<void> run_top_k(Step& step) {
  const Shape& shape = step.at().shape;
  const auto* said = std::get_if<TopK>(&*step.at().attributes);
  const bool largest = said == nullptr || said->largest;
  if (!is_top_k(step)) return invalid("cannot run TopK of " + shape.text(), "%" + step.at().name);
  const Shape& from = step.operand_shape(0);
  const int64_t n = from.dims.back(), k = shape.elements[0].dims.back(), rows = from.element_count() / n;
  const auto operand = step.arrays(0);
  for (size_t d = 0; d < step.devices(); ++d) {
    Array values = step.run.pool.take(from.type, shape.elements[0].dims);
    Array places = step.run.pool.take(ElementType::s32, shape.elements[1].dims);
    element::visit_real(from.type, [&](auto tag) {
      using Tag = decltype(tag);
      using Stored = typename Tag::Stored;
      const auto* in = reinterpret_cast<const Stored*>(operand[d]->data());
      for (int64_t row = 0; row < rows && !step.run.stop.stop_requested(); ++row, in += n) {
        const std::vector<int32_t> order = picking_order<Tag>(in, n, largest);
        for (int64_t e = 0; e < k; ++e) {
          const auto to = static_cast<size_t>(row * k + e);
          values.mutable_as<Stored>()[to] = in[order[static_cast<size_t>(e)]];
          places.mutable_as<int32_t>()[to] = order[static_cast<size_t>(e)];
        }
      }
    });
    DeviceValue& value = step.results()[d];
    value.elements.resize(2);
    value.elements[0].view = std::make_shared<View>(View::of(values));
    value.elements[1].view = std::make_shared<View>(View::of(places));
  }
  return {};
}

}  // namespace shardscope::inline numerics
