// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/reshard/name_table.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "engine/base/text.h"
#include "engine/partition/reshard/spmd_log.h"

namespace shardscope::inline partitioner {
namespace {

class NameTable {
 public:
  // "reshape.3" is number 3 of "reshape", "reshape" its number 0.
  void reserve(const std::string& name) {
    const auto [root, number] = taken_apart(name);
    used_[root].numbers.insert(number);
  }
  std::string next(const std::string& root) {
    Numbers& used = used_[root];
    if (used.numbers.insert(0).second) return root;
    while (!used.numbers.insert(used.next).second) ++used.next;
    return root + "." + std::to_string(used.next++);
  }

 private:
  struct Numbers {
    std::set<int64_t> numbers;
    int64_t next = 1;
  };
  static std::pair<std::string, int64_t> taken_apart(const std::string& name) {
    const size_t dot = name.rfind('.');
    if (dot != std::string::npos)
      if (const auto number = parse_int(name.substr(dot + 1))) return {name.substr(0, dot), *number};
    return {name, 0};
  }
  std::map<std::string, Numbers> used_;
};

}  // namespace

void give_names(const Program& source, Program& made) {
  NameTable instructions, computations;
  for (const Computation& c : source.computations)
    for (const Instruction& i : c.instructions) instructions.reserve(i.name);
  for (size_t k = made.computations.size(); k-- > 0;) {
    Computation& c = made.computations[k];
    c.name = computations.next(c.name);
  }
  // The entry's instructions first: their numbers are what logs show.
  for (size_t k = made.computations.size(); k-- > 0;)
    for (Instruction& i : made.computations[k].instructions) i.name = instructions.next(base_name(i));
}

}  // namespace shardscope::inline partitioner
