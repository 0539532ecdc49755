// SPDX-License-Identifier: Apache-2.0
// Rows of Shardy's operations: annotations and regions where devices work by themselves.
#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/mlir/module_shardings.h"
#include "engine/program/mlir/stablehlo_ops.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {
namespace {

Instruction annotation(MlirCase& c, std::string_view target, Shape shape, InstructionId of) {
  Instruction made = c.make(Opcode::custom_call, std::move(shape), {of});
  made.attributes = CustomCall{std::string(target)};
  return made;
}

// What it says of its sharding, in Shardy's words.
void keep_words(const std::string& words, Instruction& i) {
  i.verbatim.edit().push_back({"frontend_attributes", "{xla.sdy.sharding=" + quote(words) + "}"});
}

// sharding_constraint and reshard, and the collectives between shardings, which say where their result is.
Result<void> lower_constraint(MlirCase& c) {
  TRY_VOID(c.expects(1));
  if (c.scope.of_elements) {
    c.stand_for(c.operands[0]);
    return {};
  }
  TRY(std::string_view text, c.text({"sharding", "out_sharding"}));
  if (text.empty()) text = c.word('<');
  if (text.empty()) return c.error("needs a sharding");
  const Shape shape = c.shape(0);
  TRY(SdySharding sharding, c.all.shardings().read(text, shape.rank(), c.scope.manual));
  Instruction made = annotation(c, "Sharding", shape, c.operands[0]);
  made.sharding = std::move(sharding.hlo);
  if (!sharding.tiles.open.empty())
    made.verbatim.edit().push_back(
        {"backend_config", quote("unspecified_dims=[" + join(sharding.tiles.open, ",") + "]")});
  keep_words(sdy_words(text), made);
  return c.give(std::move(made));
}

// What propagation puts between a value and its uses: it has a sharding or none.
Result<void> lower_data_flow_edge(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(const std::string_view text, c.text({"sharding"}));
  if (!text.empty()) return lower_constraint(c);
  c.stand_for(c.operands[0]);
  return {};
}

// The axes of the region, and those around it.
ManualAxes axes_of(const MlirCase& c, std::string_view text) {
  ManualAxes out = c.scope.manual;
  for (std::string& axis : sdy_names_in(text))
    if (std::ranges::count(out, axis) == 0) out.push_back(std::move(axis));
  return out;
}

struct RegionShardings {
  std::vector<std::string_view> in, out;
};

Result<RegionShardings> region_shardings(const MlirCase& c) {
  RegionShardings out;
  TRY(const std::string_view in, c.text({"in_shardings"}));
  TRY(out.in, c.all.shardings().per_value(in));
  TRY(const std::string_view results, c.text({"out_shardings"}));
  TRY(out.out, c.all.shardings().per_value(results));
  return out;
}

// One of the two instructions at an end of a region.
Result<InstructionId> end(MlirCase& c, std::string_view target, const Shape& shape, InstructionId of,
                          HloSharding sharding, const std::string& words) {
  Instruction made = annotation(c, target, shape, of);
  made.sharding = std::move(sharding);
  if (!words.empty()) keep_words(words, made);
  return c.emit(std::move(made));
}

// A value with a sharding, as an annotation.
Result<InstructionId> sharded(MlirCase& c, InstructionId value, std::string_view text,
                              const std::string& words = "") {
  const Shape shape = c.scope.into->made.at(value).shape;
  TRY(SdySharding sharding, c.all.shardings().read(text, shape.rank(), c.scope.manual));
  return end(c, "Sharding", shape, value, std::move(sharding.hlo), words);
}

// A part is the whole divided along the axes that this region makes manual.
Result<void> check_local_part(MlirCase& c, const Shape& whole, const Shape& part, std::string_view text,
                              const ManualAxes& manual) {
  TRY(const SdySharding sharding, c.all.shardings().read(text, whole.rank(), c.scope.manual));
  const auto cuts = [&](const AxisPart& axis) {
    const std::string& name = sharding.mesh->axes.names[axis.axis];
    return std::ranges::count(manual, name) > 0 && std::ranges::count(c.scope.manual, name) == 0;
  };
  if (part.rank() != whole.rank()) return c.error("a part of " + whole.text() + " that is " + part.text());
  for (size_t d = 0; d < sharding.tiles.dims.size(); ++d) {
    int64_t count = 1;
    for (const AxisPart& axis : sharding.tiles.dims[d])
      if (cuts(axis)) count *= axis.size;
    if (part.dims[d] != (whole.dims[d] + count - 1) / count)
      return c.error("each device's part of " + whole.text() + " is " + part.text() + " here, expected " +
                     std::to_string((whole.dims[d] + count - 1) / count) + " in dimension " +
                     std::to_string(d));
  }
  return {};
}

// A whole array, each device's part of it, and back.
Result<InstructionId> into_region(MlirCase& c, InstructionId value, std::string_view text, const Shape& local,
                                  const ManualAxes& manual) {
  const Shape of_whole = c.scope.into->made.at(value).shape;
  TRY_VOID(check_local_part(c, of_whole, local, text, manual));
  TRY(HloSharding inside, c.all.shardings().inside(text, local.rank(), manual));
  const std::string words = edge_words(text, inside);
  TRY(const InstructionId whole, sharded(c, value, text, words));
  return end(c, "SPMDFullToShardShape", local, whole, std::move(inside), words);
}

Result<InstructionId> out_of_region(MlirCase& c, InstructionId value, std::string_view text,
                                    const Shape& whole, const ManualAxes& manual) {
  const Shape local = c.scope.into->made.at(value).shape;
  TRY_VOID(check_local_part(c, whole, local, text, manual));
  TRY(HloSharding inside, c.all.shardings().inside(text, local.rank(), manual));
  TRY(SdySharding outside, c.all.shardings().read(text, whole.rank(), c.scope.manual));
  const std::string words = edge_words(text, inside);
  TRY(const InstructionId held, end(c, "Sharding", local, value, std::move(inside), words));
  return end(c, "SPMDShardToFullShape", whole, held, std::move(outside.hlo), words);
}

Result<void> lower_manual_computation(MlirCase& c) {
  if (c.op.regions.size() != 1) return c.error("needs a region");
  const MlirRegion& region = c.op.regions[0];
  TRY(const RegionShardings shardings, region_shardings(c));
  if (shardings.in.size() != c.operands.size() || region.arguments.size() != c.operands.size())
    return c.error(std::to_string(c.operands.size()) +
                   " operands, expected as many in_shardings and arguments");
  TRY(const std::string_view axes, c.text({"manual_axes"}));
  const ManualAxes manual = axes_of(c, axes);
  MlirScope inner;
  inner.into = c.scope.into;
  inner.manual = manual;
  inner.mesh = c.scope.mesh;
  for (const auto& texts : {shardings.in, shardings.out})
    if (!texts.empty()) {
      TRY(inner.mesh, c.all.shardings().mesh_of(texts.front()));
    }
  for (size_t k = 0; k < c.operands.size(); ++k) {
    const MlirArgument& argument = region.arguments[k];
    if (argument.type == nullptr) return c.error("an argument without a type");
    TRY(const InstructionId part, into_region(c, c.operands[k], shardings.in[k], *argument.type, manual));
    inner.names[argument.name] = {part, -1};
  }
  TRY(std::vector<InstructionId> results, c.all.body(inner, region.body));
  const std::vector<Shape> shapes = c.results();
  if (results.size() != shapes.size() || shardings.out.size() != shapes.size())
    return c.error("returns " + std::to_string(results.size()) + " values with " +
                   std::to_string(shardings.out.size()) + " out_shardings, expected " +
                   std::to_string(shapes.size()));
  for (size_t k = 0; k < results.size(); ++k) {
    TRY(results[k], out_of_region(c, results[k], shardings.out[k], shapes[k], manual));
  }
  return c.all.bind_each(c.scope, c.op, results);
}

// Its body stands where it is; its shardings are annotations.
Result<void> lower_named_computation(MlirCase& c) {
  if (c.op.regions.size() != 1) return c.error("needs a region");
  const MlirRegion& region = c.op.regions[0];
  if (region.arguments.size() != c.operands.size())
    return c.error(std::to_string(c.operands.size()) + " operands, expected as many arguments");
  TRY(const RegionShardings shardings, region_shardings(c));
  MlirScope inner;
  inner.into = c.scope.into;
  inner.manual = c.scope.manual;
  inner.mesh = c.scope.mesh;
  for (size_t k = 0; k < c.operands.size(); ++k) {
    InstructionId value = c.operands[k];
    if (k < shardings.in.size()) {
      TRY(value, sharded(c, value, shardings.in[k]));
    }
    inner.names[region.arguments[k].name] = {value, -1};
  }
  TRY(std::vector<InstructionId> results, c.all.body(inner, region.body));
  for (size_t k = 0; k < results.size() && k < shardings.out.size(); ++k) {
    TRY(results[k], sharded(c, results[k], shardings.out[k]));
  }
  return c.all.bind_each(c.scope, c.op, results);
}

// "allowed_direction=FORWARD": nothing of its own happens, it only guides propagation.
Result<void> lower_propagation_barrier(MlirCase& c) {
  TRY_VOID(c.expects(1));
  Instruction made = annotation(c, "xla.sdy.PropagationBarrier", c.shape(0), c.operands[0]);
  TRY(const std::string_view direction, c.text({"allowed_direction"}));
  std::string word(direction.substr(0, direction.find(' ')));
  if (word.starts_with("0")) word = "NONE";
  made.verbatim.edit().push_back({"frontend_attributes", "{xla.sdy.allowed_direction=" + quote(word) + "}"});
  return c.give(std::move(made));
}

// "group_id=1": arrays that propagation gives one sharding.
Result<void> lower_sharding_group(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(const auto group, c.number({"group_id"}));
  Instruction made = annotation(c, "xla.sdy.ShardingGroup", Shape::tuple({}), c.operands[0]);
  made.verbatim.edit().push_back(
      {"frontend_attributes",
       "{xla.sdy.sharding_group_id=" + quote(std::to_string(group.value_or(0)) + " : i64") + "}"});
  return c.give(std::move(made));
}

constexpr StablehloOp kShardyRows[] = {
    {"sdy.all_gather", Opcode::custom_call, lower_constraint},
    {"sdy.all_reduce", Opcode::custom_call, lower_constraint},
    {"sdy.all_slice", Opcode::custom_call, lower_constraint},
    {"sdy.all_to_all", Opcode::custom_call, lower_constraint},
    {"sdy.collective_permute", Opcode::custom_call, lower_constraint},
    {"sdy.data_flow_edge", Opcode::custom_call, lower_data_flow_edge},
    {"sdy.manual_computation", Opcode::custom_call, lower_manual_computation},
    {"sdy.named_computation", Opcode::call, lower_named_computation},
    {"sdy.propagation_barrier", Opcode::unknown, lower_propagation_barrier},
    {"sdy.reduce_scatter", Opcode::custom_call, lower_constraint},
    {"sdy.reshard", Opcode::custom_call, lower_constraint},
    {"sdy.replicated_to_unreduced", Opcode::custom_call, lower_constraint},
    {"sdy.sharded_to_unreduced", Opcode::custom_call, lower_constraint},
    {"sdy.sharding_constraint", Opcode::custom_call, lower_constraint},
    {"sdy.sharding_group", Opcode::custom_call, lower_sharding_group},
};

}  // namespace

std::span<const StablehloOp> shardy_ops() {
  return kShardyRows;
}

}  // namespace shardscope::inline program
