// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/module_diff.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>

#include "engine/partition/entry/partition.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_run.h"

namespace shardscope {
namespace {

struct Lines {
  std::vector<std::string> text;
  std::vector<size_t> place;  // of each in its computation
};

// An instruction's text with every name replaced by the text's own: modules that differ in numbering alone
// are equal. Operands are named by the place of their first equal. Parameters come first, by number: where
// else they stand says nothing.
Lines lines_of(const Program& program, const Computation& c) {
  Lines out;
  Computation renamed = c;
  std::map<std::string, int64_t> counts;
  for (Instruction& i : renamed.instructions) {
    const std::string base(opcode_text(i));
    const int64_t number = i.parameter_number >= 0 ? i.parameter_number : counts[base]++;
    i.name = number == 0 ? base : fmt::format("{}.{}", base, number);
    i.provenance = {};
    i.verbatim.change([](std::vector<VerbatimAttribute>& all) {
      std::erase_if(all, [](const VerbatimAttribute& a) { return a.key == "metadata"; });
    });
  }
  out.place.resize(renamed.instructions.size());
  std::iota(out.place.begin(), out.place.end(), size_t{0});
  std::ranges::stable_sort(out.place, {}, [&](size_t k) {
    const Instruction& i = renamed.instructions[k];
    return i.parameter_number >= 0 ? i.parameter_number : INT64_MAX;
  });
  for (const size_t k : out.place)
    out.text.push_back(print_instruction(program, renamed, InstructionId(static_cast<int64_t>(k))));
  return out;
}

constexpr size_t kMostCells = size_t{1} << 26;

// Places of what only one of the two has, from the longest common subsequence; beyond kMostCells what both
// share at the ends is kept and the middle is all different.
struct Place {
  bool removed = false;
  size_t at = 0;
};

std::vector<Place> differences(const std::vector<std::string>& a, const std::vector<std::string>& b,
                               const std::stop_token& stop) {
  size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  const size_t m = a.size() - head - tail, n = b.size() - head - tail;
  std::vector<Place> out;
  size_t i = 0, j = 0;
  if (m * n <= kMostCells) {
    std::vector<int32_t> common((m + 1) * (n + 1));
    for (size_t x = m; x-- > 0 && !stop.stop_requested();) {
      for (size_t y = n; y-- > 0;) {
        common[x * (n + 1) + y] = a[head + x] == b[head + y]
                                      ? common[(x + 1) * (n + 1) + y + 1] + 1
                                      : std::max(common[(x + 1) * (n + 1) + y], common[x * (n + 1) + y + 1]);
      }
    }
    while (i < m && j < n) {
      if (a[head + i] == b[head + j]) {
        ++i;
        ++j;
      } else if (common[(i + 1) * (n + 1) + j] >= common[i * (n + 1) + j + 1]) {
        out.push_back({true, head + i++});
      } else {
        out.push_back({false, head + j++});
      }
    }
  }
  while (i < m) out.push_back({true, head + i++});
  while (j < n) out.push_back({false, head + j++});
  return out;
}

std::map<std::string, int64_t> opcode_counts(const Program& program) {
  std::map<std::string, int64_t> counts;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions) ++counts[std::string(opcode_text(i))];
  return counts;
}

std::vector<ModuleDiff::Count> count_differences(const Program& before, const Program& after) {
  std::map<std::string, ModuleDiff::Count> all;
  for (const auto& [opcode, count] : opcode_counts(before)) all[opcode].before = count;
  for (const auto& [opcode, count] : opcode_counts(after)) all[opcode].after = count;
  std::vector<ModuleDiff::Count> out;
  for (auto& [opcode, count] : all)
    if (count.before != count.after) out.push_back({opcode, count.before, count.after});
  return out;
}

}  // namespace

Result<ModuleDiff> diff_modules(const Program& before, const Program& after, const std::stop_token& stop) {
  ModuleDiff out;
  out.counts = count_differences(before, after);
  const auto section = [&](const Computation& ca, const Computation& cb) {
    const Lines a = lines_of(before, ca), b = lines_of(after, cb);
    ModuleDiff::Section made{ca.name, cb.name, {}};
    for (const Place& each : differences(a.text, b.text, stop)) {
      const Lines& of = each.removed ? a : b;
      made.lines.push_back(
          {each.removed, (each.removed ? ca : cb).instructions[of.place[each.at]].name, of.text[each.at]});
    }
    if (!made.lines.empty()) out.sections.push_back(std::move(made));
  };
  section(before.entry_computation(), after.entry_computation());
  std::map<std::string, const Computation*> named;
  for (const Computation& c : after.computations) named[c.name] = &c;
  for (const Computation& c : before.computations) {
    if (stop.stop_requested()) return cancelled();
    if (&c == &before.entry_computation()) continue;
    const auto same = named.find(c.name);
    if (same != named.end() && same->second != &after.entry_computation()) section(c, *same->second);
  }
  if (stop.stop_requested()) return cancelled();
  return out;
}

namespace {

constexpr int64_t kMostPartitioned = 20'000;  // instructions

// What a device does, without what only says where it comes from.
Result<std::optional<Program>> bare_partitioned(const Program& module, const std::stop_token& stop) {
  if (is_partitioned(module) || module.instruction_count() > kMostPartitioned)
    return std::optional<Program>();
  PartitionOptions how;
  how.stop = stop;
  auto made = partition(module, how);
  if (!made.ok() && made.error().kind == ErrorKind::cancelled) return made.error();
  if (!made.ok()) return std::optional<Program>();
  Program bare = *made->program;
  for (Computation& c : bare.computations) {
    for (Instruction& i : c.instructions) {
      i.sharding_text = {};
      i.verbatim.change([](std::vector<VerbatimAttribute>& all) {
        std::erase_if(all, [](const VerbatimAttribute& a) { return a.key == "frontend_attributes"; });
      });
    }
  }
  return std::optional(std::move(bare));
}

}  // namespace

Result<bool> equal_once_partitioned(const Program& before, const Program& after,
                                    const std::stop_token& stop) {
  TRY(const std::optional<Program> a, bare_partitioned(before, stop));
  if (!a) return false;
  TRY(const std::optional<Program> b, bare_partitioned(after, stop));
  if (!b || a->mesh.device_count() != b->mesh.device_count()) return false;
  TRY(const ModuleDiff found, diff_modules(*a, *b, stop));
  return found.empty() && a->computations.size() == b->computations.size();
}

std::string diff_text(const ModuleDiff& diff) {
  std::string out;
  for (const ModuleDiff::Count& c : diff.counts)
    out += fmt::format("{}: {} -> {} ({:+})\n", c.opcode, c.before, c.after, c.after - c.before);
  for (const ModuleDiff::Section& s : diff.sections) {
    out += fmt::format("@@ {} | {}\n", s.before, s.after);
    for (const ModuleDiff::Line& line : s.lines) out += (line.removed ? "- " : "+ ") + line.text + "\n";
  }
  return out;
}

}  // namespace shardscope
