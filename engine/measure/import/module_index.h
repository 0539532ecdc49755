// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"
#include "engine/run/measured.h"

namespace shardscope {

// A compiled module's instructions by their names, as profiles name them.
class ModuleIndex {
 public:
  static Result<ModuleIndex> read(const std::string& file);
  // Without a module: finds nothing.
  ModuleIndex() = default;

  bool empty() const { return by_name_.empty(); }
  const std::string& name() const { return name_; }
  // What the module says of operation.op goes in front of what the profile said; one that it does not know is
  // no longer matched. True when it knows it.
  bool join(MeasuredOperation& operation) const;

 private:
  std::string name_;
  std::unordered_map<std::string, MeasuredOperation> by_name_;
};

}  // namespace shardscope
