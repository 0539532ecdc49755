// SPDX-License-Identifier: Apache-2.0
// A module of a lesson, with the shardings that the lesson or its class gives the parameters.
#pragma once

#include <string>
#include <vector>

#include "engine/lesson/lesson.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline session {

// As it came, with those shardings written into it; without what stands above the module. Errors: no such
// module, a sharding of no parameter of it, or that its mesh does not have.
Result<std::string> lesson_module_text(const LessonExperiment& experiment);
Result<Program> read_lesson_module(const LessonExperiment& experiment);

// A parameter's sharding as JAX writes it, "P('x', None)".
struct ParameterSpec {
  std::string parameter, spec;
  size_t rank = 0;
  bool operator==(const ParameterSpec&) const = default;
};
// Of a module in Shardy's words, which name mesh axes. Error: it is none.
Result<std::vector<ParameterSpec>> parameter_specs(const LessonExperiment& experiment);
// Every way to shard an array of that rank over the module's axes, each axis once, most not at all.
Result<std::vector<std::string>> spec_choices(const LessonExperiment& experiment, size_t rank);
// "w1 = P(None, 'y')", as a lesson writes it; of a module all of them, none where it names no axes.
std::string written_spec(const ParameterSpec& spec);
std::vector<std::string> written_specs(const LessonExperiment& experiment);

// A line an instruction, for people: "%h = dot(%x, %w1)  f32[16,64]  P('x', 'y')", of a program of one device
// without what arrays were sharded as.
std::string module_listing(const Program& program, bool shardings = true);

}  // namespace shardscope::inline session
