// SPDX-License-Identifier: Apache-2.0
#include "engine/request/module_fields.h"

#include "engine/request/field_lens.h"

namespace shardscope::inline request {
namespace {

// Of programs of every origin.
void add_machine(std::vector<Field>& out) {
  Field compile_as{
      .key = "compile-as",
      .help =
          "Whose compiler decides which operations are one kernel: none, each alone; or XLA's for GPUs "
          "or for TPUs, which writes a product rounded and fuses a module",
      .unsaid = "as for the chip: xla-tpu, xla-gpu or xla-cpu"};
  for (const CompileAs each : kCompileAs) compile_as.values.emplace_back(name(each));
  out.push_back(of_experiment(
      Scope::experiment, Spelling::text, kOption | kModule | kAxis | kRow, std::move(compile_as),
      [](auto& e) -> auto& { return e.module.compile_as; }));
  out.push_back(of_experiment(
      Scope::experiment, Spelling::text, kOption | kModule | kRow,
      {.key = "place",
       .help = "Where mesh axes lie on GPU nodes, within one or over the network: row=network,col=node",
       .unsaid = "by the order of the axes and the size of a node"},
      [](auto& e) -> auto& { return e.place; }));
}

}  // namespace

void add_module_fields(std::vector<Field>& out) {
  const auto add = [&](Field field, auto lens) {
    out.push_back(
        of_experiment(Scope::experiment, Spelling::text, kModule | kRepeats, std::move(field), lens));
  };
  add(
      {.key = "take",
       .help = "Branch of a conditional that depends on data: NAME=2, NAME=true, or 2 for all of them",
       .unsaid = "the one that takes longest"},
      [](auto& e) -> auto& { return e.module.take; });
  add(
      {.key = "trip-count",
       .help = "Trip count of a loop: NAME=126, or 126 for all loops whose trip count depends on data",
       .unsaid = "as the module says, else 1"},
      [](auto& e) -> auto& { return e.module.trip_counts; });
  add(
      {.key = "custom-call",
       .help = "Cost of a custom-call: NAME=flops,bytes or NAME=flops,bytes,seconds, of an instruction or of "
               "all calls of a target",
       .unsaid = "by its shapes, else its bytes"},
      [](auto& e) -> auto& { return e.module.custom_calls; });
  Field propagation{.key = "propagation",
                    .help = "Which propagation: XLA's GSPMD or Shardy",
                    .unsaid = "shardy for a module with Shardy's shardings, else gspmd"};
  for (const Propagation each : kPropagations) propagation.values.emplace_back(name(each));
  out.push_back(of_experiment(
      Scope::experiment, Spelling::text, kModule, std::move(propagation),
      [](auto& e) -> auto& { return e.propagation; }));
  Field results{
      .key = "results",
      .help = "Results without a sharding: free stay as propagation leaves them, replicated are gathered",
      .unsaid =
          "as the module's header says; free for a module of JAX (jit_…), of PyTorch/XLA (IrToHlo) or with "
          "Shardy's shardings"};
  for (const Results each : kResults) results.values.emplace_back(name(each));
  out.push_back(of_experiment(
      Scope::experiment, Spelling::text, kModule, std::move(results),
      [](auto& e) -> auto& { return e.results; }));
  Field partitioner{.key = "partitioner",
                    .help =
                        "Who makes one device's program of a module: XLA's SPMD partitioner, or Shardy's "
                        "explicit reshards and collectives",
                    .unsaid = "spmd"};
  for (const Partitioner each : kPartitioners) partitioner.values.emplace_back(name(each));
  out.push_back(of_experiment(
      Scope::experiment, Spelling::text, kModule, std::move(partitioner),
      [](auto& e) -> auto& { return e.partitioner; }));
  add_machine(out);
}

}  // namespace shardscope::inline request
