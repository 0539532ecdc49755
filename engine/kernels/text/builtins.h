// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/text/syntax.h"

namespace shardscope::kernels {

// A function of the language. Parameters with an = behind their names may be left out.
struct Builtin {
  std::string_view name;
  std::string_view parameters;  // "src, dst, sem"
  std::string_view says;        // one sentence, for completion and help
  bool declares = false;        // what it makes bears the name it is given to
};
const std::vector<Builtin>& builtins();
int builtin_named(std::string_view name);  // its place in builtins(), -1: there is none

// Its parameters' names in order, and how many must be there.
struct Parameters {
  std::vector<std::string> names;
  size_t needed = 0;
};
const Parameters& parameters_of(const Builtin& builtin);  // one of builtins()
// An argument of a call by its parameter's name, or at its place; null: it was left out.
const Expr* argument_of(const Builtin& builtin, const Expr& call, std::string_view parameter);

}  // namespace shardscope::kernels
