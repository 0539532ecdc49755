// SPDX-License-Identifier: Apache-2.0
#include "engine/grad/loops.h"

#include <algorithm>
#include <map>

#include "engine/grad/turn.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/analysis/tuple_elements.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope::inline grad {
namespace {

// A loop's state grows by what is carried beside it.
InstructionId grow(GradPage& page, InstructionId state, const Shape& shape) {
  std::vector<Shape>& elements = page.edit(state).shape.elements.edit();
  elements.push_back(shape);
  return page.element(state, std::ssize(elements) - 1);
}

void say_rounds(Instruction& loop, int64_t rounds) {
  std::erase_if(loop.verbatim.edit(), [](const VerbatimAttribute& a) {
    return std::string_view(a.key) == "backend_config" || std::string_view(a.key) == "sharding";
  });
  loop.verbatim = with_frontend_attribute(loop.verbatim, kSdySharding, std::nullopt);
  loop.verbatim.edit().push_back(
      {"backend_config", "{\"known_trip_count\":{\"n\":\"" + std::to_string(rounds) + "\"}}"});
  loop.sharding.reset();
}

std::vector<InstructionId> whole_at(GradPage& page, InstructionId place, size_t rank) {
  std::vector<InstructionId> starts = {place};
  for (size_t d = 0; d < rank; ++d) starts.push_back(page.index(0));
  return starts;
}

std::vector<int64_t> in_front(int64_t size, std::vector<int64_t> dims) {
  dims.insert(dims.begin(), size);
  return dims;
}

class LoopWriter {
 public:
  LoopWriter(GradSweep& outer, const Instruction& loop, LoopPages& out)
      : outer_(outer),
        loop_(loop),
        out_(out),
        module_(outer.back().module()),
        body_(called_by(module_.from(), loop, "body")),
        ahead_(module_, body_.name),
        back_(module_, body_.name + ".bar"),
        sweep_(body_, active_arrays(module_.from(), body_, {out.active}, body_.root, out.active),
               {ahead_, back_, [this](InstructionId id) { return saved(id); },
                [this](int64_t e) { return is_unchanged(body_, e) || counter(e).has_value(); },
                [this](int64_t e) { return known(e); }},
               outer.remat()) {}

  Result<void> write(const std::stop_token& stop) {
    open();
    TRY_VOID(sweep_.forward({ahead_.tuple(elements_)}, stop));
    for (size_t e = 0, next = 0; e < out_.active.size(); ++e)
      if (out_.active[e]) sweep_.give(body_.root, e, bars_[next++]);
    TRY_VOID(sweep_.backward(stop));
    close_back();
    close_ahead();
    return {};
  }

  // On the outer page: the loop as it is, and stacks.
  InstructionId call() {
    GradPage& page = outer_.ahead();
    const InstructionId state = outer_.ahead_of(loop_.operands[0]);
    std::vector<InstructionId> operands;
    for (size_t e = 0; e < count(); ++e) operands.push_back(page.element(state, static_cast<int64_t>(e)));
    operands.push_back(page.index(0));
    for (const Shape& stack : stacks_) operands.push_back(page.zeros(stack));
    Instruction copy = loop_;
    copy.operands = {page.tuple(operands)};
    copy.shape = page.shape(copy.operands[0]);
    copy.control_predecessors = {};
    copy.called = {{"condition", condition_ahead()}, {"body", body_ahead_}};
    say_rounds(copy, out_.rounds);
    out_.ahead = page.add(std::move(copy));
    std::vector<InstructionId> results;
    for (size_t e = 0; e < count(); ++e) results.push_back(page.element(out_.ahead, static_cast<int64_t>(e)));
    return page.tuple(results);
  }

 private:
  size_t count() const { return loop_.shape.elements->size(); }

