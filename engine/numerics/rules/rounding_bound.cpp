// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/rounding_bound.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>

#include "engine/base/float_format.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/collective_sum.h"
#include "engine/numerics/rules/convert.h"
#include "engine/numerics/rules/rules.h"

namespace shardscope::inline numerics {
namespace {

Shape of_bounds(Shape shape) {
  shape.elements.change([](std::vector<Shape>& elements) {
    for (Shape& element : elements) element = of_bounds(element);
  });
  if (is_floating(shape.type)) shape.type = ElementType::f32;
  return shape;
}

Program program_of_bounds(Program program) {
  for (Instruction& i : program.computations[static_cast<size_t>(program.entry.value)].instructions)
    i.shape = of_bounds(i.shape);
  return program;
}

bool holds_floats(const Shape& shape) {
  if (!shape.is_tuple) return is_floating(shape.type);
  return std::any_of(shape.elements.begin(), shape.elements.end(), holds_floats);
}

bool holds_narrow(const Shape& shape) {
  if (!shape.is_tuple) return is_narrow(shape.type);
  return std::any_of(shape.elements.begin(), shape.elements.end(), holds_narrow);
}

// f of every element, in f32.
std::vector<Array> mapped(Step& step, const std::vector<ViewPtr>& views, float (*f)(float)) {
  const std::vector<ViewPtr> plain = step.plain(views);
  std::vector<Array> out;
  out.reserve(plain.size());
  for (const ViewPtr& view : plain) out.push_back(step.run.pool.take(ElementType::f32, view->dims()));
  for_stretches(plain.size(), plain[0]->element_count(), step.run.workers, step.run.stop,
                [&](size_t d, int64_t first, int64_t count) {
                  float* to = reinterpret_cast<float*>(out[d].mutable_data()) + first;
                  convert_elements(plain[d]->type(), plain[d]->data() + stored_bytes(plain[d]->type(), first),
                                   ElementType::f32, reinterpret_cast<std::byte*>(to), count);
                  for (int64_t e = 0; e < count; ++e) to[e] = f(to[e]);
                });
  return out;
}

// Collectives round where they add.
bool rounds_once(Opcode opcode) {
  static const OpTable<char> kRounds({{OpClass::elementwise, 1}}, {{Opcode::convert, 1},
                                                                   {Opcode::negate, 0},
                                                                   {Opcode::abs, 0},
                                                                   {Opcode::maximum, 0},
                                                                   {Opcode::minimum, 0},
                                                                   {Opcode::dot, 1},
                                                                   {Opcode::ragged_dot, 1}});
  return kRounds[opcode] != 0;
}

DeviceValues values_of(const std::vector<Array>& arrays) {
  DeviceValues out(arrays.size());
  for (size_t d = 0; d < arrays.size(); ++d) out[d].view = std::make_shared<View>(View::of(arrays[d]));
  return out;
}

}  // namespace

void add_half_spacing(ElementType type, const std::byte* values, float* bound, int64_t count) {
  const int digits = element_type(type).digits;
  const float least = std::ldexp(1.0F, float_format(type).least_exponent()), half = std::ldexp(1.0F, -digits);
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    if constexpr (element::kNarrow<Tag>) {
      const auto* in = reinterpret_cast<const typename Tag::Stored*>(values);
      for (int64_t e = 0; e < count; ++e) {
        // The power of two below the value; infinite for what is no finite number.
        const uint32_t bits = std::bit_cast<uint32_t>(Tag::load(in[e])) & 0x7f800000u;
        bound[e] += std::max(std::bit_cast<float>(bits), least) * half;
      }
    }
  });
}

bool RoundingBound::rounds(const Program& program) {
  const Computation& entry = program.entry_computation();
  return std::any_of(entry.instructions.begin(), entry.instructions.end(),
                     [](const Instruction& i) { return holds_narrow(i.shape); });
}

