// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/async_collectives.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/async_pairs.h"

namespace shardscope::inline backend {
namespace {

// "all-gather.3" with `part` behind the operation: "all-gather-start.3".
std::string with_part(const Instruction& collective, const std::string& part) {
  const std::string operation(opcode_text(collective.opcode));
  if (collective.name.starts_with(operation))
    return operation + "-" + part + collective.name.substr(operation.size());
  return collective.name + "." + part;
}

Instruction started(const Computation& c, const Instruction& plain) {
  Instruction out = plain;
  const std::string text = std::string(opcode_text(plain.opcode)) + "-start";
  out.opcode = parse_opcode(text);
  if (!is_known(out.opcode)) out.opcode_name = text;
  std::vector<Shape> operands;
  for (const InstructionId id : plain.operands) operands.push_back(c.at(id).shape);
  if (plain.opcode != Opcode::all_reduce)
    out.shape = Shape::tuple({Shape::tuple(std::move(operands)), plain.shape});
  out.sharding.reset();
  return out;
}

struct Pair {
  size_t start = 0, end = 0;
};

// Pairs that nothing is done between. What runs while several are under way runs beside all of them.
std::vector<Pair> idle_pairs(const Computation& c) {
  std::vector<Pair> out;
  std::map<size_t, size_t> under_way;  // by start: how much was done before it
  size_t done = 0;
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    const Instruction& i = c.instructions[k];
    if (is_start(i)) {
      under_way[k] = done;
    } else if (ends_start(i)) {
      const auto found = under_way.find(static_cast<size_t>(i.operands.front().value));
      if (found == under_way.end()) continue;
      if (found->second == done) out.push_back({found->first, k});
      under_way.erase(found);
    } else if (!is_free(i)) {
      ++done;
    }
  }
  return out;
}

}  // namespace

bool can_be_asynchronous(const Instruction& i) {
  constexpr std::array kCollectives{Opcode::all_gather,         Opcode::all_reduce,
                                    Opcode::reduce_scatter,     Opcode::all_to_all,
                                    Opcode::collective_permute, Opcode::collective_broadcast};
  return std::ranges::count(kCollectives, i.opcode) > 0 && !i.operands.empty() && !i.rooted;
}

std::string start_name(const Instruction& collective) {
  return with_part(collective, "start");
}

std::string plain_name(const Instruction& start) {
  const std::string operation(opcode_text(started_opcode(start)));
  if (start.name.starts_with(operation + "-start"))
    return operation + start.name.substr(operation.size() + 6);
  return start.name.ends_with(".start") ? start.name.substr(0, start.name.size() - 6) : start.name;
}

PassLinks start_collectives(Computation& computation, FreshNames& fresh,
                            const std::function<bool(const Instruction&)>& which) {
  const Computation before = computation;
  PassLinks out;
  ComputationRewrite rewrite(before);
  for (size_t k = 0; k < before.instructions.size(); ++k) {
    const Instruction& plain = before.instructions[k];
    if (!can_be_asynchronous(plain) || !which(plain)) {
      rewrite.copy(k);
      continue;
    }
    Instruction start = started(before, plain);
    start.name = fresh(start_name(plain));
    Instruction end =
        made_instruction(fresh(with_part(plain, "done")),
                         parse_opcode(std::string(opcode_text(plain.opcode)) + "-done"), plain.shape, {});
    if (!is_known(end.opcode)) end.opcode_name = std::string(opcode_text(plain.opcode)) + "-done";
    end.provenance = plain.provenance;
    end.sharding = plain.sharding;
    out.emplace_back(start.name, plain.name);
    out.emplace_back(end.name, plain.name);
    end.operands = {rewrite.copy(k, std::move(start))};
    rewrite.stand_for(k, rewrite.add(std::move(end)));
  }
  computation = std::move(rewrite).finish();
  return out;
}

PassLinks join_idle_pairs(Computation& computation, FreshNames& fresh) {
  const Computation before = computation;
  PassLinks out;
  std::map<size_t, size_t> start_of;  // by end
  std::set<size_t> starts;
  for (const Pair& pair : idle_pairs(before)) {
    start_of[pair.end] = pair.start;
    starts.insert(pair.start);
  }
  ComputationRewrite rewrite(before);
  for (size_t k = 0; k < before.instructions.size(); ++k) {
    if (starts.contains(k)) continue;
    const auto pair = start_of.find(k);
    if (pair == start_of.end()) {
      rewrite.copy(k);
      continue;
    }
    const Instruction &start = before.instructions[pair->second], &end = before.instructions[k];
    Instruction plain = start;
    plain.opcode = started_opcode(start);
    plain.opcode_name = {};
    plain.name = fresh(plain_name(start));
    plain.shape = end.shape;
    plain.sharding = end.sharding;
    out.emplace_back(plain.name, start.name);
    out.emplace_back(plain.name, end.name);
    rewrite.copy(k, std::move(plain));
  }
  computation = std::move(rewrite).finish();
  return out;
}

}  // namespace shardscope::inline backend
