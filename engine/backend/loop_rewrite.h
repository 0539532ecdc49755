// SPDX-License-Identifier: Apache-2.0
// What passes over loops have in common: a counted loop's state, what of a round follows from where it
// stands, a round written out, a loop with more in its state.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/counted_loop.h"
#include "engine/backend/pass.h"

namespace shardscope::inline backend {

// Plain work on arrays, which may be done once more elsewhere.
bool is_plain_work(const Instruction& instruction);

// Whether a tuple is read element by element, and is no result.
bool is_read_by_element(const Computation& computation, InstructionId tuple);

// A loop over a tuple whose body and condition nobody else calls and read their parameters element by
// element.
struct ElementLoop {
  size_t caller = 0, place = 0;  // computation, instruction
  ComputationId body, condition;
  size_t elements = 0;          // of its state
  std::vector<bool> unchanged;  // by element: each round passes it on
};
// One that can be written anew, its rounds too: they are known.
struct LoopInHand : ElementLoop {
  CountedLoop loop;
};
// By computation how many call it.
std::vector<int64_t> calls_of_each(const Program& program);
// `calls`: calls_of_each(program).
std::optional<ElementLoop> element_loop(const Program& program, size_t caller, size_t place,
                                        const std::vector<int64_t>& calls);
std::optional<LoopInHand> loop_in_hand(const Program& program, size_t caller, size_t place,
                                       const std::vector<int64_t>& calls);

// Places of the body that `wanted` are computed by, ascending, from what every round has (elements that do
// not change, constants, the device's number) and, where `counts`, from the counter. None: from something
// else too, or by an operation that is no plain work on arrays.
std::optional<std::vector<size_t>> follows_from_round(const Program& program, const LoopInHand& loop,
                                                      const std::vector<InstructionId>& wanted, bool counts);

// What copies of a loop's instructions are called, and whose copies they are.
struct CopyNames {
  FreshNames& fresh;
  PassLinks& links;
  Instruction renamed(Instruction i) const;
};

// Of the state's elements what stands for each in the computation that is written.
using Elements = std::function<InstructionId(size_t element)>;

// Copies these places of the body. By place what was made.
std::map<size_t, InstructionId> copy_places(const Computation& body, const std::vector<size_t>& places,
                                            const Elements& elements, const CopyNames& names,
                                            ComputationRewrite& to);

// A round written out where its loop stands: each instruction of the body but those that `instead` says
// something for. Gives the state behind it, element by element.
std::vector<InstructionId> write_round(const Computation& body, const Elements& elements,
                                       std::map<size_t, InstructionId> instead, const CopyNames& names,
                                       ComputationRewrite& to);

// Parameters of body and condition are of this shape from now on. The body's root does not fit until it is
// written anew.
void set_state(Program& program, const ElementLoop& loop, const Shape& state);
// The loop with more elements at the end of its state, its rounds to `limit` (none: as before).
void widen_loop(Program& program, const LoopInHand& loop, const std::vector<Shape>& more,
                std::optional<int64_t> limit, FreshNames& fresh);
// The instruction of such a loop on another state; its rounds are said where they are known.
Instruction loop_on(const Instruction& old, InstructionId state, Shape shape, std::optional<int64_t> rounds);

// Of an instruction whose shape is another now.
void forget_sharding(Instruction& instruction);

// What nobody reads is gone, but for parameters and what does more than make an array.
void drop_unread(Computation& computation);

}  // namespace shardscope::inline backend
