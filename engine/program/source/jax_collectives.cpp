// SPDX-License-Identifier: Apache-2.0
// Collectives over the mesh's axes by name, or over groups of device numbers where they are no axes.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <utility>

#include "engine/base/text.h"
#include "engine/program/source/jax_rules.h"
#include "engine/program/source/python_names.h"

namespace shardscope::inline program {
namespace {

std::vector<std::string> axis_names(const Mesh& mesh) {
  std::vector<std::string> out;
  for (const MeshAxis& axis : mesh.axes()) out.push_back(axis.name);
  return out;
}

// The devices that share everything but these axes, in the row-major order of the axes as named.
std::vector<std::vector<DeviceId>> groups_over(const Mesh& mesh, const std::vector<std::string>& axes) {
  std::vector<std::vector<DeviceId>> out;
  std::vector<int> places;
  int64_t size = 1;
  for (const std::string& axis : axes) {
    places.push_back(*mesh.axis_index(axis));
    size *= mesh.axis_size(places.back());
  }
  for (int64_t d = 0; d < mesh.device_count(); ++d) {
    const std::vector<int64_t> first = mesh.coordinates(DeviceId(d));
    if (!std::ranges::all_of(places, [&](int p) { return first[static_cast<size_t>(p)] == 0; })) continue;
    std::vector<DeviceId>& group = out.emplace_back();
    for (int64_t n = 0; n < size; ++n) {
      std::vector<int64_t> at = first;
      int64_t rest = n;
      for (auto p = places.rbegin(); p != places.rend(); ++p) {
        at[static_cast<size_t>(*p)] = rest % mesh.axis_size(*p);
        rest /= mesh.axis_size(*p);
      }
      group.push_back(mesh.device_at(at));
    }
  }
  return out;
}

// Axes in an order in which their groups are the collective's, or none.
std::vector<std::string> axes_of(const JaxOperation& op) {
  std::vector<std::string> axes = collective_axes(op.program, op.i);
  auto groups = device_groups(op.program, op.i);
  std::ranges::sort(groups);
  std::ranges::sort(axes);
  do {
    auto named = groups_over(op.program.mesh, axes);
    std::ranges::sort(named);
    if (!axes.empty() && named == groups) return axes;
  } while (std::next_permutation(axes.begin(), axes.end()));
  return {};
}

// A device alone talks to nobody.
bool alone(const JaxOperation& op) {
  return std::ranges::all_of(device_groups(op.program, op.i), [](const auto& g) { return g.size() == 1; });
}

// `"col"`, or `("row", "col"), axis_index_groups=[[0, 3], [1, 2]]`.
std::string over(const JaxOperation& op) {
  const std::vector<std::string> axes = axes_of(op);
  if (!axes.empty()) return jax_axes(axes);
  std::vector<std::string> groups;
  for (const auto& group : device_groups(op.program, op.i)) {
    std::vector<std::string> members;
    for (const DeviceId d : group) members.push_back(std::to_string(d.value));
    groups.push_back("[" + join(members, ", ") + "]");
  }
  return fmt::format("{}, axis_index_groups=[{}]", jax_axes(axis_names(op.program.mesh)), join(groups, ", "));
}

std::string several(const JaxOperation& op) {
  return op.operands.size() == 1 ? op.operand(0) : python_tuple(op.operands);
}

// The permutation within one axis, where every row of the mesh does the same: {(from, to)} of coordinates.
std::optional<std::string> shift_on(const Mesh& mesh, const Permutation& permutation,
                                    const std::string& axis) {
  const int place = *mesh.axis_index(axis);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const SourceTarget& p : permutation.pairs())
    pairs.emplace_back(mesh.coordinate(p.source, place), mesh.coordinate(p.target, place));
  std::ranges::sort(pairs);
  const auto rows = static_cast<size_t>(mesh.device_count() / mesh.axis_size(place));
  std::vector<std::string> words;
  for (size_t at = 0; at < pairs.size(); at += rows) {
    if (at + rows > pairs.size() || pairs[at] != pairs[at + rows - 1]) return std::nullopt;
    words.push_back(fmt::format("({}, {})", pairs[at].first, pairs[at].second));
  }
  return "[" + join(words, ", ") + "]";
}

// Where the first of its group stands along the axes: a number, or looked up by the device's own.
std::string roots_along(const JaxOperation& op, const std::vector<std::string>& axes) {
  const Mesh& mesh = op.program.mesh;
  std::vector<int64_t> roots(static_cast<size_t>(mesh.device_count()));
  for (const auto& group : device_groups(op.program, op.i)) {
    int64_t place = 0;
    for (const std::string& axis : axes) {
      const int position = *mesh.axis_index(axis);
      place = place * mesh.axis_size(position) + mesh.coordinate(group.front(), position);
    }
    for (const DeviceId d : group) roots[static_cast<size_t>(d.value)] = place;
  }
  if (std::ranges::adjacent_find(roots, std::not_equal_to<>()) == roots.end())
    return std::to_string(roots.front());
  return fmt::format("jnp.array({})[lax.axis_index({})]", python_tuple(roots), jax_axes(axis_names(mesh)));
}

}  // namespace