  void open() {
    state_ahead_ = ahead_.parameter(0, loop_.shape, loop_.name + ".state");
    for (size_t e = 0; e < count(); ++e)
      elements_.push_back(ahead_.element(state_ahead_, static_cast<int64_t>(e)));
    round_ahead_ = grow(ahead_, state_ahead_, Shape::scalar(ElementType::s32));
    state_back_ = back_.parameter(0, Shape::tuple({Shape::scalar(ElementType::s32)}), loop_.name + ".bars");
    round_back_ = back_.element(state_back_, 0);
    round_ = back_.op(Opcode::subtract, {back_.index(out_.rounds - 1), round_back_});
    for (size_t e = 0; e < count(); ++e) {
      const Shape& shape = loop_.shape.elements[e];
      if (out_.active[e]) bars_.push_back(grow(back_, state_back_, Shape::array(shape.type, shape.dims)));
    }
  }

  InstructionId saved(InstructionId on_ahead) {
    const auto known = saved_.find(on_ahead.value);
    if (known != saved_.end()) return known->second;
    const Shape one = Shape::array(ahead_.type(on_ahead), ahead_.dims(on_ahead));
    const Shape stack = Shape::array(one.type, in_front(out_.rounds, one.dims));
    const InstructionId before = grow(ahead_, state_ahead_, stack);
    const InstructionId entry = ahead_.reshape(on_ahead, in_front(1, one.dims));
    kept_.push_back(ahead_.update_slice(before, entry, whole_at(ahead_, round_ahead_, one.rank())));
    out_.given.push_back({true, static_cast<int64_t>(count() + kept_.size())});
    stacks_.push_back(stack);
    const InstructionId whole = give_back(stack);
    const InstructionId read =
        back_.dynamic_slice(whole, whole_at(back_, round_, one.rank()), in_front(1, one.dims));
    return saved_[on_ahead.value] = back_.reshape(read, one.dims);
  }

  InstructionId give_back(const Shape& shape) {
    given_.push_back(grow(back_, state_back_, shape));
    return given_.back();
  }

  // First value and step of a counter.
  std::optional<std::pair<int64_t, int64_t>> counter(int64_t e) const {
    const Shape& shape = loop_.shape.elements[static_cast<size_t>(e)];
    if (shape.is_tuple || shape.rank() != 0 || !is_integer(shape.type)) return std::nullopt;
    const auto first = first_value(outer_.from(), loop_, e), step = step_of(body_, e);
    if (!first || !step) return std::nullopt;
    return std::pair(*first, *step);
  }

  InstructionId known(int64_t e) {
    const auto found = known_.find(e);
    if (found != known_.end()) return found->second;
    const Shape& shape = loop_.shape.elements[static_cast<size_t>(e)];
    if (is_unchanged(body_, e)) {
      out_.given.push_back({false, e});
      return known_[e] = give_back(shape);
    }
    const auto [first, step] = *counter(e);
    InstructionId value = back_.convert(round_, shape.type);
    if (step != 1)
      value = back_.op(Opcode::multiply, {value, back_.constant(shape, static_cast<double>(step))});
    if (first != 0) value = back_.op(Opcode::add, {value, back_.constant(shape, static_cast<double>(first))});
    return known_[e] = value;
  }

  void close_back() {
    std::vector<InstructionId> root = {back_.op(Opcode::add, {round_back_, back_.index(1)})};
    const auto bars = sweep_.active_bars(parameter_ids(body_).front());
    root.insert(root.end(), bars.begin(), bars.end());
    root.insert(root.end(), given_.begin(), given_.end());
    const InstructionId result = back_.tuple(root);
    const Shape state = back_.shape(state_back_);
    out_.body = module_.add(std::move(back_).finish(result));
    GradPage page(module_, body_.name + ".bar.condition");
    const InstructionId given = page.parameter(0, state, loop_.name + ".bars");
    const InstructionId more =
        page.compare(page.element(given, 0), page.index(out_.rounds), CompareDirection::lt);
    out_.condition = module_.add(std::move(page).finish(more));
  }

  void close_ahead() {
    std::vector<InstructionId> root;
    for (size_t e = 0; e < count(); ++e)
      root.push_back(ahead_.element(sweep_.ahead_of(body_.root), static_cast<int64_t>(e)));
    root.push_back(ahead_.op(Opcode::add, {round_ahead_, ahead_.index(1)}));
    root.insert(root.end(), kept_.begin(), kept_.end());
    const InstructionId result = ahead_.tuple(root);
    grown_ = ahead_.shape(state_ahead_);
    body_ahead_ = module_.add(std::move(ahead_).finish(result));
  }

