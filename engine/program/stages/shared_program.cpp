// SPDX-License-Identifier: Apache-2.0
#include "engine/program/stages/shared_program.h"

#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/base/check.h"

namespace shardscope::inline program {

struct SharedProgram::Index {
  std::once_flag made;
  std::vector<const Instruction*> instructions;
  std::unordered_map<std::string_view, int32_t> numbers;

  void make(const Program& program) {
    const auto count = static_cast<size_t>(program.instruction_count());
    instructions.reserve(count);
    numbers.reserve(count);
    for (const Computation& c : program.computations) {
      for (const Instruction& i : c.instructions) {
        numbers.try_emplace(i.name, static_cast<int32_t>(instructions.size()));
        instructions.push_back(&i);
      }
    }
  }
};

SharedProgram::SharedProgram(std::shared_ptr<const Program> program)
    : program_(std::move(program)), index_(std::make_shared<Index>()) {}

const SharedProgram::Index& SharedProgram::index() const {
  CHECK(program_ != nullptr);
  std::call_once(index_->made, [this] { index_->make(*program_); });
  return *index_;
}

std::optional<int32_t> SharedProgram::number_of(std::string_view name) const {
  const auto& numbers = index().numbers;
  const auto found = numbers.find(name);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

const Instruction* SharedProgram::find(std::string_view name) const {
  const auto number = number_of(name);
  return number ? &at(*number) : nullptr;
}

const Instruction& SharedProgram::at(int32_t number) const {
  const auto& all = index().instructions;
  CHECK(number >= 0 && static_cast<size_t>(number) < all.size(), number);
  return *all[static_cast<size_t>(number)];
}

}  // namespace shardscope::inline program
