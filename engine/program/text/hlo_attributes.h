// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {

// Reads the ", key=value" attributes of instructions. Remembers permutations, so that steps share
// them, and other long values, so that they are read once.
class HloAttributeReader {
 public:
  // Reads a computation that stands where a name could, "{" instruction… "}", and puts it into the program;
  // its name is to be like this one.
  using ReadInline = std::function<Result<ComputationId>(const std::string& name)>;

  HloAttributeReader(HloLexer& lexer, const Program& program, ReadInline read_inline)
      : lexer_(lexer), program_(program), read_inline_(std::move(read_inline)) {}

  // An instruction's first attribute is about to be read.
  void begin() { seen_.clear(); }
  // The keys read since; what `keys` held takes their place.
  void swap_seen(std::vector<std::string_view>& keys) { seen_.swap(keys); }
  // What an instruction needs and does not have, now that all its attributes were read.
  std::optional<std::string> missing(const Instruction& instruction) const;

  // One "key=value" at the cursor, into `instruction`; what we do not interpret is kept verbatim.
  Result<void> read(Instruction& instruction);
  // What its attributes make of an operation that was read.
  void settle(Instruction& instruction) const;
  // From now on `name` may be called.
  void define(std::string_view name, ComputationId computation) { computations_.emplace(name, computation); }
  bool is_defined(std::string_view name) const { return computations_.count(name) > 0; }

 private:
  Result<bool> read_known(std::string_view key, Instruction& instruction);
  Result<bool> read_entry_lists(std::string_view key, Instruction& instruction);
  Result<void> read_groups(Instruction& instruction);
  Result<void> read_group_lists(Instruction& instruction);
  int64_t devices_of(const std::vector<SourceTarget>& pairs) const;
  Result<void> read_permutation(Instruction& instruction);
  Result<bool> read_sharding(Instruction& instruction);
  Result<bool> read_metadata(Instruction& instruction);
  const Rare<std::string>& shared_key(std::string_view key);
  Result<void> read_callee(std::string_view key, Instruction& instruction);
  Result<void> read_callees(std::string_view key, Instruction& instruction);

  HloLexer& lexer_;
  const Program& program_;
  ReadInline read_inline_;
  std::vector<std::string_view> seen_;  // keys of the instruction being read
  std::unordered_map<std::string_view, ComputationId> computations_;
  // What was read before, by its text.
  std::unordered_map<std::string_view, std::shared_ptr<const Permutation>> permutations_;
  std::unordered_map<std::string_view, Rare<ReplicaGroups>> groups_;
  struct Sharding {
    Rare<std::optional<HloSharding>> value;
    Rare<std::string> text;  // where it is not how we print it
  };
  std::unordered_map<std::string_view, Sharding> shardings_;
  struct Metadata {
    Rare<Provenance> provenance;
    Rare<std::vector<VerbatimAttribute>> others;  // what the provenance does not say
  };
  std::unordered_map<std::string_view, Metadata> metadata_;
  std::unordered_map<std::string_view, Rare<std::string>> keys_;
  std::unordered_set<std::string_view> verbatim_shardings_;
};

}  // namespace shardscope::inline program
