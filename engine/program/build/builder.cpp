// SPDX-License-Identifier: Apache-2.0
#include "engine/program/build/builder.h"

#include <algorithm>
#include <utility>

#include "engine/base/machine/memory_limit.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/program/build/builder_state.h"
#include "engine/program/rules/shape_rules.h"
#include "engine/sharding/named_sharding.h"

namespace shardscope::inline program {
namespace {

// What a requirement's sentence says of the strategy: "n must equal m, got m=4, n=5" that n equals m.
std::string need_of(std::string_view sentence) {
  std::string need(sentence.substr(0, sentence.find(", got")));
  if (need.starts_with("needs ")) return need.substr(std::string_view("needs ").size());
  const std::string_view must = " must ", be = "be ";
  const size_t verb = need.find(must);
  if (verb == std::string::npos) return need;
  const std::string rest = need.substr(verb + must.size());
  if (rest.starts_with(be)) return need.substr(0, verb + 1) + rest.substr(be.size());
  const size_t end = rest.find(' ');
  return need.substr(0, verb + 1) + rest.substr(0, end) + "s" + rest.substr(end);
}

std::vector<std::string> one_by_one(std::string_view letters) {
  std::vector<std::string> names;
  for (const char letter : letters) names.emplace_back(1, letter);
  return names;
}

}  // namespace

std::optional<int> SpmdBuilder::State::axis(std::string_view role) const {
  const auto found = std::ranges::find_if(roles, [&](const auto& filled) { return filled.first == role; });
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
                         std::map<std::string, std::string> roles, std::stop_token stop)
    : state_(std::make_unique<State>()) {
  state_->strategy = std::move(strategy);
  state_->mesh = mesh;
  state_->problem = problem;
  state_->roles = std::move(roles);
  state_->stop = std::move(stop);
  state_->entry.name = "main";
  state_->accumulation = accumulation_type(problem);
  state_->travelling = travelling_type(problem);
  if (auto valid = validate(problem); !valid) fail(valid.error());
  limit(state_->accumulation != ElementType::bf16 || problem.dtype == ElementType::bf16,
        std::string("needs accumulate=f32 for dtype=") + name(problem.dtype) + ", got accumulate=bf16");
}

SpmdBuilder::~SpmdBuilder() = default;

void SpmdBuilder::fail(Error error) {
  if (!state_->error) state_->error = std::move(error);
}

bool SpmdBuilder::ok() const {
  return !state_->error;
}

const std::vector<std::string>& SpmdBuilder::needs() const {
  return state_->needs;
}

void SpmdBuilder::limit(bool condition, std::string_view message) {
  if (!condition) fail(invalid(state_->strategy + ": " + std::string(message)));
}

void SpmdBuilder::check(bool condition, std::string_view need, std::string_view message) {
  state_->needs.emplace_back(need);
  limit(condition, message);
}

void SpmdBuilder::require(bool condition, std::string_view sentence) {
  check(condition, need_of(sentence), sentence);
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
  const std::string all = join(factors, "*"), name(what);
  const bool is_one = factors.size() == 1 && factors.front() == axis(roles.front());
  check(quantity % divisor == 0, all + (is_one ? " divides " : " divide ") + name,
        name + " must be divisible by " + all + ", " + got);
}

void SpmdBuilder::require_multiple(std::string_view what, int64_t quantity, const std::string& of,
                                   int64_t divisor) {
  const std::string name(what);
  check(quantity % divisor == 0, of + " divides " + name,
        name + " must be divisible by " + of + ", got " + name + "=" + std::to_string(quantity) + ", " + of +
            "=" + std::to_string(divisor));
}

void SpmdBuilder::require_even(std::string_view what, int64_t quantity, std::string_view role) {
  const int64_t part = quantity / size(role);
  require(part % 2 == 0,
          std::string(what) + "/" + axis_count(role) + " must be even, got " + std::to_string(part));
}

int64_t SpmdBuilder::require_square(std::string_view where) {
  check(size("row") == size("col"), axis_count("row") + " = " + axis_count("col"),
        "needs a square mesh" + std::string(where) + ", got " + axis("row") + "=" +
            std::to_string(size("row")) + ", " + axis("col") + "=" + std::to_string(size("col")));
  return size("row");
}

const MatmulProblem& SpmdBuilder::problem() const {
  return state_->problem;
}

std::map<std::string, std::string> SpmdBuilder::take_roles() {
  return std::exchange(state_->roles, {});
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
  const bool is_rhs = role == ArrayRole::rhs;
  const std::string_view sizes = is_rhs ? (transposed ? "nk" : "kn") : (transposed ? "km" : "mk");
  return parameter({role, transposed, std::move(dims), std::move(spec), {}}, is_rhs ? "rhs" : "lhs",
                   one_by_one(sizes));
}

Value SpmdBuilder::lhs(std::string_view letters, PartitionSpec spec, std::vector<std::string> unreduced) {
  return parameter({ArrayRole::lhs, letters == "km", extents(letters), std::move(spec), std::move(unreduced)},
                   "lhs", one_by_one(letters));
}

Value SpmdBuilder::rhs(std::string_view letters, PartitionSpec spec) {
  return input(ArrayRole::rhs, extents(letters), std::move(spec), letters == "nk");
}

Value SpmdBuilder::operand(const std::string& symbol, std::string_view letters, PartitionSpec spec) {
  return operand(symbol, extents(letters), std::move(spec), join(one_by_one(letters), ","));
}

Value SpmdBuilder::operand(const std::string& symbol, std::vector<int64_t> dims, PartitionSpec spec,
                           std::string_view sizes) {
  state_->needs.push_back("operand " + symbol + "[" + std::string(sizes) + "]");
  return parameter({ArrayRole::operand, false, std::move(dims), std::move(spec), {}, symbol}, symbol,
                   split(sizes, ','));
}

std::vector<int64_t> SpmdBuilder::extents(std::string_view letters) const {
  std::vector<int64_t> dims;
  for (const char letter : letters) {
    CHECK(letter == 'm' || letter == 'k' || letter == 'n', letters);
    const MatmulProblem& p = state_->problem;
    dims.push_back(letter == 'm' ? p.m : letter == 'k' ? p.k : p.n);
  }
  return dims;
}

// `info` by role names; `sizes`: what its dimensions are called.
Value SpmdBuilder::parameter(ArrayInfo info, std::string name, const std::vector<std::string>& sizes) {
  for (size_t i = 0; i < info.spec.dims.size(); ++i) {
    for (const std::string& axis_role : info.spec.dims[i]) {
      limit(state_->axis(axis_role).has_value(),
            "needs a mesh axis for " + axis_role + ", got " + state_->mesh.text());
    }
    if (i < info.dims.size() && !info.spec.dims[i].empty()) {
      require_divisible(sizes.at(i), info.dims[i], info.spec.dims[i]);
    }
  }
  if (!ok()) return {this, InstructionId()};

  info.spec = state_->with_axes(info.spec);
  for (std::string& role : info.unreduced) role = axis(role);
  info.home = state_->home;
  auto sharding = NamedSharding::make(state_->mesh, info.spec, info.unreduced);
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
  State::Known known{symbol_of(info), info.dims};
  state_->inputs.push_back(std::move(info));
  const Value made = emit(std::move(instruction));
  if (made.id_.valid()) state_->know(std::move(known));
  return made;
}

void SpmdBuilder::home(std::string_view role, int64_t coordinate) {
  if (ok() && size(role) > 1) state_->home.push_back({axis(role), coordinate});
}

std::optional<Error> SpmdBuilder::State::too_long() {
  constexpr size_t kMostInstructions = 2'000'000;
  constexpr double kBytesEach = 2000;  // until it is timed
  constexpr size_t kBetweenLooks = 50'000;
  const char* const fix = "say larger blocks or fewer slices";
  const size_t length = entry.instructions.size();
  const auto count = [&] { return group_digits(static_cast<int64_t>(length)); };
  if (length > kMostInstructions)
    return too_big(strategy + ": the program has more than " + count() + " instructions", "", fix);
  if (length < looked_at + kBetweenLooks) return std::nullopt;
  looked_at = length;
  const auto there = require_memory(kBytesEach * static_cast<double>(length),
                                    strategy + ": a program of more than " + count() + " instructions", fix);
  return there.ok() ? std::nullopt : std::optional(there.error());
}

void SpmdBuilder::step(int k) {
  if (state_->stop.stop_requested()) fail(cancelled());
  if (auto refused = state_->too_long()) fail(*std::move(refused));
  state_->provenance.step = state_->first_step + k;
  state_->next_step = std::max(state_->next_step, state_->provenance.step + 1);
}

void SpmdBuilder::step(int k, Value sum) {
  step(k);
  if (state_->in_loop) sum = done(sum);  // here, so that nothing reads the sum after what adds to it
  after({Value(this, std::exchange(state_->sum_of_step, ok() ? sum.id_ : InstructionId()))});
}

void SpmdBuilder::end_steps() {
  state_->provenance.step = Provenance().step;
  state_->first_step = state_->next_step;
  state_->after.clear();
  state_->sum_of_step = InstructionId();
  state_->in_phase = false;
}

void SpmdBuilder::phase(std::string_view op_name) {
  state_->in_phase = !op_name.empty();
  if (state_->in_phase && !state_->is_sketch) state_->provenance.op_name = op_name;
}

void SpmdBuilder::say(const std::string& op_name) {
  if (!state_->in_phase && !state_->is_sketch) state_->provenance.op_name = op_name;
}

void SpmdBuilder::choice(std::string name, std::string value) {
  if (state_->makes != "Y") name += "." + state_->makes;
  state_->choices.emplace_back(std::move(name), std::move(value));
}

void SpmdBuilder::makes(std::string symbol) {
  state_->makes = std::move(symbol);
}

const std::string& SpmdBuilder::product() const {
  return state_->makes;
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

void SpmdBuilder::result(std::string symbol, Value v, std::string_view letters, const PartitionSpec& spec) {
  v = stored(v);
  if (!ok()) return;
  state_->further_outputs.push_back(
      output_info(ArrayRole::result, std::move(symbol), v, extents(letters), spec, {}));
  state_->further_results.push_back(v.id_);
}

void SpmdBuilder::keep_f32() {
  if (bits(state_->problem.dtype) != 16) return;
  state_->accumulation = state_->travelling = ElementType::f32;
  state_->result_type = ElementType::f32;
  choice("result", "f32");
}

void SpmdBuilder::define(std::string definition) {
  state_->definitions.push_back(std::move(definition));
}

Result<Program> SpmdBuilder::finish(Value result, const PartitionSpec& spec) {
  return finish(result, "mn", spec);
}

Result<Program> SpmdBuilder::finish(Value result, std::string_view letters, const PartitionSpec& spec) {
  return finish(result, ArrayRole::product, extents(letters), spec);
}

Result<Program> SpmdBuilder::finish(Value result, ArrayRole role, std::vector<int64_t> dims,
                                    const PartitionSpec& spec, std::vector<std::string> unreduced) {
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
  state_->written = state_->entry.instructions.size();
  program.computations = std::move(state_->called);
  program.entry = ComputationId(static_cast<int64_t>(program.computations.size()));
  program.computations.push_back(std::move(state_->entry));
  program.computations.back().root = result.id_;
  program.inputs = std::move(state_->inputs);
  program.output = std::move(info);
  program.further_outputs = std::move(state_->further_outputs);
  program.definitions = std::move(state_->definitions);
  program.choices = std::move(state_->choices);
  TRY_VOID(check(program));
  return program;
}

Result<void> SpmdBuilder::check(const Program& program) const {
  if (!state_->is_sketch) return verify(program);
  for (const Instruction& i : program.entry_computation().instructions) {
    if (!is_sound(i.shape)) return invalid(state_->strategy + ": an array of more than 2^50 elements");
  }
  return {};
}

}  // namespace shardscope::inline program