namespace jax_rule {

Result<std::string> partition_id(const JaxOperation& op) {
  if (op.program.mesh.axes().empty()) return std::string("jnp.uint32(0)");
  return fmt::format("lax.convert_element_type(lax.axis_index({}), {})",
                     jax_axes(axis_names(op.program.mesh)), jax_type(op.i.shape.type));
}

Result<std::string> replica_id(const JaxOperation& op) {
  return fmt::format("jnp.array(0, {})", jax_type(op.i.shape.type));
}

Result<std::string> all_gather(const JaxOperation& op) {
  if (alone(op)) return several(op);
  if (op.operands.size() != 1) return op.hole("a gather of several arrays at once");
  return fmt::format("lax.all_gather({}, {}, axis={}, tiled=True)", op.operand(0), over(op),
                     op.i.dimensions.front());
}

Result<std::string> all_reduce(const JaxOperation& op) {
  if (alone(op)) return several(op);
  const std::string combined = jax_combiner(op, op.i.called.front().computation);
  const char* name = combined == "lax.add"   ? "psum"
                     : combined == "lax.max" ? "pmax"
                     : combined == "lax.min" ? "pmin"
                                             : nullptr;
  if (name != nullptr) return fmt::format("lax.{}({}, {})", name, several(op), over(op));
  if (op.operands.size() != 1) return op.hole("a reduction of several arrays that is not a sum");
  const Shape& shape = op.i.shape;
  return fmt::format("functools.reduce({}, lax.all_gather({}, {}).reshape({}))", combined, op.operand(0),
                     over(op), python_tuple([&] {
                       std::vector<int64_t> dims{-1};
                       dims.insert(dims.end(), shape.dims.begin(), shape.dims.end());
                       return dims;
                     }()));
}

Result<std::string> reduce_scatter(const JaxOperation& op) {
  if (alone(op)) return several(op);
  const bool sum = jax_combiner(op, op.i.called.front().computation) == "lax.add";
  if (!sum || op.operands.size() != 1) return op.hole("lax.psum_scatter adds up one array");
  return fmt::format("lax.psum_scatter({}, {}, scatter_dimension={}, tiled=True)", op.operand(0), over(op),
                     op.i.dimensions.front());
}

Result<std::string> all_to_all(const JaxOperation& op) {
  if (alone(op)) return several(op);
  if (op.operands.size() == 1 && !op.i.shape.is_tuple) {
    const int64_t dim = op.i.dimensions.front();
    return fmt::format("lax.all_to_all({}, {}, split_axis={}, concat_axis={}, tiled=True)", op.operand(0),
                       over(op), dim, dim);
  }
  return fmt::format("tuple(lax.all_to_all(jnp.stack({}), {}, split_axis=0, concat_axis=0, tiled=True))",
                     python_tuple(op.operands), over(op));
}

Result<std::string> ragged_all_to_all(const JaxOperation& op) {
  return fmt::format("ragged_all_to_all({}, {})", join(op.operands, ", "), over(op));
}

Result<std::string> collective_permute(const JaxOperation& op) {
  if (op.operands.size() != 1 || !op.i.permutation) return op.hole("a permute of several arrays");
  const Mesh& mesh = op.program.mesh;
  const std::vector<std::string> axes = collective_axes(op.program, op.i);
  if (axes.size() == 1)
    if (const auto pairs = shift_on(mesh, *op.i.permutation, axes.front()))
      return fmt::format("lax.ppermute({}, {}, {})", op.operand(0), jax_axes(axes), *pairs);
  std::vector<std::string> pairs;
  for (const SourceTarget& p : op.i.permutation->pairs())
    pairs.push_back(fmt::format("({}, {})", p.source.value, p.target.value));
  return fmt::format("lax.ppermute({}, {}, [{}])", op.operand(0), jax_axes(axis_names(mesh)),
                     join(pairs, ", "));
}

Result<std::string> collective_broadcast(const JaxOperation& op) {
  if (alone(op)) return several(op);
  const std::vector<std::string> axes = collective_axes(op.program, op.i);
  if (axes.empty()) return fmt::format("lax.pbroadcast({}, {}, source=0)", op.operand(0), over(op));
  // lax.pbroadcast is for GPUs alone; the sum of one device's array and zeros is that array everywhere.
  const std::string names = jax_axes(axes);
  return fmt::format("lax.psum(jnp.where(lax.axis_index({}) == {}, {}, 0), {})", names, roots_along(op, axes),
                     op.operand(0), names);
}

}  // namespace jax_rule

std::string_view jax_ragged_all_to_all() {
  return R"(def ragged_all_to_all(operand, output, starts, sizes, targets, expected, axis_name, axis_index_groups=None):
    """lax.ragged_all_to_all; on a CPU, where JAX has none, each device picks its rows out of everyone's."""
    axes = {"axis_name": axis_name, "axis_index_groups": axis_index_groups}
    if jax.default_backend() != "cpu":
        return lax.ragged_all_to_all(operand, output, starts, sizes, targets, expected, **axes)
    place = lax.axis_index(axis_name)
    if axis_index_groups is not None:
        places = {device: n for group in axis_index_groups for n, device in enumerate(group)}
        place = jnp.array([places[device] for device in sorted(places)])[place]
    rows, *tables = (lax.all_gather(array, **axes) for array in (operand, starts, sizes, targets))
    tables = [table.reshape((len(rows), len(rows), -1))[:, place] for table in tables]
    for source in range(len(rows)):
        for start, size, target in zip(*(table[source] for table in tables)):
            at = jnp.arange(output.shape[0]) - target
            taken = rows[source][jnp.clip(start + at, 0, operand.shape[0] - 1)]
            mine = ((at >= 0) & (at < size)).reshape((-1,) + (1,) * (output.ndim - 1))
            output = jnp.where(mine, taken, output)
    return output
)";
}
}  // namespace shardscope::inline program
