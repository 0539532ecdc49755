// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/time/stand_in.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/collectives/opcode_kind.h"
#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/time/time.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope::kernels {

namespace {

bool has_arrays(ElementType type) {
  return type == ElementType::f32 || type == ElementType::bf16 || type == ElementType::f16;
}

// Double-buffered square tiles of a, b and out, and the f32 scratch, within the limit.
int64_t largest_tile(ElementType type, int64_t limit) {
  int64_t tile = 128;
  while (2 * 3 * byte_size(type, 4 * tile * tile) + byte_size(ElementType::f32, 4 * tile * tile) <= limit)
    tile *= 2;
  return tile;
}

Result<StandIn> tiled_product(const Computation& computation, const Instruction& dot) {
  const DotSize size = dot_size(computation, dot);
  if (size.batch != 1)
    return invalid(fmt::format("is {} products, the kernel makes one", size.batch), dot.name);
  StandIn out;
  out.kernel = "matmul.tiled";
  out.options.dtype = computation.at(dot.operands[0]).shape.type;
  out.options.m = size.m;
  out.options.k = size.k;
  out.options.n = size.n;
  const int64_t tile = largest_tile(out.options.dtype, out.options.vmem_limit);
  out.options.bm = std::min(tile, *out.options.m);
  out.options.bk = std::min(tile, size.k);
  out.options.bn = std::min(tile, size.n);
  return out;
}

Result<StandIn> ring_kernel(const Program& program, const Instruction& i, CollectiveKind kind) {
  const std::vector<std::string> axes = collective_axes(program, i);
  if (axes.size() != 1) return invalid("runs along several axes or none", i.name);
  const MeshAxis axis = program.mesh.axes()[static_cast<size_t>(*program.mesh.axis_index(axes[0]))];
  const Shape& shard = program.entry_computation().at(i.operands[0]).shape;
  StandIn out;
  out.options.dtype = shard.type;
  TRY(out.options.mesh, Mesh::make({axis}));
  const int64_t cols = shard.rank() > 1 ? shard.dims.back() : 1;
  int64_t rows = cols > 0 ? shard.element_count() / cols : 0;
  switch (kind) {
    case CollectiveKind::all_gather:
      out.kernel = rows % 2 == 0 && i.algorithm != "ring" ? "ag.bidi.halves" : "ag.ring";
      break;
    case CollectiveKind::all_reduce:
      out.kernel = "ar.two_slot";
      break;
    case CollectiveKind::reduce_scatter:
      out.kernel = "rs.bidi";
      if (rows % (2 * axis.size) != 0) return invalid("has blocks of an odd number of rows", i.name);
      rows /= axis.size;
      break;
    case CollectiveKind::permute:
      if (!shift_along(program.mesh, *program.mesh.axis_index(axes[0]), *i.permutation))
        return invalid("does not shift by one along its axis", i.name);
      out.kernel = "permute";
      break;
    default:
      return invalid("has no kernel", i.name);
  }
  out.options.rows = rows;
  out.options.cols = cols;
  return out;
}

}  // namespace

std::optional<int> shift_along(const Mesh& mesh, int axis, const Permutation& permutation) {
  const int64_t size = mesh.axis_size(axis);
  if (static_cast<int64_t>(permutation.pairs().size()) != mesh.device_count()) return std::nullopt;
  for (const int way : {+1, -1}) {
    bool all = true;
    for (const auto& [source, target] : permutation.pairs()) {
      std::vector<int64_t> to = mesh.coordinates(source);
      int64_t& place = to[static_cast<size_t>(axis)];
      place = (place + way + size) % size;
      all = all && mesh.device_at(to) == target;
    }
    if (all) return way;
  }
  return std::nullopt;
}

Result<StandIn> stand_in(const Program& program, InstructionId instruction) {
  const Computation& computation = program.entry_computation();
  const Instruction& i = computation.at(instruction);
  if (i.operands.empty() || !has_arrays(computation.at(i.operands[0]).shape.type))
    return invalid("kernels work on arrays of f32, bf16 and f16", i.name);
  if (i.opcode == Opcode::dot) return tiled_product(computation, i);
  if (const auto kind = collective_kind(i)) return ring_kernel(program, i, *kind);
  return invalid(fmt::format("no kernel stands for {}", opcode_text(i.opcode)), i.name);
}

Result<KernelTime> time_of(const StandIn& kernel, const Hardware& hardware) {
  TRY(const KernelEntry entry, find_kernel(kernel.kernel));
  KernelOptions options = kernel.options;
  options.hbm_limit = hardware.memory.hbm_bytes;
  TRY(const KernelProgram program, build_kernel(entry, options));
  if (!program.defects.empty()) return invalid(program.defects.front().message, kernel.kernel);
  return time_kernel(program, hardware, KernelWraps::of_mesh);
}

Result<std::vector<StandInTime>> stand_in_times(const Program& program, const Hardware& hardware) {
  std::vector<StandInTime> out;
  const Computation& computation = program.entry_computation();
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    const InstructionId id(static_cast<int64_t>(i));
    const Result<StandIn> kernel = stand_in(program, id);
    if (!kernel.ok()) continue;
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const StandInTime& t) { return t.kernel == *kernel; });
    if (same != out.end()) {
      const Picoseconds known = same->time;
      out.push_back({id, *kernel, known});
      continue;
    }
    const Result<KernelTime> time = time_of(*kernel, hardware);
    if (time.ok()) out.push_back({id, *kernel, time->total});
  }
  return out;
}

}  // namespace shardscope::kernels
