// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/computation.h"

#include <algorithm>

#include "engine/partition/reshard/spmd_log.h"
#include "engine/partition/rules/manual.h"
#include "engine/partition/rules/partial_sums.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/rules/spmd_local.h"
#include "engine/partition/types/leaf_shardings.h"

namespace shardscope::inline partitioner {
namespace {

constexpr size_t kTell = 1024;  // instructions between two words of progress

std::string tuple_sharding_text(const std::vector<Tiling>& leaves, SpmdDialect dialect) {
  std::string out = "{";
  for (size_t k = 0; k < leaves.size(); ++k)
    out += (k > 0 ? ", " : "") + spmd_sharding_text(leaves[k].sharding(), dialect);
  return out + "}";
}

// Of the visit's leaves: what the module says of those that one device has, else how they are cut.
std::vector<HloSharding> entry_shardings(const Visit& v) {
  std::vector<HloSharding> out;
  for (size_t leaf = 0; leaf < v.shardings.size(); ++leaf) {
    const bool maximal = v.shardings[leaf].kind == HloSharding::Kind::maximal;
    out.push_back(maximal ? v.shardings[leaf] : v.wanted[leaf].sharding());
  }
  return out;
}

// Keeps the visit if it is among the largest so far: texts of all would be most of the work on a big module.
void log_visit(const SpmdWriter& writer, int64_t first, InstructionId shown,
               std::vector<MemoryLine>& visits) {
  MemoryLine line;
  bool any = false;
  for (int64_t id = first; id < writer.count(); ++id) {
    const Shape& shape = writer.shape(InstructionId(id));
    if (shape.is_tuple) continue;
    any = true;
    line.bytes = std::max(line.bytes, shape.bytes());
  }
  if (!any || (visits.size() == kReportedLines && line.bytes <= visits.back().bytes)) return;
  for (int64_t id = first; id < writer.count(); ++id)
    if (!writer.shape(InstructionId(id)).is_tuple)
      line.created.push_back(spmd_text(writer, InstructionId(id)));
  line.text = spmd_text(writer, shown);
  visits.push_back(std::move(line));
  keep_largest(visits);
}

// Writes one computation, instruction by instruction.
class ComputationWriter {
 public:
  // `given`: tilings of parameters and results, unless it is the entry.
  ComputationWriter(const SpmdContext& cx, const Computation& here, const CalledTilings* given,
                    SpmdEntry* entry)
      : cx_(cx), here_(here), given_(given), entry_(entry) {}

  // The root. `around`: the groups of devices that do it each by itself; one of all, outside of regions.
  Result<InstructionId> write(const DeviceGroups& around) {
    TRY(places_.regions, ManualRegions::of_computation(here_, around));
    for (const DeviceGroups& groups : places_.regions.groups)
      places_.scopes.push_back(groups.count() == 1 ? cx_.writer.whole()
                                                   : cx_.writer.inner(cx_.writer.whole(), groups));
    InstructionId root;
    for (size_t k = 0; k < here_.instructions.size(); ++k) {
      if (cx_.options.stop.stop_requested()) return cancelled();
      if (entry_ != nullptr && cx_.options.progress && k % kTell == 0)
        cx_.options.progress(static_cast<double>(k) / static_cast<double>(here_.instructions.size()));
      TRY(const Visit v, visit_of(k));
      TRY(const InstructionId shown, instruction(v, k));
      if (is_root(k)) root = shown;
    }
    cx_.writer.visit(nullptr);
    return root;
  }

 private:
  bool is_root(size_t k) const { return here_.root.value == static_cast<int32_t>(k); }

  Result<Visit> visit_of(size_t k) {
    const Instruction& i = here_.instructions[k];
    Visit v{i, here_, places_, places_.regions.of[k], {}, {}};
    TRY(v.shardings, leaf_shardings(i));
    if (is_root(k) && v.region != 0)
      return invalid("the result is in a manual region", "instruction " + display_name(i),
                     "leave it by custom-call SPMDShardToFullShape");
    const std::vector<Shape> shapes = leaves_of(i.shape);
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
      auto tiling = tiling_in_groups(v.shardings[leaf], shapes[leaf].rank(), v.groups());
      if (!tiling.ok())
        return invalid(tiling.error().what, "instruction " + display_name(i), tiling.error().fix);
      v.wanted.push_back(*std::move(tiling));
    }
    if (is_root(k) && given_ != nullptr) v.wanted = given_->results;
    if (v.wanted.empty()) v.wanted.push_back(Tiling::replicated(0, v.scope().size()));
    if (i.opcode == Opcode::parameter && given_ != nullptr)
      v.given = &given_->parameters[static_cast<size_t>(i.parameter_number)];
    return v;
  }

