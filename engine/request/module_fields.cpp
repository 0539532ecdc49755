// SPDX-License-Identifier: Apache-2.0
#include "engine/request/module_fields.h"

#include "engine/request/field_lens.h"

namespace shardscope {

void add_module_fields(std::vector<Field>& out) {
  const auto add = [&](Field field, auto lens) {
    out.push_back(
        of_experiment(Scope::experiment, Spelling::text, kModule | kRepeats, std::move(field), lens));
  };
  add(
      {.key = "take",
       .help = "The branch of a conditional that data chooses: NAME=2, NAME=true, or 2 for all of them",
       .unsaid = "the one that takes longest"},
      [](auto& e) -> auto& { return e.module.take; });
  add(
      {.key = "trip-count",
       .help = "Rounds of a loop: NAME=126, or 126 for all whose rounds depend on data",
       .unsaid = "as the module says, else 1"},
      [](auto& e) -> auto& { return e.module.trip_counts; });
  add(
      {.key = "custom-call",
       .help =
           "What a custom-call does: NAME=flops,bytes or NAME=flops,bytes,seconds, of an instruction or of "
           "all calls of a target",
       .unsaid = "by its shapes, else its bytes"},
      [](auto& e) -> auto& { return e.module.custom_calls; });
  Field propagation{
      .key = "propagation",
      .help = "Who spreads a module's shardings to its other arrays: XLA's own propagation or Shardy",
      .unsaid = "shardy for a module in Shardy's words, else gspmd"};
  for (const Propagation each : kPropagations) propagation.values.emplace_back(name(each));
  out.push_back(of_experiment(
      Scope::experiment, Spelling::text, kModule, std::move(propagation),
      [](auto& e) -> auto& { return e.propagation; }));
  Field results{
      .key = "results",
      .help = "Results without a sharding: free stay as propagation leaves them, replicated are gathered",
      .unsaid =
          "as the module's header says; free of a module of PyTorch/XLA (IrToHlo) or in Shardy's words"};
  for (const Results each : kResults) results.values.emplace_back(name(each));
  out.push_back(of_experiment(
      Scope::experiment, Spelling::text, kModule, std::move(results),
      [](auto& e) -> auto& { return e.results; }));
}

}  // namespace shardscope
