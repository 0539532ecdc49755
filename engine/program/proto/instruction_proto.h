// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/file/wire.h"
#include "engine/base/result.h"

namespace shardscope::inline program::proto {

// What an instruction may name of its module.
struct ModuleNames {
  std::unordered_map<int64_t, std::string> computations;  // by id
  // Of a computation that is one operation, which others start and wait for: that operation.
  std::unordered_map<int64_t, std::string_view> started;
  std::vector<std::string_view> payloads;  // that backend_config refers to
};

// The instructions of one computation as lines of text.
class InstructionLines {
 public:
  InstructionLines(std::vector<wire::Message> instructions, const ModuleNames& names, bool& broken);

  // "name = f32[2] add(a, b), …" of each, in this order; `root` is marked. `order`: ids; empty: as they came.
  Result<std::string> text(const std::vector<int64_t>& order, int64_t root) const;
  // "(a: f32[2]) -> f32[2]".
  std::string signature(int64_t root) const;

 private:
  const wire::Message* find(int64_t id) const;
  const wire::Message& root_of(int64_t id) const;
  Result<std::string> line(const wire::Message& instruction) const;
  Result<std::string> operands(const wire::Message& instruction) const;
  Result<std::string> names(const wire::Message& instruction, int field) const;
  Result<std::string> called(const wire::Message& instruction, std::string_view opcode) const;
  Result<std::string> called_names(const wire::Message& instruction, std::string_view opcode,
                                   const std::vector<std::string>& ids) const;
  std::string behind(const wire::Message& instruction) const;
  std::optional<wire::Message> started_by(const wire::Message& instruction) const;

  std::vector<wire::Message> instructions_;
  std::unordered_map<int64_t, size_t> places_;  // by id
  const ModuleNames& names_;
  bool& broken_;
};

}  // namespace shardscope::inline program::proto