RoundingBound::RoundingBound(const Execution& run)
    : program_(program_of_bounds(run.program)),
      run_{program_, run.workers, false, run.isa, run.devices},
      plan_(make_plan(program_.entry_computation(), DotPlan::alone)),
      frame_{program_.entry_computation(),
             plan_,
             {},
             std::vector<DeviceValues>(program_.entry_computation().instructions.size())},
      zero_(program_.entry_computation().instructions.size(), 0) {}

DeviceValue RoundingBound::zero(const Shape& shape) {
  DeviceValue out;
  if (shape.is_tuple) {
    for (const Shape& element : shape.elements) out.elements.push_back(zero(element));
    return out;
  }
  if (!is_floating(shape.type)) return out;
  ViewPtr& view = zeros_[shape.dims];
  if (view == nullptr) {
    Array one = Array::allocate(ElementType::f32, {});
    one.mutable_as<float>()[0] = 0;
    view = std::make_shared<const View>(View::splat(one, shape.dims));
  }
  out.view = view;
  return out;
}

void RoundingBound::give_zero(InstructionId id, const Shape& shape) {
  zero_[static_cast<size_t>(id.value)] = 1;
  frame_.of(id).assign(run_.devices, zero(shape));
}

bool RoundingBound::operands_are_zero(const Instruction& i) const {
  return std::all_of(i.operands.begin(), i.operands.end(),
                     [&](InstructionId o) { return is_zero_of(o) || !holds_floats(frame_.at(o).shape); });
}

Result<void> RoundingBound::follow(Step& executed) {
  const auto start = std::chrono::steady_clock::now();
  run_.stop = executed.run.stop;
  // Dots that waited for this sum come first; their operands are still there.
  for (; known_ && next_ <= executed.id.value; ++next_) TRY_VOID(follow_one(InstructionId(next_), executed));
  for (const int32_t dead : executed.frame.plan.dying[static_cast<size_t>(executed.id.value)])
    frame_.values[static_cast<size_t>(dead)].clear();
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {};
}

RoundingBound::Rule RoundingBound::rule_of(Opcode opcode) {
  static const OpTable<Rule> kRules({}, {{Opcode::tuple, &RoundingBound::move},
                                         {Opcode::get_tuple_element, &RoundingBound::move},
                                         {Opcode::reshape, &RoundingBound::move},
                                         {Opcode::bitcast, &RoundingBound::move},
                                         {Opcode::transpose, &RoundingBound::move},
                                         {Opcode::broadcast, &RoundingBound::move},
                                         {Opcode::slice, &RoundingBound::move},
                                         {Opcode::concatenate, &RoundingBound::move},
                                         {Opcode::dynamic_slice, &RoundingBound::move},
                                         {Opcode::dynamic_update_slice, &RoundingBound::move},
                                         {Opcode::pad, &RoundingBound::move},
                                         {Opcode::reverse, &RoundingBound::move},
                                         {Opcode::select, &RoundingBound::move},
                                         {Opcode::all_gather, &RoundingBound::move},
                                         {Opcode::all_to_all, &RoundingBound::move},
                                         {Opcode::ragged_all_to_all, &RoundingBound::move},
                                         {Opcode::collective_permute, &RoundingBound::move},
                                         {Opcode::collective_broadcast, &RoundingBound::move},
                                         {Opcode::copy, &RoundingBound::pass},
                                         {Opcode::optimization_barrier, &RoundingBound::pass},
                                         {Opcode::negate, &RoundingBound::pass},
                                         {Opcode::abs, &RoundingBound::pass},
                                         {Opcode::convert, &RoundingBound::pass},
                                         {Opcode::add, &RoundingBound::add},
                                         {Opcode::subtract, &RoundingBound::add},
                                         {Opcode::maximum, &RoundingBound::add},
                                         {Opcode::minimum, &RoundingBound::add},
                                         {Opcode::dot, &RoundingBound::multiply},
                                         {Opcode::ragged_dot, &RoundingBound::multiply},
                                         {Opcode::all_reduce, &RoundingBound::sum},
                                         {Opcode::reduce_scatter, &RoundingBound::sum}});
  return kRules[opcode];
}

