// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/measure/import/module_calls.h"
#include "engine/measure/import/profile.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline measure {

// A compiled module's instructions by their names, as profiles name them.
class ModuleIndex {
 public:
  // `assignment`: on which device each of its numbers runs, empty: not known.
  static ModuleIndex of(std::shared_ptr<const Program> program, const std::vector<int64_t>& assignment = {});

  const std::string& name() const { return program_->name; }
  const std::shared_ptr<const Program>& program() const { return program_; }
  const ModuleCalls& calls() const { return calls_; }
  bool has(const std::string& instruction) const { return by_name_.contains(instruction); }
  // What the module says of operation.op goes in front of what the profile said; one that it does not know is
  // no longer matched. True when it knows it.
  bool join(ProfiledOperation& operation) const;

 private:
  std::shared_ptr<const Program> program_;
  std::unordered_map<std::string, MeasuredOperation> by_name_;
  std::unordered_map<std::string, ProfiledGroupsPtr> groups_;  // of collectives
  ModuleCalls calls_;
};

// The modules of one run: the one that was given beside the profile, and those that the profile holds.
class Modules {
 public:
  Result<void> read(const std::string& file);
  // As a profile holds it: a serialised HloProto, of the program of this number. Read when it is asked for.
  void hold(int64_t program, std::string_view name, std::string proto);

  const ModuleIndex* given() const { return given_.get(); }
  // The one that an operation is of: by its program's number and its module's name; the given one where the
  // profile says neither. Null: nobody has it.
  const ModuleIndex* of(const ProfiledOperation& operation);
  bool empty() const { return given_ == nullptr && held_.empty(); }

 private:
  struct Held {
    std::string name, proto;
    std::unique_ptr<ModuleIndex> index;
    bool read = false;
  };
  static const ModuleIndex* index_of(Held& held);

  std::unique_ptr<ModuleIndex> given_;
  std::map<int64_t, Held> held_;  // by program
};

}  // namespace shardscope::inline measure
