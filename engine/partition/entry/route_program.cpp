// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/entry/route_program.h"

#include <algorithm>
#include <numeric>

#include "engine/partition/reshard/name_table.h"
#include "engine/partition/reshard/spmd_writer.h"
#include "engine/partition/reshard/step_writer.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/types/spmd_prepare.h"

namespace shardscope::inline partitioner {
namespace {

Opcode opcode_of(Combining combining) {
  return combining == Combining::max   ? Opcode::maximum
         : combining == Combining::min ? Opcode::minimum
                                       : Opcode::add;
}

// Writes what a device does in each step.
class RouteWriter {
 public:
  explicit RouteWriter(const RouteArray& array)
      : array_(array),
        writer_(array.mesh.device_count(), SpmdDialect::current),
        steps_(writer_, array.mesh, opcode_of(array.combining)) {}
  RouteWriter(const RouteWriter&) = delete;  // steps_ writes onto writer_
  RouteWriter& operator=(const RouteWriter&) = delete;

  SpmdWriter& writer() { return writer_; }

  InstructionId parameter(std::vector<int64_t> dims, int64_t number = 0) {
    Instruction made;
    made.opcode = Opcode::parameter;
    made.parameter_number = number;
    made.shape = with_default_layout(Shape::array(array_.shape.type, std::move(dims)));
    return writer_.add(std::move(made));
  }

  InstructionId write(InstructionId id, const SplitStep& step) {
    return step.kind == StepKind::make_partial ? make_partial(id, step) : steps_.write(id, step);
  }
  InstructionId combined(InstructionId id, const AxisParts& axes) { return steps_.combined(id, axes); }

  Program finish(InstructionId root, const char* name) {
    Program out;
    out.name = name;
    out.mesh = array_.mesh;
    out.computations = std::move(writer_.computations());
    out.computations.push_back(writer_.close_page({}, "main", root));
    out.entry = ComputationId(static_cast<int64_t>(out.computations.size()) - 1);
    give_names(Program(), out);
    remove_dead(out.computations.back());
    return out;
  }

 private:
  // Of a sum one device keeps what all have, the others begin at nothing; a maximum of copies is what they
  // are. What split a dimension stands at its place in an array of nothing.
  InstructionId make_partial(InstructionId id, const SplitStep& step) {
    const auto dim = shrinking(step);
    if (!dim && array_.combining != Combining::sum) return id;
    if (!dim) return steps_.on_first(id, step.axes);
    std::vector<int64_t> dims = writer_.shape(id).dims;
    const InstructionId start = steps_.offset_along(step.axes, dims[*dim]);
    dims[*dim] *= size_of(step.axes);
    std::vector<InstructionId> operands{steps_.nothing(array_.shape.type, dims), id};
    for (const InstructionId at : steps_.starts(dims.size(), *dim, start)) operands.push_back(at);
    return writer_.op(Opcode::dynamic_update_slice, Shape::array(array_.shape.type, dims),
                      std::move(operands));
  }
  static std::optional<size_t> shrinking(const SplitStep& step) {
    for (size_t d = 0; d < step.from.dims.size(); ++d)
      if (step.from.dims[d] != step.to.dims[d]) return d;
    return std::nullopt;
  }

