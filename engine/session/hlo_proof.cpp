// SPDX-License-Identifier: Apache-2.0
#include "engine/session/hlo_proof.h"

#include <algorithm>
#include <map>

#include "engine/base/machine/memory_limit.h"
#include "engine/numerics/array/copy.h"
#include "engine/numerics/array/drawn.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "engine/session/initial_values.h"
#include "engine/session/known/known_values.h"

namespace shardscope::inline session {
namespace {

// What stands in a tile beyond its array's end.
Array padding_element(ElementType type) {
  Array one = Array::allocate(type, {});
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    const double value = !element::kInteger<Tag> ? std::nan("") : type == ElementType::pred ? 1.0 : 85.0;
    one.mutable_as<typename Tag::Stored>()[0] = Tag::store(static_cast<typename Tag::Computed>(value));
  });
  return one;
}

// One device's tile of the array.
ViewPtr tile_of(const Array& array, const HloSharding& sharding, DeviceId device) {
  const std::vector<int64_t> tile = sharding.tile_shape(array.dims());
  const IndexBox box = sharding.slices(device, array.dims());
  View view = View::of(array);
  bool is_short = false;
  for (size_t d = 0; d < tile.size(); ++d) is_short = is_short || box[d].size() != tile[d];
  const Array filler = is_short ? padding_element(array.type()) : Array();
  for (size_t d = 0; d < tile.size(); ++d) {
    const int64_t held = std::max<int64_t>(box[d].size(), 0);
    if (held == 0 && is_short) return std::make_shared<const View>(View::splat(filler, tile));
    view = *view.slice(d, box[d].start, box[d].stop);
  }
  for (size_t d = 0; d < tile.size(); ++d) {
    const int64_t held = view.dims()[d];
    if (held == tile[d]) continue;
    std::vector<int64_t> rest = view.dims();
    rest[d] = tile[d] - held;
    const View padding = View::splat(filler, rest);
    const View* const parts[] = {&view, &padding};
    const auto padded = View::concatenate(parts, d);
    CHECK(padded.has_value());
    view = *padded;
  }
  return std::make_shared<const View>(std::move(view));
}

void leaves_of_value(const DeviceValue& value, const Shape& shape,
                     std::vector<std::pair<DeviceValue, Shape>>& out) {
  if (!shape.is_tuple) {
    out.emplace_back(value, shape);
    return;
  }
  for (size_t k = 0; k < shape.elements.size(); ++k)
    leaves_of_value(value.elements[k], shape.elements[k], out);
}

// One parameter's value out of its leaves.
DeviceValue value_of(const Shape& shape, const std::vector<ViewPtr>& leaves, size_t& next) {
  DeviceValue out;
  if (!shape.is_tuple) {
    out.view = leaves[next++];
    return out;
  }
  for (const Shape& element : shape.elements) out.elements.push_back(value_of(element, leaves, next));
  return out;
}

// leaves[device]: of all parameters, in their order -> [parameter][device].
std::vector<std::vector<DeviceValue>> parameter_values(const Program& program,
                                                       const std::vector<std::vector<ViewPtr>>& leaves) {
  std::vector<std::vector<DeviceValue>> out;
  std::vector<size_t> next(leaves.size());
  for (const Instruction* p : parameters_by_number(program.entry_computation())) {
    std::vector<DeviceValue>& by_device = out.emplace_back();
    for (size_t d = 0; d < leaves.size(); ++d) by_device.push_back(value_of(p->shape, leaves[d], next[d]));
  }
  return out;
}

// The whole of a result out of all devices' tiles; `disagreement`: devices that should hold the same and do
// not.
Array put_together(const std::vector<ViewPtr>& tiles, const HloSharding& sharding,
                   const std::vector<int64_t>& global, size_t leaf, std::string& disagreement) {
  Array whole = Array::allocate(tiles.front()->type(), global);
  std::map<std::vector<int64_t>, std::pair<size_t, Array>> seen;
  for (size_t device = 0; device < tiles.size(); ++device) {
    const IndexBox box = sharding.slices(DeviceId(static_cast<int64_t>(device)), global);
    std::vector<int64_t> at;
    bool holds = true;
    for (const auto& range : box) {
      holds = holds && range.size() > 0;
      at.push_back(range.start);
    }
    if (!holds) continue;
    Array part = copy_of(*tiles[device]);
    View held = View::of(part);
    for (size_t d = 0; d < box.size(); ++d) held = *held.slice(d, 0, box[d].size());
    if (held.dims() != part.dims()) part = copy_of(held);
    const auto [known, is_new] = seen.try_emplace(std::move(at), device, part);
    if (is_new) {
      paste(part.data(), box, whole);
    } else if (!(known->second.second == part) && disagreement.empty()) {
      disagreement = "devices " + std::to_string(known->second.first) + " and " + std::to_string(device) +
                     " hold different copies of result " + std::to_string(leaf);
    }
  }
  return whole;
}

}  // namespace

