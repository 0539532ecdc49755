// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <vector>

#include "engine/base/check.h"
#include "engine/grouped/grouped.h"
#include "engine/numerics/array/element.h"

namespace shardscope::inline grouped {

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

// sum += factor · (elements of `line`, `stride` apart).
void add_line(const double* line, double factor, int64_t stride, std::vector<double>& sum) {
  for (size_t j = 0; j < sum.size(); ++j) sum[j] += factor * line[static_cast<int64_t>(j) * stride];
}

// A line of the output that no product reaches.
void keep_line(const GroupedOptions& options, OutputState state, int64_t at, int64_t n, Array& out) {
  for (int64_t j = at; j < at + n; ++j) {
    const double missing = state == OutputState::zeroed ? 0.0 : std::numeric_limits<double>::quiet_NaN();
    put(out, j, options.existing_out ? options.existing_out->at(j) : missing);
  }
}

struct F64Operands {
  std::vector<double> lhs, rhs;
};

std::vector<double> gmm_line(const F64Operands& in, const GroupedResult& result, bool transpose_rhs,
                             int64_t row, int64_t group) {
  const GroupedShape& s = result.shape;
  std::vector<double> sum(static_cast<size_t>(s.n), 0.0);
  for (int64_t k = 0; k < s.k; ++k) {
    const double factor = in.lhs[static_cast<size_t>(row * s.k + k)];
    const int64_t start = (group - result.metadata.group_offset) * s.k * s.n + (transpose_rhs ? k : k * s.n);
    add_line(in.rhs.data() + start, factor, transpose_rhs ? s.k : 1, sum);
  }
  return sum;
}

std::vector<double> tgmm_line(const F64Operands& in, const GroupedResult& result, int64_t k, int64_t group) {
  const GroupedShape& s = result.shape;
  const size_t g = static_cast<size_t>(group);
  std::vector<double> sum(static_cast<size_t>(s.n), 0.0);
  for (int64_t row = result.metadata.group_offsets[g]; row < result.metadata.group_offsets[g + 1]; ++row)
    add_line(in.rhs.data() + row * s.n, in.lhs[static_cast<size_t>(k * s.m + row)], 1, sum);
  return sum;
}

}  // namespace

Array grouped_reference(GroupedOp op, const GroupedOperands& of, const GroupedOptions& options,
                        const GroupedResult& result, const Workers& workers, const std::stop_token& stop) {
  const GroupedShape& s = result.shape;
  const GroupMetadata& meta = result.metadata;
  Array out = Array::allocate(result.out.type(), result.out.dims());
  const F64Operands operands{as_doubles(of.lhs), as_doubles(of.rhs)};
  const std::vector<int64_t> groups = group_of_row(meta);
  const bool rows = op == GroupedOp::gmm;
  workers.parallel_for(rows ? s.m : meta.local_groups * s.k, [&](int64_t line) {
    if (stop.stop_requested()) return;
    const OutputState state = result.states[static_cast<size_t>(rows ? line : line / s.k)];
    if (state != OutputState::computed) return keep_line(options, state, line * s.n, s.n, out);
    const std::vector<double> sum =
        rows ? gmm_line(operands, result, options.transpose_rhs, line, groups[static_cast<size_t>(line)])
             : tgmm_line(operands, result, line % s.k, line / s.k + meta.group_offset);
    for (int64_t j = 0; j < s.n; ++j) {
      const int64_t at = line * s.n + j;
      const double old = !rows && options.existing_out ? options.existing_out->at(at) : 0.0;
      put(out, at, sum[static_cast<size_t>(j)] + old);
    }
  });
  return out;
}

}  // namespace shardscope::inline grouped
