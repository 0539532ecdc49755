// SPDX-License-Identifier: Apache-2.0
#include "engine/request/loop_fields.h"

#include "engine/request/field_lens.h"

namespace shardscope::inline request {

void add_loop_fields(std::vector<Field>& out) {
  const int doors = kOption | kModule | kRow;
  const auto add = [&](Spelling spelling, int more, Field field, auto lens) {
    out.push_back(of_experiment(Scope::experiment, spelling, doors | more, std::move(field), lens));
  };
  add(
      Spelling::count, 0,
      {.key = "steps",
       .help = "Steps of a training loop: each is executed, recorded and marked",
       .unsaid = "once, not recorded",
       .range = Range{1, kMostLoopSteps}},
      [](auto& e) -> auto& { return e.loop.steps; });
  add(
      Spelling::count, 0,
      {.key = "warmup",
       .help = "The first steps, which statistics leave out; without steps, executions before the timed ones",
       .unsaid = "0",
       .range = Range{0, 1'000'000}},
      [](auto& e) -> auto& { return e.loop.warmup; });
  add(
      Spelling::text, 0, {.key = "annotate", .help = "How profilers mark each step", .unsaid = kStepMarker},
      [](auto& e) -> auto& { return e.loop.annotate; });
  add(
      Spelling::text, kRepeats,
      {.key = "carry",
       .help =
           "A result that is an argument of the next step: RESULT=ARG by number or name, as in 1=w1; of a "
           "strategy Y=X or Y=W",
       .unsaid = "what input_output_alias says, else nothing"},
      [](auto& e) -> auto& { return e.loop.carry; });
}

}  // namespace shardscope::inline request
