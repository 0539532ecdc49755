// SPDX-License-Identifier: Apache-2.0
// Functions and classes of our own sources, found by their braces: clang-format's regular layout makes that
// enough.
#pragma once

#include <string>
#include <vector>

namespace shardscope::layering {

struct FoundFunction {
  std::string name;  // as written: "reduced", "HloPanel::run"
  int line = 0;      // where it begins
  int lines = 0;     // up to its closing brace; 0: declared without a body
  std::vector<std::string> parameters;
};

struct FoundClass {
  std::string name;
  int line = 0;
  int methods = 0;  // without those that are defaulted, deleted or friends
};

struct FoundInFile {
  std::vector<FoundFunction> functions;
  std::vector<FoundClass> classes;
  std::vector<std::string> types;   // full names of classes and enumerations that other files may name
  std::vector<std::string> hidden;  // names of types and constants of unnamed namespaces
};

// The text with its comments, directives and what stands in quotes blanked out; lines stay where they are.
std::string code_of(const std::string& text);

FoundInFile scan_code(const std::string& code);

}  // namespace shardscope::layering
