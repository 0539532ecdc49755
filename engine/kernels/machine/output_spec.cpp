// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/machine/output_spec.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardscope::kernels {
namespace {

constexpr size_t kFewest = 16;  // elements that are not equal by chance

int32_t first_on(const Mesh& mesh, int32_t device, int32_t axis) {
  std::vector<int64_t> at = mesh.coordinates(DeviceId(device));
  at[static_cast<size_t>(axis)] = 0;
  return static_cast<int32_t>(mesh.device_at(at).value);
}

// The first device whose numbers are not those of the first device along `axis`.
std::optional<int32_t> differs(const KernelProgram& program, const Machine& machine, int32_t buffer,
                               int32_t axis) {
  for (int32_t d = 0; d < program.device_count(); ++d) {
    const int32_t first = first_on(program.layout.mesh, d, axis);
    const Numbers &here = machine.numbers(d, buffer), &there = machine.numbers(first, buffer);
    const bool written = std::ranges::count(machine.initialised(d, buffer), uint8_t{0}) == 0;
    if (written && here != there) return d;
  }
  return std::nullopt;
}

std::string axis_name(int32_t axis) {
  return std::string(1, static_cast<char>('x' + axis));
}

std::optional<KernelFinding> not_the_same(const KernelProgram& program, const Machine& machine,
                                          int32_t buffer) {
  const KernelBuffer& output = program.buffer(buffer);
  if (output.replicated_over < 0) return std::nullopt;
  const auto device = differs(program, machine, buffer, output.replicated_over);
  if (!device) return std::nullopt;
  const int32_t first = first_on(program.layout.mesh, *device, output.replicated_over);
  const std::string axis = axis_name(output.replicated_over);
  KernelFinding out;
  out.devices = {first, *device};
  out.message =
      fmt::format("{} of device {} is not that of device {}: its out_specs call it the same along {}",
                  output.name, *device, first, axis);
  out.missing = fmt::format("a result that is whole on every device, or out_specs over {}", axis);
  return out;
}

std::optional<KernelFinding> not_a_shard(const KernelProgram& program, const Machine& machine,
                                         int32_t buffer) {
  const KernelBuffer& output = program.buffer(buffer);
  if (output.sharded_over < 0) return std::nullopt;
  const int64_t size = program.layout.mesh.axis_size(output.sharded_over);
  const auto& written = machine.initialised(0, buffer);
  const bool told = written.size() >= kFewest && std::ranges::count(written, uint8_t{0}) == 0;
  if (size < 2 || !told || differs(program, machine, buffer, output.sharded_over)) return std::nullopt;
  const std::string axis = axis_name(output.sharded_over);
  KernelFinding out;
  for (int32_t d = 0; d < program.device_count(); ++d) out.devices.push_back(d);
  out.message = fmt::format(
      "{} is the same on all {} devices along {}, and its out_specs call it a shard: the array comes out as "
      "[{}, {}], {} times one below the other",
      output.name, size, axis, size * output.rows, output.cols, size);
  out.missing = fmt::format("out_specs without {}", axis);
  return out;
}

}  // namespace

std::optional<KernelFinding> judge_spec(const KernelProgram& program, const Machine& machine,
                                        int32_t buffer) {
  std::optional<KernelFinding> out = not_the_same(program, machine, buffer);
  if (!out) out = not_a_shard(program, machine, buffer);
  if (!out) return std::nullopt;
  out->kind = FindingKind::wrong_spec;
  out->step = machine.step();
  out->first = {out->devices.front(), -1, 0, machine.step(), out->message};
  return out;
}

}  // namespace shardscope::kernels
