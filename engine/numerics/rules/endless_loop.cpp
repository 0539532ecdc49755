// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/endless_loop.h"

#include <algorithm>
#include <vector>

#include "engine/program/analysis/tuple_elements.h"

namespace shardscope::inline numerics {
namespace {

// Larger arrays are the same only when nobody wrote a new one.
constexpr int64_t kMostCompared = 4096;

// May give another value each time, of the same operands.
bool varies(const Program& program, const Instruction& i) {
  if (i.opcode == Opcode::custom_call || !is_known(i.opcode)) return true;
  return std::ranges::any_of(i.called, [&](const CalledComputation& called) {
    return std::ranges::any_of(program.computation(called.computation).instructions,
                               [&](const Instruction& inner) { return varies(program, inner); });
  });
}

int64_t elements_of(const Shape& state) {
  return state.is_tuple ? static_cast<int64_t>(state.elements.size()) : 1;
}

// The elements of a loop's state, its computation's one parameter, that some values in there depend on; none:
// on what varies, too.
using Elements = std::set<int64_t>;
std::optional<Elements> read_by(const Program& program, const Computation& c,
                                std::vector<InstructionId> from) {
  Elements out;
  std::set<int32_t> seen;
  while (!from.empty()) {
    const InstructionId id = from.back();
    from.pop_back();
    if (!seen.insert(id.value).second) continue;
    const Instruction& i = c.at(id);
    if (varies(program, i)) return std::nullopt;
    if (const auto element = parameter_element(c, i)) {
      out.insert(static_cast<int64_t>(*element));
      continue;
    }
    if (i.opcode == Opcode::parameter)
      for (int64_t e = 0; e < elements_of(i.shape); ++e) out.insert(e);
    from.insert(from.end(), i.operands.begin(), i.operands.end());
  }
  return out;
}

// What makes this element of the next state.
InstructionId maker(const Computation& body, int64_t element) {
  return element_in(body, body.root, static_cast<size_t>(element)).value_or(body.root);
}

const DeviceValue& element_of(const DeviceValue& state, int64_t element) {
  return state.elements.empty() ? state : state.elements[static_cast<size_t>(element)];
}

bool same_value(const DeviceValue& a, const DeviceValue& b) {
  if (a.elements.size() != b.elements.size() || a.scalar != b.scalar) return false;
  for (size_t k = 0; k < a.elements.size(); ++k)
    if (!same_value(a.elements[k], b.elements[k])) return false;
  if (a.view == b.view) return true;
  if (a.view == nullptr || b.view == nullptr || a.view->element_count() > kMostCompared) return false;
  return copy_of(*a.view) == copy_of(*b.view);
}

}  // namespace

EndlessLoop::EndlessLoop(const Program& program, const Computation& condition, const Computation& body) {
  deciding_ = read_by(program, condition, {condition.root});
  for (size_t before = SIZE_MAX; deciding_ && before != deciding_->size();) {
    before = deciding_->size();
    std::vector<InstructionId> makers;
    for (const int64_t element : *deciding_) makers.push_back(maker(body, element));
    std::optional<Elements> more = read_by(program, body, std::move(makers));
    if (more) more->merge(*deciding_);
    deciding_ = std::move(more);
  }
}

bool EndlessLoop::repeats(const DeviceValues& state) {
  if (!deciding_) return false;
  ++round_;
  if (!seen_.empty() && same(state, seen_)) return true;
  if (round_ == at_) {
    seen_ = state;
    at_ *= 2;
  }
  return false;
}

bool EndlessLoop::same(const DeviceValues& a, const DeviceValues& b) const {
  for (size_t device = 0; device < a.size(); ++device)
    for (const int64_t element : *deciding_)
      if (!same_value(element_of(a[device], element), element_of(b[device], element))) return false;
  return true;
}

}  // namespace shardscope::inline numerics