Result<void> RoundingBound::follow_one(InstructionId id, Step& executed) {
  const Instruction& i = executed.frame.at(id);
  Step bounds{run_, frame_, id}, real{executed.run, executed.frame, id};
  if (!holds_floats(i.shape)) {
    if (id == executed.id) frame_.of(id) = executed.results();
    return {};
  }
  const Rule rule = rule_of(i.opcode);
  const bool same = operands_are_zero(i) && !(has(i.opcode, Trait::sums) && is_narrow(i.shape.type));
  if (same && (rule != nullptr || is_elementwise(i.opcode) || i.operands.empty())) {
    give_zero(id, bounds.at().shape);
  } else if (rule != nullptr) {
    frame_.of(id).assign(run_.devices, {});
    TRY_VOID((this->*rule)(bounds, real));
  } else {
    known_ = false;
    return {};
  }
  if (is_narrow(i.shape.type) && rounds_once(i.opcode)) add_rounding(bounds, real);
  return {};
}

Result<void> RoundingBound::move(Step& bounds, Step&) {
  return run_instruction(bounds);
}

Result<void> RoundingBound::pass(Step& bounds, Step&) {
  return run_forward(bounds);
}

Result<void> RoundingBound::add(Step& bounds, Step&) {
  const auto a = bounds.arrays(0), b = bounds.arrays(1);
  std::vector<Array> sums = bounds.new_arrays();
  for_stretches(bounds.devices(), bounds.at().shape.element_count(), run_.workers, run_.stop,
                [&](size_t d, int64_t first, int64_t count) {
                  const auto* x = reinterpret_cast<const float*>(a[d]->data()) + first;
                  const auto* y = reinterpret_cast<const float*>(b[d]->data()) + first;
                  auto* to = reinterpret_cast<float*>(sums[d].mutable_data()) + first;
                  for (int64_t e = 0; e < count; ++e) to[e] = x[e] + y[e];
                });
  bounds.give(sums);
  return {};
}

// Σ (bound of one side · other side)², the roots of both added up: the same product on squares.
Result<void> RoundingBound::multiply(Step& bounds, Step& executed) {
  const Instruction& i = bounds.at();
  const InstructionId sides[] = {i.operands[0], i.operands[1]};
  if (sides[0] == sides[1]) {
    known_ = false;
    return {};
  }
  const auto square = [](float x) { return x * x; };
  std::vector<Array> total;
  for (size_t side = 0; side < 2; ++side) {
    if (is_zero_of(sides[side])) continue;
    const DeviceValues kept[] = {frame_.of(sides[0]), frame_.of(sides[1])};
    std::vector<ViewPtr> off, beside;
    for (size_t d = 0; d < run_.devices; ++d) {
      off.push_back(kept[side][d].view);
      beside.push_back(executed.view(1 - side, d));
    }
    frame_.of(sides[side]) = values_of(mapped(bounds, off, square));
    frame_.of(sides[1 - side]) = values_of(mapped(bounds, beside, square));
    const Result<void> done = run_instruction(bounds);
    for (size_t s = 0; s < 2; ++s) frame_.of(sides[s]) = kept[s];
    if (!done.ok()) return done.error();
    std::vector<ViewPtr> squares;
    squares.reserve(run_.devices);
    for (const DeviceValue& value : bounds.results()) squares.push_back(value.view);
    std::vector<Array> roots =
        mapped(bounds, squares, [](float x) { return static_cast<float>(kDeviations) * std::sqrt(x); });
    frame_.panels.clear();
    if (total.empty()) {
      total = std::move(roots);
      continue;
    }
    for (size_t d = 0; d < total.size(); ++d) {
      const auto other = roots[d].as<float>();
      auto out = total[d].mutable_as<float>();
      for (size_t e = 0; e < out.size(); ++e) out[e] += other[e];
    }
  }
  bounds.give(total);
  return {};
}

