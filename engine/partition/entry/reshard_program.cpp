// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/entry/reshard_program.h"

#include <utility>

#include "engine/partition/reshard/name_table.h"
#include "engine/partition/reshard/resharder.h"
#include "engine/partition/types/spmd_prepare.h"

namespace shardscope::inline partitioner {
namespace {

Result<Tiling> tiling_of(const Mesh& mesh, const PartitionSpec& spec) {
  TRY(const NamedSharding sharding, NamedSharding::make(mesh, spec));
  return Tiling::from(HloSharding::from(sharding, 2), 2, mesh.device_count());
}

}  // namespace

Result<Program> reshard_program(const Mesh& mesh, const Shape& shape, const StoredArray& from,
                                const StoredArray& to) {
  TRY(Tiling held, tiling_of(mesh, from.spec));
  TRY(const Tiling wanted, tiling_of(mesh, to.spec));
  Shape stored = shape;
  if (from.transposed) std::swap(stored.dims[0], stored.dims[1]);
  SpmdWriter writer(mesh.device_count(), SpmdDialect::current);
  Resharder resharder(writer, ReplicaParts::allowed);
  Instruction parameter;
  parameter.opcode = Opcode::parameter;
  parameter.parameter_number = 0;
  parameter.shape = with_default_layout(Shape::array(stored.type, tile_dims(held, stored.dims)));
  InstructionId id = writer.add(std::move(parameter));
  if (from.transposed != to.transposed) {
    id = writer.transpose(id, {1, 0});
    std::swap(stored.dims[0], stored.dims[1]);
    held = held.mapped({1, 0});
  }
  const Sharded there = resharder.to(writer.whole(), {id, stored, held}, wanted);
  Program out;
  out.name = "reshard";
  out.mesh = mesh;
  out.computations = std::move(writer.computations());
  out.computations.push_back(writer.close_page({}, "main", there.id));
  out.entry = ComputationId(static_cast<int64_t>(out.computations.size()) - 1);
  give_names(Program(), out);
  remove_dead(out.computations.back());
  TRY_VOID(verify(out));
  return out;
}

}  // namespace shardscope::inline partitioner
