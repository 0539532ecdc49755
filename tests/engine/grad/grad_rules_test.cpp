// SPDX-License-Identifier: Apache-2.0
// Every rule against differences in f64.
#include "engine/grad/turn.h"
#include "tests/engine/grad/differences.h"

namespace shardscope::grad_test {
namespace {

constexpr const char* kCallees =
    "sum { a = f64[] parameter(0)\n b = f64[] parameter(1)\n ROOT s = f64[] add(a, b) }\n"
    "most { c = f64[] parameter(0)\n d = f64[] parameter(1)\n ROOT m = f64[] maximum(c, d) }\n"
    "least { c2 = f64[] parameter(0)\n d2 = f64[] parameter(1)\n ROOT m2 = f64[] minimum(c2, d2) }\n"
    "times { e = f64[] parameter(0)\n f = f64[] parameter(1)\n ROOT p = f64[] multiply(e, f) }\n"
    "new { g = f64[] parameter(0)\n ROOT h = f64[] parameter(1) }\n"
    "less { i = f64[] parameter(0)\n j = f64[] parameter(1)\n ROOT l = pred[] compare(i, j), direction=LT }\n"
    "more_or_same { ii = f64[] parameter(0)\n jj = f64[] parameter(1)\n ROOT ll = pred[] compare(ii, jj), "
    "direction=GE }\n"
    "picks { v = f64[] parameter(0)\n n = s32[] parameter(1)\n w = f64[] parameter(2)\n o = s32[] "
    "parameter(3)\n"
    " q = pred[] compare(v, w), direction=GE\n r = f64[] select(q, v, w)\n t = s32[] select(q, n, o)\n"
    " ROOT u = (f64[], s32[]) tuple(r, t) }\n"
    "more { s0 = (s32[], f64[4], f64[6,4]) parameter(0)\n n0 = s32[] get-tuple-element(s0), index=0\n"
    " k0 = s32[] constant(5)\n ROOT c0 = pred[] compare(n0, k0), direction=LT }\n"
    "round { s1 = (s32[], f64[4], f64[6,4]) parameter(0)\n n1 = s32[] get-tuple-element(s1), index=0\n"
    " x1 = f64[4] get-tuple-element(s1), index=1\n w1 = f64[6,4] get-tuple-element(s1), index=2\n"
    " z1 = s32[] constant(0)\n r1 = f64[1,4] dynamic-slice(w1, n1, z1), dynamic_slice_sizes={1,4}\n"
    " v1 = f64[4] reshape(r1)\n p1 = f64[4] multiply(x1, v1)\n y1 = f64[4] tanh(p1)\n"
    " a1 = f64[4] add(y1, v1)\n o1 = s32[] constant(1)\n m1 = s32[] add(n1, o1)\n"
    " ROOT t1 = (s32[], f64[4], f64[6,4]) tuple(m1, a1, w1) }\n"
    "left { x2 = f64[4] parameter(0)\n ROOT y2 = f64[4] tanh(x2) }\n"
    "right { s3 = (f64[4], f64[4]) parameter(0)\n x3 = f64[4] get-tuple-element(s3), index=0\n"
    " y3 = f64[4] get-tuple-element(s3), index=1\n ROOT z3 = f64[4] multiply(x3, y3) }\n"
    "twice { x4 = f64[4] parameter(0)\n y4 = f64[4] sine(x4)\n ROOT z4 = f64[4] add(y4, y4) }\n";

struct Row {
  const char* what;
  const char* entry;
  bool is_signed = true;
};

void expect_row(const Row& row, Remat remat = Remat::none) {
  const Program module = parsed(std::string("HloModule m, num_partitions=4\n") + kCallees + "ENTRY main {\n" +
                                row.entry + "}\n");
  expect_differences(module, row.what, row.is_signed, remat);
}

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"dot",
       " x = f64[2,3,4] parameter(0)\n w = f64[5,3,2] parameter(1)\n"
       " ROOT y = f64[2,4,5] dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={2}, "
       "lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"},
      {"dot of two contracted dimensions",
       " x = f64[3,4,2] parameter(0)\n w = f64[4,5,3] parameter(1)\n"
       " ROOT y = f64[2,5] dot(x, w), lhs_contracting_dims={1,0}, rhs_contracting_dims={0,2}\n"},
      {"convolution",
       " x = f64[2,7,6,4] parameter(0)\n k = f64[3,2,2,6] parameter(1)\n"
       " ROOT y = f64[2,4,9,6] convolution(x, k), window={size=3x2 stride=2x1 pad=1_2x0_1 lhs_dilate=1x2 "
       "rhs_dilate=1x3}, dim_labels=b01f_01io->b01f, feature_group_count=2\n"},
      {"convolution of batch groups",
       " x = f64[4,5,3] parameter(0)\n k = f64[2,3,6] parameter(1)\n"
       " ROOT y = f64[2,4,6] convolution(x, k), window={size=2}, dim_labels=b0f_0io->b0f, "
       "batch_group_count=2\n"},
      {"reversed convolution",
       " x = f64[2,5,3] parameter(0)\n k = f64[2,3,4] parameter(1)\n"
       " ROOT y = f64[2,4,4] convolution(x, k), window={size=2 rhs_reversal=1}, dim_labels=b0f_0io->b0f\n"},
      {"reduce",
       " x = f64[3,4,5] parameter(0)\n i = f64[] parameter(1)\n"
       " ROOT y = f64[4] reduce(x, i), dimensions={0,2}, to_apply=sum\n"},
      {"reduce by maximum",
       " x = f64[3,4,5] parameter(0)\n i = f64[] constant(-inf)\n"
       " ROOT y = f64[4] reduce(x, i), dimensions={0,2}, to_apply=most\n"},
      {"reduce by multiply",
       " x = f64[3,4] parameter(0)\n i = f64[] constant(1)\n"
       " ROOT y = f64[4] reduce(x, i), dimensions={0}, to_apply=times\n"},
      {"reduce with the place",
       " x = f64[3,4] parameter(0)\n n = s32[3,4] iota(), iota_dimension=0\n i = f64[] constant(-inf)\n"
       " z = s32[] constant(0)\n r = (f64[4], s32[4]) reduce(x, n, i, z), dimensions={0}, to_apply=picks\n"
       " ROOT y = f64[4] get-tuple-element(r), index=0\n"},
      {"windows",
       " x = f64[9,7] parameter(0)\n i = f64[] constant(0)\n"
       " ROOT y = f64[5,13] reduce-window(x, i), window={size=3x2 stride=2x1 pad=1_1x1_2 "
       "lhs_dilate=1x2 rhs_dilate=1x3}, to_apply=sum\n"},
      {"products of windows",
       " x = f64[9,7] parameter(0)\n i = f64[] constant(1)\n"
       " ROOT y = f64[5,13] reduce-window(x, i), window={size=3x2 stride=2x1 pad=1_1x1_2 "
       "lhs_dilate=1x2 rhs_dilate=1x3}, to_apply=times\n"},
      {"products up to each element, some of which are zero",
       " x = f64[7] parameter(0)\n i = f64[] constant(1)\n n = s32[7] iota(), iota_dimension=0\n"
       " k = s32[] constant(4)\n kk = s32[7] broadcast(k), dimensions={}\n"
       " at = pred[7] compare(n, kk), direction=EQ\n z = f64[] constant(0)\n zz = f64[7] broadcast(z), "
       "dimensions={}\n o = f64[7] select(at, zz, x)\n"
       " ROOT y = f64[7] reduce-window(o, i), window={size=7 pad=6_0}, to_apply=times\n"},
      {"maxima of windows",
       " x = f64[8,6] parameter(0)\n i = f64[] constant(-inf)\n"
       " ROOT y = f64[4,5] reduce-window(x, i), window={size=3x2 stride=2x1 "
       "pad=1_0x0_0}, to_apply=most\n"},
      {"elements selected in windows",
       " x = f64[8,6] parameter(0)\n i = f64[] constant(0)\n c = f64[8,6] floor(x)\n"
       " u = f64[4,5] parameter(1)\n"
       " ROOT y = f64[8,6] select-and-scatter(c, u, i), window={size=3x2 stride=2x1 pad=1_0x0_0}, "
       "select=more_or_same, scatter=sum\n"},
      {"broadcast, transpose, reshape",
       " x = f64[2,3] parameter(0)\n b = f64[2,4,3] broadcast(x), dimensions={0,2}\n"
       " t = f64[3,2,4] transpose(b), dimensions={2,0,1}\n ROOT y = f64[6,4] reshape(t)\n"},
      {"slice", " x = f64[9,4] parameter(0)\n ROOT y = f64[3,2] slice(x), slice={[1:8:3], [2:4]}\n"},
      {"concatenate",
       " x = f64[2,3] parameter(0)\n w = f64[2,5] parameter(1)\n"
       " ROOT y = f64[2,11] concatenate(x, w, x), dimensions={1}\n"},
      {"pad",
       " x = f64[4,5] parameter(0)\n v = f64[] parameter(1)\n"
       " ROOT y = f64[10,3] pad(x, v), padding=2_1_1x-1_-1\n"},
      {"reverse", " x = f64[4,5] parameter(0)\n ROOT y = f64[4,5] reverse(x), dimensions={1}\n"},
      {"dynamic-slice",
       " x = f64[6,5] parameter(0)\n i = s32[] parameter(1)\n"
       " a = f64[2,3] dynamic-slice(x, i, i), dynamic_slice_sizes={2,3}\n"
       " b = f64[2,3] slice(x), slice={[0:2], [0:3]}\n ROOT y = f64[2,3] multiply(a, b)\n"},
      {"dynamic-update-slice",
       " x = f64[6,5] parameter(0)\n u = f64[2,3] parameter(1)\n i = s32[] parameter(2)\n"
       " ROOT y = f64[6,5] dynamic-update-slice(x, u, i, i)\n"},
      {"gather",
       " x = f64[6,5] parameter(0)\n i = s32[3,2] parameter(1)\n"
       " ROOT y = f64[3,2,4] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={}, "
       "start_index_map={1,0}, index_vector_dim=1, slice_sizes={2,4}\n"},
      {"gather of rows, places beyond the array",
       " x = f64[3,5] parameter(0)\n i = s32[6] parameter(1)\n"
       " ROOT y = f64[6,5] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
       "index_vector_dim=1, slice_sizes={1,5}\n"},
      {"scatter that keeps the largest, places beyond the array",
       " x = f64[3,5] parameter(0)\n i = s32[6] parameter(1)\n u = f64[6,5] parameter(2)\n"
       " ROOT y = f64[3,5] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=most\n"},
      {"scatter that keeps the smallest",
       " x = f64[3,5] parameter(0)\n i = s32[4] parameter(1)\n u = f64[4,5] parameter(2)\n"
       " ROOT y = f64[3,5] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=least\n"},
      {"scatter that adds, places beyond the array",
       " x = f64[3,5] parameter(0)\n i = s32[6] parameter(1)\n u = f64[6,5] parameter(2)\n"
       " ROOT y = f64[3,5] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum\n"},
      {"scatter that replaces, the last stays",
       " x = f64[3,5] parameter(0)\n i = s32[6] parameter(1)\n u = f64[6,5] parameter(2)\n"
       " ROOT y = f64[3,5] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=new\n"},
      {"sort", " x = f64[3,6] parameter(0)\n ROOT y = f64[3,6] sort(x), dimensions={1}, to_apply=less\n"},
      {"topk",
       " x = f64[3,6] parameter(0)\n t = (f64[3,2], s32[3,2]) topk(x), k=2, largest=true\n"
       " ROOT y = f64[3,2] get-tuple-element(t), index=0\n"},
      {"select, clamp",
       " x = f64[4] parameter(0)\n w = f64[4] parameter(1)\n p = pred[4] parameter(2)\n"
       " l = f64[] parameter(3)\n h = f64[] constant(0.9)\n s = f64[4] select(p, x, w)\n"
       " ROOT y = f64[4] clamp(l, s, h)\n"},
      {"cholesky",
       " x = f64[2,3,3] parameter(0)\n t = f64[2,3,3] transpose(x), dimensions={0,2,1}\n"
       " d = f64[2,3,3] dot(x, t), lhs_batch_dims={0}, rhs_batch_dims={0}, "
       "lhs_contracting_dims={2}, rhs_contracting_dims={1}\n e = f64[] constant(1)\n"
       " b = f64[2,3,3] broadcast(e), dimensions={}\n n = s32[2,3,3] iota(), iota_dimension=1\n"
       " m = s32[2,3,3] iota(), iota_dimension=2\n q = pred[2,3,3] compare(n, m), direction=EQ\n"
       " z = f64[] constant(0)\n o = f64[2,3,3] broadcast(z), dimensions={}\n"
       " i = f64[2,3,3] select(q, b, o)\n a = f64[2,3,3] add(d, i)\n"
       " c = f64[2,3,3] cholesky(a), lower=true\n g = pred[2,3,3] compare(n, m), direction=GE\n"
       " ROOT y = f64[2,3,3] select(g, c, o)\n"},
      {"triangular-solve",
       " a = f64[3,3] parameter(0)\n b = f64[3,2] parameter(1)\n"
       " ROOT y = f64[3,2] triangular-solve(a, b), left_side=true, lower=true, "
       "unit_diagonal=false, transpose_a=TRANSPOSE\n"},
      {"triangular-solve from the right",
       " a = f64[3,3] parameter(0)\n b = f64[2,3] parameter(1)\n"
       " ROOT y = f64[2,3] triangular-solve(a, b), left_side=false, lower=false, unit_diagonal=true, "
       "transpose_a=NO_TRANSPOSE\n"},
      {"while",
       " x = f64[4] parameter(0)\n w = f64[6,4] parameter(1)\n z = s32[] constant(1)\n"
       " t = (s32[], f64[4], f64[6,4]) tuple(z, x, w)\n"
       " r = (s32[], f64[4], f64[6,4]) while(t), condition=more, body=round\n"
       " ROOT y = f64[4] get-tuple-element(r), index=1\n"},
      {"conditional",
       " x = f64[4] parameter(0)\n w = f64[4] parameter(1)\n p = s32[] parameter(2)\n"
       " t = (f64[4], f64[4]) tuple(x, w)\n"
       " ROOT y = f64[4] conditional(p, x, t, w), branch_computations={left, right, twice}\n"},
      {"call, fusion",
       " x = f64[4] parameter(0)\n c = f64[4] call(x), to_apply=twice\n"
       " f = f64[4] fusion(c), kind=kLoop, calls=left\n ROOT y = f64[4] call(f), to_apply=twice\n"},
      {"all-reduce",
       " x = f64[4] parameter(0)\n s = f64[4] all-reduce(x), replica_groups={{0,1},{2,3}}, "
       "to_apply=sum\n ROOT y = f64[4] multiply(s, x)\n"},
      {"all-reduce by maximum",
       " x = f64[4] parameter(0)\n"
       " ROOT y = f64[4] all-reduce(x), replica_groups={{0,1,2,3}}, to_apply=most\n"},
      {"all-gather",
       " x = f64[4,3] parameter(0)\n"
       " ROOT y = f64[4,6] all-gather(x), replica_groups={{0,2},{1,3}}, dimensions={1}\n"},
      {"reduce-scatter",
       " x = f64[4,6] parameter(0)\n ROOT y = f64[4,3] reduce-scatter(x), "
       "replica_groups={{0,2},{1,3}}, dimensions={1}, to_apply=sum\n"},
      {"all-to-all",
       " x = f64[4,6] parameter(0)\n"
       " ROOT y = f64[4,6] all-to-all(x), replica_groups={{0,2},{3,1}}, dimensions={1}\n"},
      {"collective-permute",
       " x = f64[4] parameter(0)\n ROOT y = f64[4] collective-permute(x), "
       "source_target_pairs={{0,1},{1,2},{2,0}}\n"},
      {"collective-broadcast",
       " x = f64[4] parameter(0)\n ROOT y = f64[4] collective-broadcast(x), "
       "replica_groups={{2,0},{1,3}}\n"},
  };
  return kRows;
}

