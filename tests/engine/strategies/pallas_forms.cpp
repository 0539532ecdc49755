// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/strategies/closed_forms.h"

namespace shardscope::testing {
namespace {

// Partial sums of [M/R, N] added up over the columns.
int64_t sum_of_Y(const Sizes& s) {
  return 2 * (s.C - 1) * s.M * s.N / s.p();
}
int64_t shared_flops(const Sizes& s) {
  return 2 * s.M * s.N * s.K / s.p();
}

// Every column makes the same product.
Volume ag_ag(const Sizes& s) {
  return {(s.R - 1) * s.K * s.N / s.R, (s.C - 1) * s.M * s.K / s.p(), 2 * s.M * s.N * s.K / s.R};
}
Volume gather_slice_add(const Sizes& s) {
  return {(s.R - 1) * s.K * s.N / s.R, sum_of_Y(s), shared_flops(s)};
}
// One block moves from every device off the diagonal, to the mirrored one.
Volume permute_psum(const Sizes& s) {
  return {0, sum_of_Y(s), shared_flops(s), (s.R - 1) * s.K * s.N / s.p()};
}
// Both products are made everywhere, and every shard travels once.
Volume fused_as_written(const Sizes& s) {
  return {s.R == 1 ? 0 : s.K * s.N / s.R, sum_of_Y(s), 2 * shared_flops(s)};
}

}  // namespace

ClosedForms pallas_forms() {
  return {{"pallas.ag_ag", ag_ag},
          {"pallas.ag_slice_psum", gather_slice_add},
          {"pallas.ag_slice_psum_f32", gather_slice_add},
          {"pallas.permute_psum", permute_psum},
          {"pallas.ring", gather_slice_add},
          {"pallas.fused_as_written", fused_as_written}};
}

}  // namespace shardscope::testing
