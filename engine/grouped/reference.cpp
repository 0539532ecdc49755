// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "engine/base/check.h"
#include "engine/grouped/grouped.h"
#include "engine/numerics/element.h"

namespace shardscope {

namespace {

std::vector<double> as_doubles(const Array& array) {
  std::vector<double> out(static_cast<size_t>(array.element_count()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = array.at(static_cast<int64_t>(i));
  return out;
}

void put(Array& array, int64_t at, double value) {
  if (array.type() == ElementType::bf16) {
    array.mutable_as<uint16_t>()[static_cast<size_t>(at)] = bf16_from_f64(value);
  } else {
    array.mutable_as<float>()[static_cast<size_t>(at)] = static_cast<float>(value);
  }
}

// The group that a row belongs to; -1 when it is nobody's.
std::vector<int64_t> group_of_row(const GroupMetadata& meta) {
  std::vector<int64_t> out(static_cast<size_t>(meta.m), -1);
  for (int64_t g = 0; g < meta.groups(); ++g) {
    const size_t at = static_cast<size_t>(g);
    for (int64_t row = meta.group_offsets[at]; row < meta.group_offsets[at + 1]; ++row)
      out[static_cast<size_t>(row)] = g;
  }
  return out;
}

// Where the elements of lhs and rhs stand in memory.
struct Operands {
  std::vector<double> lhs, rhs;
  const GroupedShape& shape;

  void add_line(const double* from, double factor, int64_t stride, std::vector<double>& sum) const {
    for (size_t j = 0; j < sum.size(); ++j) sum[j] += factor * from[static_cast<int64_t>(j) * stride];
  }
};

}  // namespace

Array grouped_reference(const Array& lhs, const Array& rhs, const GroupedOptions& options,
                        const GroupedResult& result, bool transposed, const Workers& workers) {
  const GroupedShape& s = result.shape;
  const GroupMetadata& meta = result.metadata;
  Array out = Array::allocate(result.out.type(), result.out.dims());
  std::copy(result.out.data(), result.out.data() + result.out.bytes(), out.mutable_data());
  const Operands operands{as_doubles(lhs), as_doubles(rhs), s};
  const std::vector<int64_t> groups = group_of_row(meta);
  if (!transposed) {
    workers.parallel_for(s.m, [&](int64_t row) {
      if (result.states[static_cast<size_t>(row)] != OutputState::computed) return;
      const int64_t matrix = (groups[static_cast<size_t>(row)] - meta.group_offset) * s.k * s.n;
      std::vector<double> sum(static_cast<size_t>(s.n), 0.0);
      for (int64_t k = 0; k < s.k; ++k) {
        const double factor = operands.lhs[static_cast<size_t>(row * s.k + k)];
        const int64_t start = matrix + (options.transpose_rhs ? k : k * s.n);
        operands.add_line(operands.rhs.data() + start, factor, options.transpose_rhs ? s.k : 1, sum);
      }
      for (int64_t j = 0; j < s.n; ++j) put(out, row * s.n + j, sum[static_cast<size_t>(j)]);
    });
    return out;
  }
  workers.parallel_for(meta.local_groups * s.k, [&](int64_t line) {
    const int64_t local = line / s.k, k = line % s.k;
    if (result.states[static_cast<size_t>(local)] != OutputState::computed) return;
    const size_t g = static_cast<size_t>(local + meta.group_offset);
    std::vector<double> sum(static_cast<size_t>(s.n), 0.0);
    for (int64_t row = meta.group_offsets[g]; row < meta.group_offsets[g + 1]; ++row) {
      const double factor = operands.lhs[static_cast<size_t>(k * s.m + row)];
      operands.add_line(operands.rhs.data() + row * s.n, factor, 1, sum);
    }
    for (int64_t j = 0; j < s.n; ++j) {
      const int64_t at = line * s.n + j;
      const double old = options.existing_out ? options.existing_out->at(at) : 0.0;
      put(out, at, sum[static_cast<size_t>(j)] + old);
    }
  });
  return out;
}

}  // namespace shardscope
