// SPDX-License-Identifier: Apache-2.0
// Dots of types that the packed kernels do not have: complex numbers, 64-bit and small integers, predicates,
// mixed ones. Summed in c128, f64 or modulo 2^64, rounded once.
#include <Eigen/Core>
#include <type_traits>

#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/convert.h"
#include "engine/numerics/rules/dot_operands.h"
#include "engine/numerics/rules/rules.h"

namespace shardscope::inline numerics {
namespace {

// A side as [batch][rows][columns] in the type that is summed in; rows are contracted on the right side.
struct DotSide {
  std::vector<Array> arrays;  // by device; those that are alike share one
  int64_t batch = 1, free = 1, contracted = 1;
};

int64_t product_of(const std::vector<int64_t>& dims, const std::vector<int64_t>& which) {
  int64_t count = 1;
  for (const int64_t d : which) count *= dims[static_cast<size_t>(d)];
  return count;
}

DotSide side_of(Step& step, size_t k, ElementType sums) {
  const DotDims& dot = step.at().dot;
  const std::vector<int64_t>&batch = k == 0 ? dot.lhs_batch : dot.rhs_batch,
        &contracted = k == 0 ? dot.lhs_contracting : dot.rhs_contracting;
  const Shape& shape = step.operand_shape(k);
  const std::vector<int64_t> free = free_dims(shape.rank(), batch, contracted);
  std::vector<int64_t> order = batch;
  for (const auto* part : {k == 0 ? &free : &contracted, k == 0 ? &contracted : &free})
    order.insert(order.end(), part->begin(), part->end());
  DotSide out{
      {}, product_of(shape.dims, batch), product_of(shape.dims, free), product_of(shape.dims, contracted)};
  const std::vector<size_t> first = step.first_alike({step.at().operands[k]});
  for (size_t d = 0; d < step.devices(); ++d) {
    if (first[d] != d) {
      out.arrays.push_back(out.arrays[first[d]]);
      continue;
    }
    const Array turned = copy_of(step.view(k, d)->transpose(order));
    Array wide = step.run.pool.take(sums, {turned.element_count()});
    convert_elements(shape.type, turned.data(), sums, wide.mutable_data(), turned.element_count());
    out.arrays.push_back(std::move(wide));
  }
  return out;
}

template <class T>
void multiply(const DotSide& left, const DotSide& right, size_t device, int64_t n,
              std::vector<std::byte>& out) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto* a = reinterpret_cast<const T*>(left.arrays[device].data()) + n * left.free * left.contracted;
  const auto* b = reinterpret_cast<const T*>(right.arrays[device].data()) + n * right.free * right.contracted;
  out.resize(static_cast<size_t>(left.free * right.free) * sizeof(T));
  Eigen::Map<Matrix>(reinterpret_cast<T*>(out.data()), left.free, right.free).noalias() =
      Eigen::Map<const Matrix>(a, left.free, left.contracted) *
      Eigen::Map<const Matrix>(b, left.contracted, right.free);
}

}  // namespace

Result<void> run_plain_dot(Step& step) {
  const Instruction& i = step.at();
  const ElementType type = i.shape.type;
  if (!element::has_arrays(type) || !element::has_arrays(step.operand_shape(0).type) ||
      !element::has_arrays(step.operand_shape(1).type))
    return cannot_compute(i);
  const bool floats = is_floating(type) || is_floating(step.operand_shape(0).type);
  const ElementType sums = is_complex(type) ? ElementType::c128
                           : floats         ? ElementType::f64
                                            : ElementType::u64;
  const DotSide left = side_of(step, 0, sums), right = side_of(step, 1, sums);
  const std::vector<size_t> first = step.first_alike(i.operands);
  std::vector<Array> results(step.devices());
  for (size_t d = 0; d < step.devices(); ++d)
    results[d] = first[d] == d ? step.run.pool.take(type, i.shape.dims) : results[first[d]];
  const int64_t each = left.free * right.free;
  step.run.workers.parallel_for(static_cast<int64_t>(step.devices()) * left.batch, [&](int64_t task) {
    const auto d = static_cast<size_t>(task / left.batch);
    const int64_t n = task % left.batch;
    if (first[d] != d || each == 0 || step.run.stop.stop_requested()) return;
    std::vector<std::byte> made;
    if (sums == ElementType::c128)
      multiply<std::complex<double>>(left, right, d, n, made);
    else if (sums == ElementType::f64)
      multiply<double>(left, right, d, n, made);
    else
      multiply<uint64_t>(left, right, d, n, made);
    convert_elements(sums, made.data(), type, results[d].mutable_data() + stored_bytes(type, n * each), each);
  });
  step.give(results);
  return {};
}

}  // namespace shardscope::inline numerics
