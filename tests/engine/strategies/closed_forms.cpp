// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/strategies/closed_forms.h"

namespace shardscope::testing {
namespace {

Volume output_stationary(const Sizes& s) {
  return {(s.R - 1) * s.K * s.N / s.p(), (s.C - 1) * s.M * s.K / s.p(), 2 * s.M * s.N * s.K / s.p()};
}
Volume left_stationary(const Sizes& s) {
  return {(s.R - 1) * s.K * s.N / s.p(), (s.C - 1) * s.M * s.N / s.p(), 2 * s.M * s.N * s.K / s.p()};
}
Volume right_stationary(const Sizes& s) {
  return {(s.R - 1) * s.M * s.N / s.p(), (s.C - 1) * s.M * s.K / s.p(), 2 * s.M * s.N * s.K / s.p()};
}
Volume psum(const Sizes& s) {
  return {0, 2 * (s.C - 1) * s.M * s.N / s.p(), 2 * s.M * s.N * s.K / s.p()};
}
Volume gather_lhs(const Sizes& s) {
  return {0, (s.C - 1) * s.M * s.K / s.p(), 0};
}
Volume gather_rhs(const Sizes& s) {
  return {(s.R - 1) * s.K * s.N / s.p(), 0, 0};
}
// The pjit plans call the first axis a and the second b.
Volume pjit_inner(const Sizes& s) {
  return {2 * (s.R - 1) * s.M * s.N / s.R, 0, 2 * s.M * s.N * s.K / s.R};
}
Volume pjit_mismatch(const Sizes& s) {
  return {(s.R - 1) * s.M * s.K / s.R, (s.C - 1) * s.K * s.N / s.C, 2 * s.M * s.N * s.K};
}
Volume pjit_outer(const Sizes& s) {
  return {(s.R - 1) * s.M * s.K / s.p(), (s.C - 1) * s.K * s.N / s.C, 2 * s.M * s.N * s.K / s.C};
}
Volume pjit_full(const Sizes& s) {
  return {(s.R - 1) * s.M * s.K / s.p(), (s.C - 1) * s.K * s.N / s.p(), 2 * s.M * s.N * s.K / s.p()};
}
Volume gram(const Sizes& s) {
  return {0, 0, 2 * s.M * s.M * s.K / s.R};
}

}  // namespace

ClosedForms two_collective_forms() {
  return {{"collective.os", output_stationary},
          {"collective.ls", left_stationary},
          {"collective.rs", right_stationary},
          {"wang.os", output_stationary},
          {"wang.ls", left_stationary},
          {"wang.rs", right_stationary},
          {"wang.rs.osplit", right_stationary},
          {"wang.rs.isplit", right_stationary},
          {"meshslice.os", output_stationary},
          {"meshslice.ls", left_stationary},
          {"meshslice.rs", right_stationary},
          {"psum", psum},
          {"gather.lhs", gather_lhs},
          {"gather.rhs", gather_rhs},
          {"pjit.inner", pjit_inner},
          {"pjit.mismatch", pjit_mismatch},
          {"pjit.outer", pjit_outer},
          {"pjit.full", pjit_full},
          {"blockwise.gram", gram}};
}

}  // namespace shardscope::testing
