// SPDX-License-Identifier: Apache-2.0
// Strategies on one axis, the rows; the columns only repeat them.
#include "tests/engine/strategies/closed_forms.h"

namespace shardscope::testing {
namespace {

Volume megatron_column(const Sizes& s) {
  return {0, 0, 2 * s.M * s.N * s.K / s.R};
}
Volume megatron_row(const Sizes& s) {
  return {2 * (s.R - 1) * s.M * s.N / s.R, 0, 2 * s.M * s.N * s.K / s.R};
}
Volume fsdp_forward(const Sizes& s) {
  return {(s.R - 1) * s.K * s.N / s.R, 0, 2 * s.M * s.N * s.K / s.R};
}
Volume fsdp_gradient(const Sizes& s) {
  return {(s.R - 1) * s.M * s.N / s.R, 0, 2 * s.M * s.N * s.K / s.R};
}
Volume ag_matmul(const Sizes& s) {
  return {(s.R - 1) * s.M * s.K / s.R, 0, 2 * s.M * s.N * s.K / s.R};
}
Volume matmul_rs(const Sizes& s) {
  return {(s.R - 1) * s.M * s.N / s.R, 0, 2 * s.M * s.N * s.K / s.R};
}

}  // namespace

ClosedForms one_axis_forms() {
  return {{"megatron.column", megatron_column}, {"megatron.row", megatron_row},
          {"fsdp.forward", fsdp_forward},       {"fsdp.gradient", fsdp_gradient},
          {"ring.ag_matmul", ag_matmul},        {"ring.ag_matmul.bidirectional", ag_matmul},
          {"ring.matmul_rs", matmul_rs},        {"ring.matmul_rs.bidirectional", matmul_rs}};
}

}  // namespace shardscope::testing
