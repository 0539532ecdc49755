// SPDX-License-Identifier: Apache-2.0
#include "engine/session/module_face.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"

namespace shardscope::inline session {
namespace {

std::string shapes_text(const std::vector<Shape>& shapes) {
  std::vector<std::string> parts;
  for (const Shape& shape : shapes) {
    Shape plain = shape;
    plain.layout = {};
    parts.push_back(plain.text());
  }
  return join(parts, ", ");
}

std::string signature(const std::vector<Shape>& parameters, const std::vector<Shape>& results,
                      int64_t devices) {
  return fmt::format("({}) -> ({}) on {}", shapes_text(parameters), shapes_text(results),
                     counted(devices, "device"));
}

std::string sharding_text(const Mesh& mesh, const HloSharding& sharding) {
  const auto named = sharding.to_named(mesh);
  return named.ok() && named->unreduced().empty() ? named->spec().text() : sharding.text();
}

ModuleFace face_of(const Mesh& mesh, const Partitioned& partitioned) {
  ModuleFace out;
  for (size_t i = 0; i < partitioned.parameters.size(); ++i)
    out.ends.inputs.push_back(
        {partitioned.parameter_names[i], sharding_text(mesh, partitioned.parameters[i])});
  for (size_t i = 0; i < partitioned.results.size(); ++i) {
    const std::string name = partitioned.results.size() == 1 ? "result" : fmt::format("result{{{}}}", i);
    out.ends.outputs.push_back({name, sharding_text(mesh, partitioned.results[i])});
  }
  out.signature = signature(partitioned.parameter_shapes, partitioned.result_shapes, mesh.device_count());
  out.warnings = partitioned.warnings();
  return out;
}

}  // namespace

ModuleFace module_face(const Program& program, const Partitioned* partitioned) {
  if (partitioned != nullptr) return face_of(program.mesh, *partitioned);
  const auto placed = [](const std::string& name, const Instruction& i) {
    return PlacedArray{name, i.sharding ? i.sharding->text() : "of one device"};
  };
  const Computation& entry = program.entry_computation();
  ModuleFace out;
  std::vector<Shape> shapes;
  for (const Instruction* i : parameters_by_number(entry)) {
    shapes.push_back(i == nullptr ? Shape() : i->shape);
    out.ends.inputs.push_back(i == nullptr ? PlacedArray() : placed(i->name, *i));
  }
  out.ends.outputs.push_back(placed("result", entry.root_instruction()));
  out.signature = signature(shapes, {entry.root_instruction().shape}, program.mesh.device_count());
  return out;
}

}  // namespace shardscope::inline session
