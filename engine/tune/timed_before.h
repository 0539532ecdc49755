// SPDX-License-Identifier: Apache-2.0
// What a tuning has timed so far, kept in a workspace: an interrupted one goes on from there.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/trace/workspace.h"
#include "engine/tune/knowledge.h"
#include "engine/tune/tune.h"

namespace shardscope::inline tuner {

// Answers by question, as MeshKnowledge says it. They follow from model, step, chips and hardware alone, so
// whoever asks the same again goes the same way without timing anything twice. A text of the workspace
// (Workspace::keep) holds them under what was asked, for this version of the program alone.
class TimedBefore {
 public:
  // `resume`: with what the workspace holds of the request; else what is there is written over.
  static Result<std::shared_ptr<TimedBefore>> in(std::shared_ptr<Workspace> workspace,
                                                 const TuneRequest& request, bool resume);

  // None: that was not asked, or given up sooner than `limit_s`.
  std::optional<TuneAnswer> find(const std::string& question, double limit_s) const;
  // Failures and what was cancelled are not kept.
  void learn(const std::string& question, double limit_s, const TuneAnswer& answer);
  // Hands what is new to the workspace's writer.
  void keep();
  int64_t answers() const { return static_cast<int64_t>(known_.size()); }

 private:
  struct Known {
    double limit_s = 0;  // of a product: beyond it nobody played
    TuneAnswer answer;
  };
  TimedBefore(std::shared_ptr<Workspace> workspace, std::string name, std::string question)
      : workspace_(std::move(workspace)), name_(std::move(name)), question_(std::move(question)) {}
  std::string text() const;
  void read(const std::string& text);

  std::shared_ptr<Workspace> workspace_;
  std::string name_, question_;
  std::map<std::string, Known> known_;
  bool is_new_ = false;  // something is that no text has yet
};

}  // namespace shardscope::inline tuner
