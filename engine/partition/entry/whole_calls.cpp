// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/entry/whole_calls.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <utility>

#include "engine/partition/entry/partition.h"
#include "engine/partition/types/batched_call.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/mlir_values.h"
#include "engine/program/mlir/module_shardings.h"
#include "engine/program/registered.h"

namespace shardscope::inline partitioner {
namespace {

constexpr const char* kCalled = "called_computations";
// The rule under a name that partitioning leaves: Shardy's words are about whole arrays.
constexpr const char* kKeptRule = "operation_rule";

// The operation that a custom-call stands for; null: it is none of ours.
const Computation* operation_of(const Program& source, const Instruction& i) {
  if (i.opcode != Opcode::custom_call || !frontend_attribute(i.verbatim, kSaidOperation)) return nullptr;
  return computation_named(source, custom_call_target(i));
}

using Rule = ShardingRuleText;

// The rule that a call said, as its text is written in MLIR or without.
Rule rule_of(const Instruction& call) {
  const auto said = frontend_attribute(call.verbatim, kKeptRule);
  if (!said) return {};
  return parse_sharding_rule(said->find('\\') == std::string::npos ? *said : mlir_string(*said))
      .value_or(Rule());
}

// Into how many shards a device's arrays cut each factor; a factor that shares its dimension is whole.
std::vector<int64_t> shards_of(const Rule& rule, const std::vector<Rule::Array>& arrays,
                               const std::vector<Shape>& local, std::vector<int64_t> shards) {
  for (size_t a = 0; a < arrays.size(); ++a)
    for (size_t d = 0; d < arrays[a].size(); ++d) {
      if (arrays[a][d].size() != 1) continue;
      const size_t f = arrays[a][d].front();
      const int64_t size = local[a].dims[d];
      shards[f] = size > 0 ? (rule.factors[f].size + size - 1) / size : 1;
    }
  return shards;
}

// The axes that a device's arrays are cut over, one a factor.
Result<Mesh> mesh_of(const Rule& rule, const std::vector<int64_t>& shards) {
  std::vector<MeshAxis> axes;
  for (size_t f = 0; f < shards.size(); ++f)
    if (shards[f] > 1) axes.push_back({rule.factors[f].name, shards[f]});
  return Mesh::make(std::move(axes));
}

Result<HloSharding> sharding_of(const Rule& rule, const Rule::Array& array, const Mesh& mesh) {
  if (mesh.device_count() == 1) return HloSharding();
  PartitionSpec spec;
  for (const auto& dim : array) {
    auto& names = spec.dims.emplace_back();
    if (dim.size() == 1 && mesh.axis_index(rule.factors[dim.front()].name))
      names.push_back(rule.factors[dim.front()].name);
  }
  TRY(const NamedSharding named, NamedSharding::make(mesh, std::move(spec)));
  return HloSharding::from(named, array.size());
}

// What devices tell each other, if they do.
const Instruction* talk_in(const Program& program) {
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (is_collective(i.opcode) || i.opcode == Opcode::partition_id) return &i;
  return nullptr;
}

// The operation alone, on its shards.
Result<Program> on_shards(const Program& source, const Computation& operation, const Rule& rule,
                          const std::vector<int64_t>& shards, const std::stop_token& stop) {
  Program alone;
  alone.name = operation.name;
  alone.entry = ComputationId(&operation - source.computations.data());
  alone.computations.assign(source.computations.begin(),  // callees stand before callers
                            source.computations.begin() + alone.entry.value + 1);
  keep_called(alone);
  TRY(alone.mesh, mesh_of(rule, shards));
  Computation& entry = alone.computations[static_cast<size_t>(alone.entry.value)];
  std::vector<HloSharding> results;
  for (const Rule::Array& array : rule.results) {
    TRY(HloSharding sharding, sharding_of(rule, array, alone.mesh));
    results.push_back(std::move(sharding));
  }
  if (!rule.results.empty())
    put_shardings(std::move(results), entry.instructions[static_cast<size_t>(entry.root.value)]);
  for (Instruction& i : entry.instructions) {
    if (i.parameter_number < 0 || rule.operands.empty()) continue;
    TRY(HloSharding sharding,
        sharding_of(rule, rule.operands[static_cast<size_t>(i.parameter_number)], alone.mesh));
    put_shardings({std::move(sharding)}, i);
  }
  PartitionOptions options;
  options.devices = alone.mesh.device_count();
  options.propagate = true;
  options.propagation = Propagation::gspmd;
  options.stop = stop;
  TRY(const Partitioned out, partition(alone, options));
  if (const Instruction* talk = talk_in(*out.program)) {
    std::vector<std::string> factors;
    for (const MeshAxis& axis : alone.mesh.axes()) factors.push_back(axis.name);
    return invalid(
        fmt::format("operation {} needs {} between its shards, but its sharding rule lets {} be sharded",
                    operation.name, opcode_text(talk->opcode), fmt::join(factors, ", ")),
        "computation " + operation.name, "name the factor in need_replication={…} of the rule");
  }
  return *out.program;
}

double bytes_of(const Computation& c, const Instruction& i) {
  auto bytes = static_cast<double>(i.shape.bytes());
  for (const InstructionId operand : i.operands) bytes += static_cast<double>(c.at(operand).shape.bytes());
  return bytes;
}

double bytes_of(const Computation& operation) {
  auto bytes = static_cast<double>(operation.root_instruction().shape.bytes());
  for (const Instruction& i : operation.instructions)
    if (i.parameter_number >= 0) bytes += static_cast<double>(i.shape.bytes());
  return bytes;
}

// Collects the computations of operations, which stand in front of the program's.
class Fusing {
 public:
  Fusing(const Program& source, Program& made, const std::stop_token& stop)
      : source_(source), made_(made), stop_(stop) {}

