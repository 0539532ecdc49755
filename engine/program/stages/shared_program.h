// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// A program that nobody changes any more: copies are one program, and its instructions are found by name and
// by number (Program::global_index). Threads may share it.
class SharedProgram {
 public:
  SharedProgram() = default;
  explicit SharedProgram(std::shared_ptr<const Program> program);
  explicit SharedProgram(Program program)
      : SharedProgram(std::make_shared<const Program>(std::move(program))) {}

  const Program& operator*() const { return *program_; }
  const Program* operator->() const { return program_.get(); }
  const std::shared_ptr<const Program>& pointer() const { return program_; }
  // Of several of one name the first.
  std::optional<int32_t> number_of(std::string_view name) const;
  const Instruction* find(std::string_view name) const;  // null: there is none
  const Instruction& at(int32_t number) const;

 private:
  struct Index;
  const Index& index() const;

  std::shared_ptr<const Program> program_;
  std::shared_ptr<Index> index_;  // made when first asked
};

}  // namespace shardscope::inline program