Result<std::vector<Array>> module_arguments(const Program& module, uint64_t seed, const Workers& workers) {
  std::vector<Array> out;
  double bytes = 0;
  const std::vector<Shape> leaves = parameter_leaves(module);
  for (const Shape& leaf : leaves)
    bytes += static_cast<double>(stored_bytes(leaf.type, leaf.element_count()));
  TRY_VOID(require_memory(3 * bytes, "running " + module.name, "say --check off, or use a smaller module"));
  for (size_t n = 0; n < leaves.size(); ++n)
    out.push_back(drawn_array(leaves[n].type, leaves[n].dims, mixed_bits(seed + n), workers));
  for (const InitialValue& start : initial_values(module))
    out[start.leaf] = identity_element(start.operation, leaves[start.leaf].type);
  return out;
}

Array tile_array(const Array& whole, const HloSharding& sharding, DeviceId device) {
  return copy_of(*tile_of(whole, sharding, device));
}

Result<std::vector<Array>> run_module(const Program& module, const std::vector<Array>& arguments,
                                      const Workers& workers, const RunLimits& limits) {
  // Calls and annotations mean the same on one device, whatever their shardings say.
  TRY(Program single, unannotated(module));
  single.mesh = Mesh();
  Interpreter interpreter(single, workers, false);
  std::vector<std::vector<ViewPtr>> parameters(1);
  for (const Array& a : arguments) parameters.front().push_back(std::make_shared<const View>(View::of(a)));
  TRY(const std::vector<DeviceValue> values,
      interpreter.run_values(parameter_values(single, parameters), limits));
  std::vector<std::pair<DeviceValue, Shape>> leaves;
  leaves_of_value(values.front(), single.entry_computation().root_instruction().shape, leaves);
  std::vector<Array> out;
  for (const auto& [value, shape] : leaves) out.push_back(copy_of(*interpreter.view_of(value, shape.type)));
  return out;
}

Result<PartitionedResult> run_partitioned(const Partitioned& partitioned, const std::vector<Array>& arguments,
                                          const Workers& workers, const RunLimits& limits) {
  const Program& program = *partitioned.program;
  const int64_t devices = program.mesh.device_count();
  Interpreter interpreter(program, workers, false);
  std::vector<std::vector<ViewPtr>> parameters(static_cast<size_t>(devices));
  workers.parallel_for(devices, [&](int64_t d) {
    for (size_t n = 0; n < arguments.size(); ++n)
      parameters[static_cast<size_t>(d)].push_back(
          tile_of(arguments[n], partitioned.parameters[n], DeviceId(d)));
  });
  TRY(const std::vector<DeviceValue> values,
      interpreter.run_values(parameter_values(program, parameters), limits));
  PartitionedResult out;
  out.wall_s = interpreter.seconds();
  const size_t count = partitioned.results.size();
  std::vector<std::vector<ViewPtr>> tiles(count);  // by leaf and device
  for (const DeviceValue& value : values) {
    std::vector<std::pair<DeviceValue, Shape>> leaves;
    leaves_of_value(value, program.entry_computation().root_instruction().shape, leaves);
    CHECK(leaves.size() == count);
    for (size_t k = 0; k < count; ++k)
      tiles[k].push_back(interpreter.view_of(leaves[k].first, leaves[k].second.type));
  }
  out.leaves.resize(count);
  std::vector<std::string> disagreements(count);
  workers.parallel_for(static_cast<int64_t>(count), [&](int64_t leaf) {
    const auto k = static_cast<size_t>(leaf);
    out.leaves[k] = put_together(tiles[k], partitioned.results[k], partitioned.result_shapes[k].dims, k,
                                 disagreements[k]);
  });
  for (std::string& each : disagreements)
    if (out.disagreement.empty()) out.disagreement = std::move(each);
  return out;
}

Result<KnownResult> run_known(const Program& program, const RunProgram& run) {
  constexpr int kMostTries = 64;
  KnownValues known(program);
  KnownResult out;
  for (int tries = 0; tries < kMostTries; ++tries) {
    out.unknown = known.unknown();
    out.stopped = known.stopped();
    out.instructions = known.instructions();
    out.leaves.assign(out.unknown.size(), Array());
    if (known.leaves().empty()) return out;
    TRY_VOID(verify(known.program()));
    Result<PartitionedResult> made = run(known.program(), known.leaves());
    if (made.ok()) {
      CHECK(made->leaves.size() == known.leaves().size());
      for (size_t k = 0; k < made->leaves.size(); ++k)
        out.leaves[known.leaves()[k]] = std::move(made->leaves[k]);
      out.disagreement = std::move(made->disagreement);
      out.wall_s = made->wall_s;
      if (!known.all()) out.program = known.program();
      return out;
    }
    if (!known.leave_out(made.error())) return made.error();
  }
  return invalid("too many instructions that cannot be computed", program.name, "say --check off");
}

Partitioned with_leaves(const Partitioned& whole, const Program& program, const std::vector<size_t>& leaves) {
  Partitioned out = whole;
  change_program(program, out);
  out.results.clear();
  out.result_shapes.clear();
  for (const size_t leaf : leaves) {
    out.results.push_back(whole.results[leaf]);
    out.result_shapes.push_back(whole.result_shapes[leaf]);
  }
  return out;
}

Result<KnownResult> run_known(const Partitioned& whole, const RunPartitioned& run) {
  return run_known(*whole.program, [&](const Program& program, const std::vector<size_t>& leaves) {
    return &program == &*whole.program ? run(whole) : run(with_leaves(whole, program, leaves));
  });
}

}  // namespace shardscope::inline session