  ComputationId condition_ahead() {
    const Computation& condition = called_by(module_.from(), loop_, "condition");
    GradPage page(module_, condition.name);
    const InstructionId given = page.parameter(0, grown_, loop_.name + ".state");
    std::vector<InstructionId> elements;
    for (size_t e = 0; e < count(); ++e) elements.push_back(page.element(given, static_cast<int64_t>(e)));
    std::vector<LeafFlags> none;
    for (const Instruction& i : condition.instructions) none.emplace_back(leaf_count(i.shape));
    GradSweep copy(condition, std::move(none), {page, page, [](InstructionId id) { return id; }},
                   Remat::none);
    const auto done = copy.forward({page.tuple(elements)});
    if (!done.ok()) module_.fail(done.error());
    return module_.add(std::move(page).finish(copy.ahead_of(condition.root)));
  }

  GradSweep& outer_;
  const Instruction& loop_;
  LoopPages& out_;
  GradModule& module_;
  const Computation& body_;
  GradPage ahead_, back_;
  GradSweep sweep_;
  InstructionId state_ahead_, round_ahead_, state_back_, round_back_, round_;
  std::vector<InstructionId> elements_, bars_, kept_, given_;
  std::vector<Shape> stacks_;
  std::map<int64_t, InstructionId> saved_, known_;
  Shape grown_;
  ComputationId body_ahead_;
};

// An element of the loop's first state, on the page back.
InstructionId first_element(GradSweep& sweep, InstructionId state, int64_t element) {
  if (const auto made = element_in(sweep.from(), state, static_cast<size_t>(element)))
    return sweep.primal(*made);
  return sweep.back().element(sweep.primal(state), element);
}

}  // namespace

Result<InstructionId> write_loop(GradSweep& outer, InstructionId id, const std::stop_token& stop) {
  const Instruction& loop = outer.from().at(id);
  if (!loop.shape.is_tuple || std::ranges::any_of(*loop.shape.elements, &Shape::is_tuple))
    return invalid("'" + loop.name + "' carries " + loop.shape.text() + ", expected a tuple of arrays",
                   "instruction " + loop.name);
  auto pages = std::make_shared<LoopPages>();
  TRY(pages->rounds, loop_rounds(outer.program(), outer.from(), loop));
  pages->active = active_state(outer.program(), loop, outer.active(loop.operands[0]), outer.active(id));
  LoopWriter writer(outer, loop, *pages);
  TRY_VOID(writer.write(stop));
  outer.loops()[id.value] = pages;
  return writer.call();
}

Result<void> grad_while(const GradTurn& t) {
  const LoopPages& loop = *t.sweep.loops().at(t.id.value);
  GradPage& page = t.page();
  std::vector<InstructionId> state = {page.index(0)};
  for (size_t e = 0; e < loop.active.size(); ++e) {
    const Shape& shape = t.at().shape.elements[e];
    if (!loop.active[e]) continue;
    const InstructionId bar = t.bar(e);
    state.push_back(bar.valid() ? bar : page.zeros(Shape::array(shape.type, shape.dims)));
  }
  for (const auto& [is_stack, element] : loop.given)
    state.push_back(is_stack ? t.sweep.saved(t.sweep.ahead().element(loop.ahead, element))
                             : first_element(t.sweep, t.at().operands[0], element));
  Instruction back;
  back.opcode = Opcode::while_;
  back.operands = {page.tuple(state)};
  back.shape = page.shape(back.operands[0]);
  back.called = {{"condition", loop.condition}, {"body", loop.body}};
  say_rounds(back, loop.rounds);
  const InstructionId made = page.made(std::move(back));
  int64_t next = 1;
  for (size_t e = 0; e < loop.active.size(); ++e)
    if (loop.active[e]) t.sweep.give(t.at().operands[0], e, page.element(made, next++));
  return {};
}

}  // namespace shardscope::inline grad
