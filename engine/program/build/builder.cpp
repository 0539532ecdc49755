// SPDX-License-Identifier: Apache-2.0
#include "engine/program/build/builder.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/build/builder_state.h"
#include "engine/sharding/named_sharding.h"

namespace shardscope {
namespace {

// What a strategy calls the dimensions of its inputs.
std::string dimension_name(const ArrayInfo& info, size_t dim) {
  const bool first = (dim == 0) != info.transposed;
  if (info.role == ArrayRole::lhs) return first ? "m" : "k";
  if (info.role == ArrayRole::rhs) return first ? "k" : "n";
  return "dimension " + std::to_string(dim) + " of " + symbol_of(info);
}

}  // namespace

std::optional<int> SpmdBuilder::State::axis(std::string_view role) const {
  const auto found = roles.find(std::string(role));
  return mesh.axis_index(found == roles.end() ? role : std::string_view(found->second));
}

PartitionSpec SpmdBuilder::State::with_axes(const PartitionSpec& roles_spec) const {
  PartitionSpec spec = roles_spec;
  for (auto& dim : spec.dims) {
    for (std::string& name : dim) {
      if (const auto found = roles.find(name); found != roles.end()) name = found->second;
    }
  }
  return spec;
}

SpmdBuilder::SpmdBuilder(std::string strategy, const Mesh& mesh, const MatmulProblem& problem,
                         std::map<std::string, std::string> roles)
    : state_(std::make_unique<State>()) {
  state_->strategy = std::move(strategy);
  state_->mesh = mesh;
  state_->problem = problem;
  state_->roles = std::move(roles);
  state_->entry.name = "main";
  state_->accumulation = accumulation_type(problem);
  if (auto valid = validate(problem); !valid) fail(valid.error());
  require(state_->accumulation != ElementType::bf16 || problem.dtype == ElementType::bf16,
          std::string("needs accumulate=f32 for dtype=") + name(problem.dtype) + ", got accumulate=bf16");
}

SpmdBuilder::~SpmdBuilder() = default;

void SpmdBuilder::fail(Error error) {
  if (!state_->error) state_->error = std::move(error);
}

bool SpmdBuilder::ok() const {
  return !state_->error;
}

void SpmdBuilder::require(bool condition, std::string_view message) {
  if (!condition) fail(invalid(state_->strategy + ": " + std::string(message)));
}

void SpmdBuilder::require_divisible(std::string_view what, int64_t quantity,
                                    const std::vector<std::string>& roles) {
  int64_t divisor = 1;
  std::vector<std::string> factors;
  std::string got = "got " + std::string(what) + "=" + std::to_string(quantity);
  for (const std::string& role : roles) {
    divisor *= size(role);
    factors.push_back(axis_count(role));
    got += ", " + factors.back() + "=" + std::to_string(size(role));
  }
  require(quantity % divisor == 0,
          std::string(what) + " must be divisible by " + join(factors, "*") + ", " + got);
}

void SpmdBuilder::require_even(std::string_view what, int64_t quantity, std::string_view role) {
  const int64_t part = quantity / size(role);
  require(part % 2 == 0,
          std::string(what) + "/" + axis_count(role) + " must be even, got " + std::to_string(part));
}

bool SpmdBuilder::has_axis(std::string_view role) const {
  return state_->axis(role).has_value();
}

int64_t SpmdBuilder::size(std::string_view role) const {
  const auto position = state_->axis(role);
  return position ? state_->mesh.axis_size(*position) : 1;
}

std::string SpmdBuilder::axis(std::string_view role) const {
  const auto position = state_->axis(role);
  return position ? state_->mesh.axes()[static_cast<size_t>(*position)].name : std::string(role);
}

std::string SpmdBuilder::axis_count(std::string_view role) const {
  const std::string own = axis(role);
  return own == "row" || own == "col" ? own + "s" : own;
}

Value SpmdBuilder::input(ArrayRole role, std::vector<int64_t> dims, PartitionSpec spec, bool transposed) {
  return parameter({role, transposed, std::move(dims), std::move(spec), {}},
                   role == ArrayRole::rhs ? "rhs" : "lhs");
}

Value SpmdBuilder::operand(std::string symbol, std::vector<int64_t> dims, PartitionSpec spec) {
  return parameter({ArrayRole::operand, false, std::move(dims), std::move(spec), {}, symbol}, symbol);
}

// `info` by role names.
Value SpmdBuilder::parameter(ArrayInfo info, std::string name) {
  for (size_t i = 0; i < info.spec.dims.size(); ++i) {
    for (const std::string& axis_role : info.spec.dims[i]) {
      require(state_->axis(axis_role).has_value(),
              "needs a mesh axis for " + axis_role + ", got " + state_->mesh.text());
    }
    if (i < info.dims.size() && !info.spec.dims[i].empty()) {
      require_divisible(dimension_name(info, i), info.dims[i], info.spec.dims[i]);
    }
  }
  if (!ok()) return {this, InstructionId()};

  info.spec = state_->with_axes(info.spec);
  info.home = state_->home;
  auto sharding = NamedSharding::make(state_->mesh, info.spec);
  auto local =
      sharding.ok() ? sharding->shard_shape(info.dims) : Result<std::vector<int64_t>>(sharding.error());
  if (!local.ok()) {
    fail(invalid(state_->strategy + ": " + local.error().what, local.error().where, local.error().fix));
    return {this, InstructionId()};
  }
  Instruction instruction;
  instruction.name = std::move(name);
  instruction.opcode = Opcode::parameter;
  instruction.parameter_number = static_cast<int64_t>(state_->inputs.size());
  instruction.shape = Shape::array(state_->problem.dtype, *local);
  state_->inputs.push_back(std::move(info));
  return emit(std::move(instruction));
}

void SpmdBuilder::home(std::string_view role, int64_t coordinate) {
  if (ok() && size(role) > 1) state_->home.push_back({axis(role), coordinate});
}

void SpmdBuilder::step(int k) {
  state_->provenance.step = k;
  state_->next_step = std::max(state_->next_step, k + 1);
}
int SpmdBuilder::next_step() const {
  return state_->next_step;
}
void SpmdBuilder::phase(std::string_view op_name) {
  state_->provenance.op_name = op_name;
}
void SpmdBuilder::choice(std::string name, std::string value) {
  state_->choices.emplace_back(std::move(name), std::move(value));
}

// What the shards `v` make up, by role names.
ArrayInfo SpmdBuilder::output_info(ArrayRole role, std::string symbol, Value v, std::vector<int64_t> dims,
                                   const PartitionSpec& spec, std::vector<std::string> unreduced) {
  for (std::string& axis_name : unreduced) axis_name = axis(axis_name);
  ArrayInfo info{
      role, false, std::move(dims), state_->with_axes(spec), std::move(unreduced), std::move(symbol)};
  info.home = state_->home;
  auto sharding = NamedSharding::make(state_->mesh, info.spec, info.unreduced);
  CHECK(sharding.ok(), state_->strategy, sharding.error().text());
  auto local = sharding->shard_shape(info.dims);
  CHECK(local.ok(), state_->strategy, local.error().text());
  CHECK(*local == shape_of(v).dims, state_->strategy, "result does not have the shape of its sharding",
        shape_of(v).text(), info.spec.text());
  return info;
}

void SpmdBuilder::result(std::string symbol, Value v, std::vector<int64_t> dims, PartitionSpec spec) {
  v = stored(v);
  if (!ok()) return;
  state_->further_outputs.push_back(
      output_info(ArrayRole::result, std::move(symbol), v, std::move(dims), spec, {}));
  state_->further_results.push_back(v.id_);
}

void SpmdBuilder::result_type(ElementType type) {
  state_->result_type = type;
}

void SpmdBuilder::define(std::string definition) {
  state_->definitions.push_back(std::move(definition));
}

Result<Program> SpmdBuilder::finish(Value result, ArrayRole role, std::vector<int64_t> dims,
                                    PartitionSpec spec, std::vector<std::string> unreduced) {
  state_->provenance = {};
  // What a chain makes is kept as its inputs are.
  const ElementType own =
      state_->definitions.empty() ? shardscope::result_type(state_->problem.dtype) : state_->problem.dtype;
  result = convert(result, state_->result_type.value_or(own));
  if (!ok()) return *state_->error;

  ArrayInfo info = output_info(role, "", result, std::move(dims), spec, std::move(unreduced));
  if (!state_->further_results.empty()) {
    std::vector<InstructionId> all{result.id_};
    all.insert(all.end(), state_->further_results.begin(), state_->further_results.end());
    result = tuple(std::move(all));
  }

  Program program;
  program.name = state_->strategy;
  program.mesh = state_->mesh;
  program.computations = state_->reducers;
  program.entry = ComputationId(static_cast<int64_t>(program.computations.size()));
  program.computations.push_back(state_->entry);
  program.computations.back().root = result.id_;
  program.inputs = state_->inputs;
  program.output = std::move(info);
  program.further_outputs = state_->further_outputs;
  program.definitions = state_->definitions;
  program.choices = state_->choices;
  TRY_VOID(verify(program));
  return program;
}

}  // namespace shardscope