TEST(Gradient, EachRuleGivesWhatDifferencesGive) {
  for (const Row& row : rows()) expect_row(row);
}

TEST(Gradient, ElementwiseOperationsGiveWhatDifferencesGive) {
  struct Domain {
    Opcode opcode;
    const char* before;  // brings the operand to where the operation is defined
    bool is_signed;
  };
  const std::vector<Domain> domains = {
      {Opcode::log, "exponential", true},    {Opcode::log_plus_one, "exponential", true},
      {Opcode::sqrt, "exponential", true},   {Opcode::rsqrt, "exponential", true},
      {Opcode::lgamma, "exponential", true}, {Opcode::cbrt, "exponential", true},
      {Opcode::asin, "tanh", true},          {Opcode::acos, "tanh", true},
      {Opcode::atanh, "tanh", true},         {Opcode::erf_inv, "tanh", true},
      {Opcode::acosh, "cosh", true},         {Opcode::digamma, "exponential", true}};
  int seen = 0;
  for (const Operation& o : operations()) {
    if (o.kind != OpClass::elementwise || o.most_operands > 2 || !has_elementwise_derivative(o.opcode))
      continue;
    if (o.opcode == Opcode::complex || o.opcode == Opcode::real || o.opcode == Opcode::imag ||
        o.opcode == Opcode::polygamma || o.opcode == Opcode::next_after)
      continue;
    std::string before = "copy";
    for (const Domain& d : domains)
      if (d.opcode == o.opcode) before = d.before;
    const bool positive = o.opcode == Opcode::power;
    const std::string text = o.text.starts_with("chlo.")
                                 ? "custom-call(a), custom_call_target=\"" + std::string(o.text) + "\""
                                 : std::string(o.text) + (o.fewest_operands == 2 ? "(a, w)" : "(a)");
    const auto module = parse_program(
        "HloModule m\nENTRY main {\n x = f64[5] parameter(0)\n w = f64[5] parameter(1)\n"
        " a = f64[5] " +
        before + "(x)\n ROOT y = f64[5] " + text + "\n}\n");
    const bool of_floats = module.ok() && verify(*module).ok() &&
                           run_on_devices(*module, arguments_of(*module, 7, !positive), Workers(), {}).ok();
    if (!of_floats) continue;  // of whole numbers, or gives them
    expect_differences(*module, std::string(o.text), !positive);
    ++seen;
  }
  EXPECT_GE(seen, 35);
}

TEST(Gradient, WhatIsComputedAgainGivesTheSame) {
  for (const Row& row : rows())
    for (const Remat remat : {Remat::dots, Remat::all}) expect_row(row, remat);
}

}  // namespace
}  // namespace shardscope::grad_test