// Bounds of all ranks add up, and every addition rounds once more where the schedule adds.
Result<void> RoundingBound::sum(Step& bounds, Step& executed) {
  TRY(const ElementwiseKernel kernel, collective_kernel(executed));
  const bool rounds = is_narrow(executed.at().shape.type);
  const std::vector<ViewPtr> values = executed.arrays(0), held = bounds.arrays(0);
  std::vector<const std::byte*> memory;
  memory.reserve(values.size());
  for (const ViewPtr& value : values) memory.push_back(value->data());
  const std::vector<CollectiveSum> sums = collective_sums(executed);
  struct Task {
    const CollectiveSum* sum;
    const SumStretch* stretch;
    float* bound;
  };
  std::vector<Task> tasks;
  for (const CollectiveSum& sum : sums) {
    Array array = run_.pool.take(ElementType::f32, bounds.at().shape.dims);
    const auto view = std::make_shared<const View>(View::of(array));
    for (const DeviceId owner : sum.owners) bounds.results()[static_cast<size_t>(owner.value)].view = view;
    for (const SumStretch& stretch : sum.stretches)
      tasks.push_back({&sum, &stretch, reinterpret_cast<float*>(array.mutable_data())});
  }
  for (DeviceValue& value : bounds.results())
    if (value.view == nullptr) value = zero(bounds.at().shape);
  const ElementType type = executed.at().shape.type;
  const bool anew = !is_zero_of(bounds.at().operands[0]);
  run_.workers.parallel_for(static_cast<int64_t>(tasks.size()), [&](int64_t t) {
    const Task& task = tasks[static_cast<size_t>(t)];
    const SumStretch& stretch = *task.stretch;
    std::fill_n(task.bound + stretch.first, stretch.count, 0.0F);
    if (anew) {
      for (const DeviceId member : task.sum->group) {
        const auto* own = reinterpret_cast<const float*>(held[static_cast<size_t>(member.value)]->data());
        for_each_row(task.sum->region, stretch.first, stretch.count,
                     [&](int64_t from, int64_t to, int64_t count) {
                       for (int64_t e = 0; e < count; ++e) task.bound[to + e] += own[from + e];
                     });
      }
    }
    if (!rounds) return;
    std::vector<std::byte> again(static_cast<size_t>(stored_bytes(type, stretch.count)));
    add_up(*task.sum, stretch, {memory, type}, kernel.two, again.data(),
           [&](const std::byte* partial, int64_t first, int64_t count) {
             add_half_spacing(type, partial, task.bound + first, count);
           });
  });
  return {};
}

void RoundingBound::add_rounding(Step& bounds, Step& executed) {
  const ElementType type = executed.at().shape.type;
  const bool fresh = is_zero_of(bounds.id);
  const std::vector<ViewPtr> values = executed.plain(executed.result_views());
  const std::vector<ViewPtr> held = fresh ? std::vector<ViewPtr>{} : bounds.plain(bounds.result_views());
  std::vector<Array> out = bounds.new_arrays();
  for_stretches(bounds.devices(), bounds.at().shape.element_count(), run_.workers, run_.stop,
                [&](size_t d, int64_t first, int64_t count) {
                  auto* to = reinterpret_cast<float*>(out[d].mutable_data()) + first;
                  if (fresh) {
                    std::fill_n(to, count, 0.0F);
                  } else {
                    std::memcpy(to, held[d]->data() + stored_bytes(ElementType::f32, first),
                                static_cast<size_t>(count) * sizeof(float));
                  }
                  add_half_spacing(type, values[d]->data() + stored_bytes(type, first), to, count);
                });
  bounds.give(out);
  zero_[static_cast<size_t>(bounds.id.value)] = 0;
}

const DeviceValues& RoundingBound::root() {
  return frame_.of(frame_.computation.root);
}

}  // namespace shardscope::inline numerics