  const RouteArray& array_;
  SpmdWriter writer_;
  StepWriter steps_;
};

// p, or what combines its first dimension.
Program meaning(const RouteArray& array, int64_t parts) {
  SpmdWriter writer(1, SpmdDialect::current);
  Shape shape = array.shape;
  if (parts > 1) shape.dims.insert(shape.dims.begin(), parts);
  Instruction parameter;
  parameter.opcode = Opcode::parameter;
  parameter.parameter_number = 0;
  parameter.shape = with_default_layout(shape);
  InstructionId id = writer.add(std::move(parameter));
  if (parts > 1) {
    const Opcode opcode = opcode_of(array.combining);
    const InstructionId nothing = writer.constant(shape.type, *identity_of(opcode, shape.type));
    id = writer.op(Opcode::reduce, array.shape, {id, nothing});
    writer.at(id).dimensions = {0};
    writer.at(id).called = {{"to_apply", writer.reducer(opcode, shape.type)}};
  }
  Program out;
  out.name = "array";
  out.computations = std::move(writer.computations());
  out.computations.push_back(writer.close_page({}, "main", id));
  out.entry = ComputationId(static_cast<int64_t>(out.computations.size()) - 1);
  give_names(Program(), out);
  remove_dead(out.computations.back());
  return out;
}

HloSharding sharding_of(const AxisSplit& split, const Mesh& mesh, bool with_partial) {
  return tiling_of(split, mesh, with_partial).sharding();
}

InstructionId write_dot(SpmdWriter& writer, const Shape& result, InstructionId lhs, InstructionId rhs) {
  const InstructionId made = writer.op(Opcode::dot, result, {lhs, rhs});
  writer.at(made).dot = DotDims{{}, {}, {1}, {0}};
  return made;
}

Program product_meaning(const ProductArrays& product) {
  const int64_t m = product.said.sizes[0], k = product.said.sizes[1], n = product.said.sizes[2];
  const Mesh alone;
  const RouteArray array{alone, Shape::array(product.type, {m, n})};
  RouteWriter out(array);
  const InstructionId lhs = out.parameter({m, k}, 0), rhs = out.parameter({k, n}, 1);
  return out.finish(write_dot(out.writer(), array.shape, lhs, rhs), "product");
}

}  // namespace

Result<Partitioned> product_stage(const ProductArrays& product, const ProductSteps& steps) {
  const int64_t m = product.said.sizes[0], k = product.said.sizes[1], n = product.said.sizes[2];
  const RouteArray array{product.mesh, Shape::array(product.type, {m, n})};
  RouteWriter out(array);
  InstructionId lhs = out.parameter(part_dims(product.said.lhs, {m, k}), 0);
  InstructionId rhs = out.parameter(part_dims(product.said.rhs, {k, n}), 1);
  for (const SplitStep& step : steps.lhs) lhs = out.write(lhs, step);
  for (const SplitStep& step : steps.rhs) rhs = out.write(rhs, step);
  const Shape tile = Shape::array(product.type, part_dims(steps.local.result, {m, n}));
  InstructionId id = write_dot(out.writer(), tile, lhs, rhs);
  for (const SplitStep& step : steps.result) id = out.write(id, step);
  Partitioned made;
  made.kind = StageKind::partitioned;
  made.before = read_stage(product_meaning(product));
  made.parameters = {sharding_of(product.said.lhs, product.mesh, false),
                     sharding_of(product.said.rhs, product.mesh, false)};
  made.results = {sharding_of(product.said.result, product.mesh, false)};
  made.parameter_shapes = {Shape::array(product.type, {m, k}), Shape::array(product.type, {k, n})};
  made.parameter_names = {"lhs", "rhs"};
  made.result_shapes = {array.shape};
  Program program = out.finish(id, "product");
  TRY_VOID(verify(program));
  made.program = SharedProgram(std::move(program));
  return made;
}

Result<Partitioned> route_stage(const RouteArray& array, const AxisSplit& from,
                                const std::vector<SplitStep>& steps) {
  const AxisSplit& to = steps.empty() ? from : steps.back().to;
  const bool partial = !from.partial.empty();
  const std::vector<int64_t> tile = part_dims(from, array.shape.dims);
  RouteWriter route(array);
  std::vector<int64_t> held = tile;
  if (partial) held.insert(held.begin(), 1);
  InstructionId id = route.writer().reshape(route.parameter(held), tile);
  for (const SplitStep& step : steps) id = route.write(id, step);
  if (!to.partial.empty()) id = route.combined(id, to.partial);
  Partitioned out;
  out.kind = StageKind::partitioned;
  out.before = read_stage(meaning(array, size_of(from.partial)));
  out.parameters = {sharding_of(from, array.mesh, partial)};
  out.results = {sharding_of({to.dims, {}}, array.mesh, false)};
  const Computation& entry = out.before->program->entry_computation();
  for (const Instruction* p : parameters_by_number(entry)) {
    out.parameter_shapes.push_back(p->shape);
    out.parameter_names.push_back(p->name);
  }
  out.result_shapes = {entry.root_instruction().shape};
  Program program = route.finish(id, "route");
  TRY_VOID(verify(program));
  out.program = SharedProgram(std::move(program));
  return out;
}

Program step_program(const RouteArray& array, const SplitStep& step) {
  RouteWriter route(array);
  const InstructionId held = route.parameter(part_dims(step.from, array.shape.dims));
  return route.finish(route.write(held, step), "step");
}

}  // namespace shardscope::inline partitioner
