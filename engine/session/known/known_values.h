// SPDX-License-Identifier: Apache-2.0
// What of a program's results can be known here: all that does not depend on an operation without meaning.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/session/known/value_sources.h"

namespace shardscope::inline session {

// A program and which leaves of its result are known, through calls, loops, branches and tuples. Invariant:
// program() gives leaves(), in order, and holds nothing that has no meaning.
class KnownValues {
 public:
  explicit KnownValues(const Program& whole);
  // What the error names is an operation without meaning, too. False: it names none, or one that was left
  // out.
  bool leave_out(const Error& error);

  const Program& program() const { return changed_ ? known_ : whole_; }
  const std::vector<size_t>& leaves() const { return leaves_; }
  // By leaf of the result: why it is not known; "": it is.
  const std::vector<std::string>& unknown() const { return unknown_; }
  bool all() const { return leaves_.size() == unknown_.size(); }

  // Instructions that have no meaning, each with the reason.
  const std::map<std::string, std::string>& stopped() const { return stopped_; }
  // Of the entry: how many there are, and that do not depend on those.
  int64_t instructions() const { return instructions_; }

 private:
  const std::string* source_in_plain_form(const std::string& name);
  std::set<SourceFollower::Place> without_meaning();
  void follow();
  void say_why(const std::set<SourceFollower::Place>& stopped, const LeafSources& sources);
  void write(const std::set<SourceFollower::Place>& stopped);

  const Program& whole_;
  Program known_;
  bool changed_ = false;
  std::map<std::string, std::string> left_out_;  // by errors
  // Of what the plainer form that is run writes for an instruction, that instruction; none: nobody asked yet.
  std::optional<std::map<std::string, std::string>> plain_sources_;
  std::map<std::string, std::string> stopped_;
  std::vector<size_t> leaves_;
  std::vector<std::string> unknown_;
  int64_t instructions_ = 0;
};

}  // namespace shardscope::inline session