  Result<void> fuse() {
    for (size_t c = 0; c < made_.computations.size(); ++c)
      for (size_t k = 0; k < made_.computations[c].instructions.size(); ++k) {
        const Computation& in = made_.computations[c];
        const Computation* operation = operation_of(source_, in.instructions[k]);
        if (operation == nullptr) continue;
        TRY(Instruction fusion, fused(*operation, in, in.instructions[k]));
        made_.computations[c].instructions[k] = std::move(fusion);
      }
    put_in_front();
    keep_called(made_);
    return {};
  }

 private:
  Result<Instruction> fused(const Computation& operation, const Computation& in, const Instruction& call) {
    const Rule rule = rule_of(call);
    std::vector<int64_t> shards(rule.factors.size(), 1);
    std::vector<Shape> operands;
    for (const InstructionId operand : call.operands) operands.push_back(in.at(operand).shape);
    shards = shards_of(rule, rule.operands, operands, std::move(shards));
    shards = shards_of(rule, rule.results, leaves_of(call.shape), std::move(shards));
    auto [known, fresh] = front_entries_.try_emplace({&operation, shards}, -1);
    if (fresh) {
      TRY(Program local, on_shards(source_, operation, rule, shards, stop_));
      known->second = add(operation.name, std::move(local));
    }
    Instruction out = call;
    out.opcode = Opcode::fusion;
    out.attributes = {};
    out.called = {{"calls", ComputationId(-1 - known->second)}};
    double share = 1;
    for (const int64_t count : shards) share /= static_cast<double>(count);
    const double share_of_bytes = bytes_of(in, call) / std::max(1.0, bytes_of(operation));
    const OperationCost cost = operation_cost(call);
    std::vector<VerbatimAttribute> verbatim;
    for (const VerbatimAttribute& a : call.verbatim)
      if (a.key == "frontend_attributes" || a.key == "metadata") verbatim.push_back(a);
    for (const char* key : {kSaidRule, kKeptRule})
      verbatim = with_frontend_attribute(std::move(verbatim), key, std::nullopt);
    if (cost.flops)
      verbatim =
          with_frontend_attribute(std::move(verbatim), kSaidFlops, fmt::format("{}", *cost.flops * share));
    if (cost.bytes)
      verbatim = with_frontend_attribute(std::move(verbatim), kSaidBytes,
                                         fmt::format("{}", *cost.bytes * share_of_bytes));
    verbatim = with_frontend_attribute(std::move(verbatim), kSaidOperation, operation.name);
    verbatim.insert(verbatim.begin(), {"kind", "kCustom"});
    out.verbatim = std::move(verbatim);
    return out;
  }

