// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/kernels/program/expected.h"

namespace shardscope::kernels {
namespace {

Result<const KernelBuffer*> buffer_of(const KernelProgram& program, std::string_view result,
                                      std::string_view name, KernelBuffer::Role role) {
  for (const KernelBuffer& buffer : program.layout.buffers)
    if (buffer.name == name && buffer.role == role) return &buffer;
  return invalid(fmt::format("result {} is judged by an {} called {}, there is none", result,
                             role == KernelBuffer::Role::input ? "input" : "output", name));
}

Result<void> check_shape(const KernelProgram& program, std::string_view result, int64_t rows, int64_t cols) {
  TRY(const KernelBuffer* out, buffer_of(program, result, "out", KernelBuffer::Role::output));
  if (out->rows == rows && out->cols == cols) return {};
  return invalid(fmt::format("out is [{}, {}], result {} makes [{}, {}] of the inputs", out->rows, out->cols,
                             result, rows, cols));
}

Result<void> check_product(const KernelProgram& program, std::string_view name) {
  const Mesh& mesh = program.layout.mesh;
  TRY(const KernelBuffer* a, buffer_of(program, name, "a", KernelBuffer::Role::input));
  TRY(const KernelBuffer* b, buffer_of(program, name, "b", KernelBuffer::Role::input));
  const bool gathered = name == "gathered_product";
  if (name != "product" && !gathered && mesh.rank() < 2)
    return invalid(fmt::format("result {} needs axes x, y", name));
  if (name == "block_product" && mesh.axis_size(0) < mesh.axis_size(1))
    return invalid("result block_product needs as many devices on x as on y");
  const bool whole = name == "whole_product";
  const int64_t left = a->cols * (whole ? mesh.axis_size(1) : 1);
  const int64_t right = b->rows * (whole ? mesh.axis_size(0) : 1);
  if (left != right) return invalid(fmt::format("a has {} columns for {} rows of b", left, right));
  const int64_t all = gathered && mesh.rank() > 0 ? mesh.axis_size(0) : 1;
  return check_shape(program, name, all * a->rows, b->cols);
}

}  // namespace

const std::vector<ExpectedResult>& expected_results() {
  static const std::vector<ExpectedResult> kResults = {
      {"gathered", to_say("out holds the x of all devices on the ring, one below the other"),
       expect_gathered},
      {"summed", to_say("out holds the sum of the x of all devices on the ring"), expect_summed},
      {"scattered", to_say("out holds this device's rows of that sum"), expect_scattered},
      {"permuted", to_say("out holds the x of the left neighbour"), expect_permuted},
      {"product", to_say("out holds a · b of this device"), expect_product},
      {"gathered_product",
       to_say("out holds the a of all devices, one below the other, times this device's b"),
       expect_gathered_product},
      {"block_product", to_say("out holds a of device (x, y) times b of device (y, y)"),
       expect_block_product},
      {"whole_product", to_say("out holds rows x of the product of all a and all b"), expect_whole_product},
  };
  return kResults;
}

const ExpectedResult* expected_result(std::string_view name) {
  const auto found = std::ranges::find(expected_results(), name, &ExpectedResult::name);
  return found == expected_results().end() ? nullptr : &*found;
}

Result<void> check_expected(const KernelProgram& program, std::string_view name) {
  if (name.ends_with("product")) return check_product(program, name);
  TRY(const KernelBuffer* x, buffer_of(program, name, "x", KernelBuffer::Role::input));
  const Mesh& mesh = program.layout.mesh;
  const int64_t n = mesh.rank() > 0 ? mesh.axis_size(0) : 1;
  if (name == "gathered") return check_shape(program, name, n * x->rows, x->cols);
  if (name != "scattered") return check_shape(program, name, x->rows, x->cols);
  if (x->rows % n != 0) return invalid(fmt::format("{} devices share {} rows of x", n, x->rows));
  return check_shape(program, name, x->rows / n, x->cols);
}

}  // namespace shardscope::kernels
