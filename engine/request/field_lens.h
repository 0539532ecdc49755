// SPDX-License-Identifier: Apache-2.0
// How rows of the table of fields are made. A lens is the place of a value in its owner; value_text.h knows
// the text of its type.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "engine/request/fields.h"
#include "engine/request/value_text.h"

namespace shardscope::inline request {

template <class Owner, class Lens>
Access<Owner> access(Lens lens) {
  return {[lens](const Owner& owner) { return to_text(lens(owner)); },
          [lens](Owner& owner, std::string_view text) { return from_text(text, lens(owner)); }};
}

template <class Lens>
Field of_experiment(Scope scope, Spelling spelling, int doors, Field field, Lens lens) {
  field.scope = scope;
  field.spelling = spelling;
  field.doors = doors;
  field.experiment = access<Experiment>(lens);
  return field;
}

template <class Lens>
Field of_run(Spelling spelling, int doors, Field field, Lens lens) {
  field.scope = Scope::run;
  field.spelling = spelling;
  field.doors = doors;
  field.run = access<RunRequest>(lens);
  return field;
}

template <class Lens>
Field of_execution(Spelling spelling, Field field, Lens lens) {
  field.scope = Scope::execution;
  field.spelling = spelling;
  field.doors |= kOption;
  field.execution = access<ExecutionSettings>(lens);
  return field;
}

}  // namespace shardscope::inline request
