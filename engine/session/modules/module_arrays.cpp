// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/module_arrays.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace shardscope::inline session {
namespace {

// none: not along the mesh's axes, or not evenly.
std::optional<ArrayInfo> array_info(const Mesh& mesh, const std::string& symbol, ArrayRole role,
                                    const Shape& shape, const HloSharding& sharding) {
  const auto named = sharding.to_named(mesh);
  if (!named.ok() || !named->unreduced().empty() || !named->shard_shape(shape.dims).ok()) return std::nullopt;
  ArrayInfo out;
  out.role = role;
  out.dims = shape.dims;
  out.spec = named->spec();
  out.symbol = symbol;
  return out;
}

std::string result_symbol(size_t n, size_t count) {
  return count == 1 ? "result" : fmt::format("result{}", n);
}

// A root that is an array, or a tuple of arrays as many as there are results.
bool flat_results(const Shape& root, size_t results) {
  if (!root.is_tuple) return results == 1;
  return root.elements.size() == results &&
         std::ranges::none_of(root.elements, [](const Shape& s) { return s.is_tuple; });
}

}  // namespace

void say_arrays(const Partitioned& partitioned, Program& program) {
  const Computation& entry = program.entry_computation();
  for (const Instruction& i : parameters(entry))
    if (i.shape.is_tuple) return;
  const size_t results = partitioned.results.size();
  if (results == 0 || !flat_results(entry.root_instruction().shape, results)) return;
  Program described = program;
  described.inputs.clear();
  described.further_outputs.clear();
  for (size_t k = 0; k < partitioned.parameters.size(); ++k) {
    auto info = array_info(program.mesh, partitioned.parameter_names[k], ArrayRole::argument,
                           partitioned.parameter_shapes[k], partitioned.parameters[k]);
    if (!info) return;
    described.inputs.push_back(*std::move(info));
  }
  for (size_t k = 0; k < results; ++k) {
    auto info = array_info(program.mesh, result_symbol(k, results), ArrayRole::result,
                           partitioned.result_shapes[k], partitioned.results[k]);
    if (!info) return;
    if (k == 0)
      described.output = *std::move(info);
    else
      described.further_outputs.push_back(*std::move(info));
  }
  if (verify(described).ok()) program = std::move(described);
}

}  // namespace shardscope::inline session