  // Writes it; gives what stands for it in the log and, of the root, is the computation's.
  Result<InstructionId> instruction(const Visit& v, size_t k) {
    SpmdWriter& writer = cx_.writer;
    writer.visit(&v.i);
    cx_.resharder.visit(&v.i, v.groups());
    const int64_t first = writer.count();
    TRY_VOID(bring_in(cx_, v));
    auto fitted = write_fitted(cx_, v);
    TRY(ShardedLeaves made, fitted ? *std::move(fitted) : write_by_rule(cx_, v));
    as_wanted(v, made);
    TRY_VOID(keep_parts(cx_, v, k, made));
    const InstructionId last(writer.count() - 1);
    if (!v.i.shape.is_tuple && writer.count() > first && made.front().id == last)
      writer.at(last).sharding = v.in_region() ? manual_sharding() : v.out().sharding();
    InstructionId shown = made.empty() ? last : made.front().id;
    if (is_root(k) && v.i.shape.is_tuple) shown = tuple_root(v, made);
    if (entry_ != nullptr) {
      if (v.i.opcode == Opcode::parameter) keep_parameter(v);
      if (is_root(k)) entry_->results = entry_shardings(v);
      if (writer.count() > first) log_visit(writer, first, shown, entry_->visits);
    }
    places_.values[{static_cast<int32_t>(k), v.region}] = std::move(made);
    return shown;
  }

  void as_wanted(const Visit& v, ShardedLeaves& made) {
    Resharder::Because because(cx_.resharder,
                               std::string(opcode_text(v.i.opcode)) + ": its result is resharded", "result");
    for (size_t leaf = 0; leaf < made.size(); ++leaf)
      made[leaf] = cx_.resharder.to(v.scope(), made[leaf], v.wanted[leaf]);
  }

  InstructionId tuple_root(const Visit& v, const ShardedLeaves& made) {
    const InstructionId root = tuple_of(cx_.writer, made, v.i.shape);
    if (leaf_count(v.i.shape) > 0)
      cx_.writer.at(root).verbatim.edit().push_back(
          {"sharding", tuple_sharding_text(v.wanted, cx_.writer.dialect())});
    return root;
  }

  void keep_parameter(const Visit& v) {
    const auto number = static_cast<size_t>(v.i.parameter_number);
    if (entry_->parameters.size() <= number) entry_->parameters.resize(number + 1);
    entry_->parameters[number] = entry_shardings(v);
  }

  const SpmdContext& cx_;
  const Computation& here_;
  const CalledTilings* given_;
  SpmdEntry* entry_;
  SpmdPlaces places_;
};

}  // namespace

Result<InstructionId> write_entry(const SpmdContext& cx, SpmdEntry& entry) {
  return ComputationWriter(cx, cx.source.entry_computation(), nullptr, &entry)
      .write(cx.writer.whole().groups);
}

Result<ComputationId> write_called(const SpmdContext& cx, const Visit& v, ComputationId source,
                                   CalledTilings tilings) {
  const Computation& computation = cx.source.computation(source);
  const int64_t devices = v.scope().size();
  if (tilings.parameters.empty()) {
    for (const Instruction& i : parameters(computation)) {
      const auto number = static_cast<size_t>(i.parameter_number);
      tilings.parameters.resize(std::max(tilings.parameters.size(), number + 1));
      tilings.parameters[number] = replicated_leaves(i.shape, devices);
    }
  }
  if (tilings.results.empty())
    tilings.results = replicated_leaves(computation.root_instruction().shape, devices);
  SpmdWriter::Page page = cx.writer.open_page();
  Resharder inner = cx.resharder.for_page();
  const auto root = ComputationWriter(cx.with(inner), computation, &tilings, nullptr).write(v.groups());
  Computation made =
      cx.writer.close_page(std::move(page), computation.name, root.ok() ? *root : InstructionId(0));
  TRY_VOID(root);
  const ComputationId id = cx.writer.add_computation(std::move(made));
  cx.resharder.adopt(inner, id);
  return id;
}

Result<Instruction> with_called(const SpmdContext& cx, const Visit& v) {
  Instruction made = v.i;
  if (made.called.empty()) return made;
  for (CalledComputation& c : made.called.edit()) {
    TRY(c.computation, write_called(cx, v, c.computation, {}));
  }
  return made;
}

}  // namespace shardscope::inline partitioner
