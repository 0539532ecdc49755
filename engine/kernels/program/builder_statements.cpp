// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/kernels/program/builder.h"
#include "engine/kernels/program/capacity.h"
#include "engine/kernels/program/rounded_sums.h"

namespace shardscope::kernels {

namespace {

Op compute(OpKind kind, const Ref& dst) {
  Op op;
  op.kind = kind;
  op.dst = dst.slice;
  return op;
}

std::string sizes(const Ref& r) {
  return fmt::format("[{}, {}]", r.rows(), r.cols());
}

}  // namespace

void Kernel::zero(const Ref& dst, At at) {
  emit(compute(OpKind::zero, dst), at);
}

void Kernel::add(const Ref& dst, const Ref& a, const Ref& b, At at) {
  require(dst.rows() == a.rows() && dst.cols() == a.cols() && a.rows() == b.rows() && a.cols() == b.cols(),
          fmt::format("add of {} and {} into {}", sizes(a), sizes(b), sizes(dst)));
  Op op = compute(OpKind::add, dst);
  op.a = a.slice;
  op.b = b.slice;
  emit(op, at);
}

void Kernel::dot(const Ref& acc, const Ref& a, const Ref& b, At at) {
  require(acc.rows() == a.rows() && a.cols() == b.rows() && acc.cols() == b.cols(),
          fmt::format("dot of {} and {} into {}", sizes(a), sizes(b), sizes(acc)));
  Op op = compute(OpKind::dot, acc);
  op.a = a.slice;
  op.b = b.slice;
  program_.flops += 2 * a.rows() * a.cols() * b.cols();
  emit(op, at);
}

void Kernel::store(const Ref& dst, const Ref& a, At at) {
  require(dst.rows() == a.rows() && dst.cols() == a.cols(),
          fmt::format("store of {} into {}", sizes(a), sizes(dst)));
  Op op = compute(OpKind::store, dst);
  op.a = a.slice;
  emit(op, at);
}

void Kernel::needs_product(int64_t m, int64_t depth, int64_t n) {
  program_.needed_flops += 2 * m * depth * n;
}

void Kernel::grid(int64_t count, const std::function<void(int64_t)>& body) {
  const int32_t outer = grid_step_;
  for (int64_t i = 0; i < count; ++i) {
    grid_step_ = static_cast<int32_t>(i);
    body(i);
  }
  grid_step_ = outer;
}

void Kernel::when(bool condition, const std::function<void()>& body) {
  if (condition) body();
}

Ref Kernel::scoped(const std::string& name, int64_t rows, int64_t cols, ElementType type, At at) {
  KernelBuffer buffer{name, MemorySpace::vmem, KernelBuffer::Role::scratch, type, rows, cols};
  buffer.scoped = true;
  const Ref ref = declare(std::move(buffer));
  emit(compute(OpKind::alloc, ref), at);
  return ref;
}

void Kernel::end_scope(const Ref& ref, At at) {
  emit(compute(OpKind::free, ref), at);
}

void Kernel::defect(FindingKind kind, const std::string& message, At at) {
  KernelFinding finding;
  finding.kind = kind;
  finding.devices = {device_};
  finding.first = {device_, -1, at.line(), 0, message};
  finding.message = message;
  program_.defects.push_back(std::move(finding));
}

void Kernel::emit(Op op, const At& at) {
  op.line = at.line();
  op.grid_step = grid_step_;
  program_.devices[static_cast<size_t>(device_)].push_back(op);
}

namespace {

Op bracket(OpKind kind, int32_t line) {
  Op op;
  op.kind = kind;
  op.line = line;
  return op;
}

}  // namespace

Result<KernelProgram> build_kernel(const std::string& id, const KernelBody& body,
                                   const KernelOptions& options, const KernelListing& listing) {
  KernelProgram program;
  program.layout.kernel = id;
  program.layout.listing = listing;
  program.layout.mesh = options.mesh;
  program.layout.vmem_limit = options.vmem_limit;
  const int32_t devices = static_cast<int32_t>(options.mesh.device_count());
  program.devices.resize(static_cast<size_t>(devices));
  for (int32_t d = 0; d < devices; ++d) {
    auto& ops = program.devices[static_cast<size_t>(d)];
    ops.push_back(bracket(OpKind::enter, 1));
    Kernel kernel(options, program, d);
    body(kernel);
    if (!kernel.error().empty()) {
      const std::string place = kernel.error_place();
      return invalid(kernel.error(), place.empty() ? id : id + ":" + place);
    }
    const int32_t last = static_cast<int32_t>(program.layout.listing.lines.size());
    ops.push_back(bracket(OpKind::exit, std::max(last, ops.back().line)));
  }
  check_capacities(program, options);
  check_rounded_sums(program);
  return program;
}

}  // namespace shardscope::kernels