  // Its entry's number among those that are in front.
  int64_t add(const std::string& name, Program local) {
    const int64_t first = std::ssize(front_);
    for (Computation& c : local.computations) {
      for (Instruction& i : c.instructions) {
        i.name = name + "." + i.name;
        i.sharding.reset();  // which was over the factors' axes
        i.verbatim.change([](std::vector<VerbatimAttribute>& all) {
          std::erase_if(all, [](const VerbatimAttribute& a) { return a.key == "sharding"; });
        });
        i.called.change([&](std::vector<CalledComputation>& called) {
          for (CalledComputation& each : called)
            each.computation = ComputationId(each.computation.value + first);
        });
      }
      c.name = &c == &local.computations[static_cast<size_t>(local.entry.value)] ? name : name + "." + c.name;
      front_.push_back(std::move(c));
    }
    return first + local.entry.value;
  }

  void put_in_front() {
    const int64_t count = std::ssize(front_);
    for (Computation& c : made_.computations)
      for (Instruction& i : c.instructions)
        i.called.change([&](std::vector<CalledComputation>& called) {
          for (CalledComputation& each : called)
            each.computation = ComputationId(each.computation.value < 0 ? -1 - each.computation.value
                                                                        : each.computation.value + count);
        });
    made_.entry = ComputationId(made_.entry.value + count);
    made_.computations.insert(made_.computations.begin(), std::make_move_iterator(front_.begin()),
                              std::make_move_iterator(front_.end()));
  }

  const Program& source_;
  Program& made_;
  const std::stop_token& stop_;
  std::vector<Computation> front_;
  std::map<std::pair<const Computation*, std::vector<int64_t>>, int64_t> front_entries_;
};

}  // namespace

Result<std::optional<Program>> with_whole_calls(const Program& module) {
  std::optional<Program> out;
  for (size_t c = 0; c < module.computations.size(); ++c) {
    const Computation& in = module.computations[c];
    for (size_t k = 0; k < in.instructions.size(); ++k) {
      const Instruction& call = in.instructions[k];
      if (call.opcode != Opcode::call || call.called.size() != 1 || !is_whole_call(call)) continue;
      const ComputationId operation = call.called.front().computation;
      Instruction whole = call;
      whole.opcode = Opcode::custom_call;
      whole.attributes = CustomCall{module.computation(operation).name};
      whole.called = {{kCalled, operation}};
      whole.verbatim = with_frontend_attribute(whole.verbatim, "num_batch_dims", std::nullopt);
      whole.verbatim = with_frontend_attribute(whole.verbatim, kSaidOperation, custom_call_target(whole));
      const auto rule = frontend_attribute(whole.verbatim, kSaidRule);
      if (rule) whole.verbatim = with_frontend_attribute(whole.verbatim, kKeptRule, rule);
      if (rule && !sharding_rule_of(in, whole))
        return invalid(fmt::format("operation {} has the sharding rule {}, which does not fit its call",
                                   module.computation(operation).name, *rule),
                       "instruction " + call.name, "write a rule such as ([i, j], [j])->([i, j]) {i=8, j=4}");
      if (!out) out = module;
      out->computations[c].instructions[k] = std::move(whole);
    }
  }
  return out;
}

Result<void> fuse_whole_calls(const Program& source, Program& made, const std::stop_token& stop) {
  const bool any = std::ranges::any_of(made.computations, [&](const Computation& c) {
    return std::ranges::any_of(c.instructions,
                               [&](const Instruction& i) { return operation_of(source, i) != nullptr; });
  });
  if (!any) return {};
  return Fusing(source, made, stop).fuse();
}

}  // namespace shardscope::inline partitioner
