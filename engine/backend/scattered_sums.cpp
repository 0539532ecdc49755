// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/scattered_sums.h"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/program/ir/scalar.h"

namespace shardscope::inline backend {
namespace {

// Of a dynamic-slice: the one dimension that it cuts; none: none or several.
std::optional<size_t> cut_dim(const Instruction& slice, const Shape& whole) {
  std::optional<size_t> out;
  for (size_t d = 0; d < whole.rank(); ++d) {
    if (slice.shape.dims[d] == whole.dims[d]) continue;
    if (out) return std::nullopt;
    out = d;
  }
  return out;
}

class SumScatterer {
 public:
  SumScatterer(const Program& program, Computation& c)
      : program_(program), c_(c), readers_(c.instructions.size()) {
    for (size_t k = 0; k < c.instructions.size(); ++k)
      for (const InstructionId operand : c.instructions[k].operands)
        readers_[static_cast<size_t>(operand.value)].push_back(k);
    ++extra_[static_cast<size_t>(c.root.value)];
  }

  PassLinks run() {
    PassLinks out;
    for (size_t k = 0; k < c_.instructions.size(); ++k) {
      Instruction& slice = c_.instructions[k];
      if (slice.opcode != Opcode::dynamic_slice) continue;
      const auto sum = static_cast<size_t>(slice.operands[0].value);
      const auto groups = groups_of(sum, slice);
      if (!groups) continue;
      const Instruction all = c_.instructions[sum];
      Instruction made = all;
      made.name = scattered_name(all.name, slice.name);
      out.emplace_back(made.name, all.name);
      out.emplace_back(made.name, slice.name);
      made.opcode = Opcode::reduce_scatter;
      made.shape = slice.shape;
      made.dimensions = {static_cast<int64_t>(*cut_dim(slice, all.shape))};
      made.replica_groups = *groups;
      made.sharding = slice.sharding;
      slice = std::move(made);
    }
    return out;
  }

 private:
  // "reduce-scatter.2" of all-reduce.2 where nothing is called so; else the slice's.
  std::string scattered_name(const std::string& sum, const std::string& slice) const {
    const std::string was = "all-reduce",
                      name = sum.starts_with(was) ? "reduce-scatter" + sum.substr(was.size()) : "";
    const bool taken = std::ranges::any_of(program_.computations, [&](const Computation& c) {
      return std::ranges::any_of(c.instructions, [&](const Instruction& i) { return i.name == name; });
    });
    return name.empty() || taken ? slice : name;
  }

  const std::vector<std::optional<int64_t>>& scalars(int64_t device) {
    auto& known = scalars_[device];
    if (known.empty()) known = evaluate_scalars(c_, DeviceId(device));
    return known;
  }

  // The sum's groups, members in the order of the parts that they keep.
  std::optional<ReplicaGroups> groups_of(size_t sum, const Instruction& slice) {
    const Instruction& all = c_.instructions[sum];
    if (all.opcode != Opcode::all_reduce || all.operands.size() != 1 || all.shape.is_tuple || all.rooted ||
        readers_[sum].size() != 1 || extra_.contains(sum))
      return std::nullopt;
    const auto dim = cut_dim(slice, all.shape);
    ReplicaGroups out = *all.replica_groups;
    if (!dim || !out.ragged.empty() || out.tiles.dims.size() != 2) return std::nullopt;
    const int64_t part = slice.shape.dims[*dim], members = out.tiles.dims[1];
    if (part * members != all.shape.dims[*dim]) return std::nullopt;
    std::vector<int64_t>& devices = out.tiles.devices.edit();
    for (size_t first = 0; first < devices.size(); first += static_cast<size_t>(members)) {
      std::vector<int64_t> by_place(static_cast<size_t>(members), -1);
      for (size_t m = 0; m < by_place.size(); ++m) {
        const auto place = place_of(slice, *dim, devices[first + m]);
        if (!place || *place % part != 0 || *place / part >= members) return std::nullopt;
        by_place[static_cast<size_t>(*place / part)] = devices[first + m];
      }
      if (std::ranges::count(by_place, -1) > 0) return std::nullopt;
      std::ranges::copy(by_place, devices.begin() + static_cast<std::ptrdiff_t>(first));
    }
    out.written.clear();
    return out;
  }

  // Where a device's part begins; none: it depends on data, or it is cut elsewhere too.
  std::optional<int64_t> place_of(const Instruction& slice, size_t dim, int64_t device) {
    const auto& known = scalars(device);
    for (size_t d = 0; d < slice.shape.rank(); ++d) {
      const auto start = known[static_cast<size_t>(slice.operands[d + 1].value)];
      if (!start || (d != dim && *start != 0)) return std::nullopt;
    }
    return known[static_cast<size_t>(slice.operands[dim + 1].value)];
  }

  const Program& program_;
  Computation& c_;
  std::vector<std::vector<size_t>> readers_;
  std::map<size_t, int> extra_;  // the root
  std::map<int64_t, std::vector<std::optional<int64_t>>> scalars_;
};

}  // namespace

PassLinks scatter_sums(const Program& program, Computation& c) {
  return SumScatterer(program, c).run();
}

}  // namespace shardscope::inline backend
