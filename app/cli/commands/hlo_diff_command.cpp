// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <map>
#include <set>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/output/output.h"

namespace shardscope {
namespace {

// An instruction's text with every name replaced by the text's own: modules that differ in numbering alone
// are equal. Operands are named by the place of their first equal.
std::vector<std::string> lines_of(const Program& program, const Computation& c) {
  std::vector<std::string> out;
  Computation renamed = c;
  std::map<std::string, int64_t> counts;
  for (Instruction& i : renamed.instructions) {
    const std::string base =
        i.opcode == Opcode::unknown ? *i.opcode_name : std::string(opcode_text(i.opcode));
    const int64_t number = counts[base]++;
    i.name = number == 0 ? base : fmt::format("{}.{}", base, number);
    i.provenance = {};
    i.verbatim.change([](std::vector<VerbatimAttribute>& all) {
      std::erase_if(all, [](const VerbatimAttribute& a) { return a.key == "metadata"; });
    });
  }
  for (size_t k = 0; k < renamed.instructions.size(); ++k)
    out.push_back(print_instruction(program, renamed, InstructionId(static_cast<int64_t>(k))));
  return out;
}

constexpr size_t kMostCells = size_t{1} << 26;

// The longest common subsequence as a list of "  ", "- " and "+ " lines; beyond kMostCells what both share at
// the ends is kept and the middle is all different.
std::vector<std::string> differences(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  const size_t m = a.size() - head - tail, n = b.size() - head - tail;
  std::vector<std::string> out;
  size_t i = 0, j = 0;
  if (m * n <= kMostCells) {
    std::vector<int32_t> common((m + 1) * (n + 1));
    for (size_t x = m; x-- > 0;) {
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
        out.push_back("- " + a[head + i++]);
      } else {
        out.push_back("+ " + b[head + j++]);
      }
    }
  }
  while (i < m) out.push_back("- " + a[head + i++]);
  while (j < n) out.push_back("+ " + b[head + j++]);
  return out;
}

std::map<std::string, int64_t> opcode_counts(const Program& program) {
  std::map<std::string, int64_t> counts;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      ++counts[i.opcode == Opcode::unknown ? *i.opcode_name : std::string(opcode_text(i.opcode))];
  return counts;
}

// Computations by their place from the entry: names are the compiler's.
std::string diff(const Program& a, const Program& b) {
  std::string out;
  const auto counts_a = opcode_counts(a), counts_b = opcode_counts(b);
  std::set<std::string> opcodes;
  for (const auto& [opcode, count] : counts_a) opcodes.insert(opcode);
  for (const auto& [opcode, count] : counts_b) opcodes.insert(opcode);
  for (const std::string& opcode : opcodes) {
    const int64_t in_a = counts_a.contains(opcode) ? counts_a.at(opcode) : 0;
    const int64_t in_b = counts_b.contains(opcode) ? counts_b.at(opcode) : 0;
    if (in_a != in_b) out += fmt::format("{}: {} -> {} ({:+})\n", opcode, in_a, in_b, in_b - in_a);
  }
  const auto section = [&](const Program& pa, const Computation& ca, const Program& pb,
                           const Computation& cb) {
    const auto lines = differences(lines_of(pa, ca), lines_of(pb, cb));
    if (lines.empty()) return;
    out += fmt::format("@@ {} | {}\n", ca.name, cb.name);
    for (const std::string& line : lines) out += line + "\n";
  };
  section(a, a.entry_computation(), b, b.entry_computation());
  std::map<std::string, const Computation*> named;
  for (const Computation& c : b.computations) named[c.name] = &c;
  for (const Computation& c : a.computations) {
    if (&c == &a.entry_computation()) continue;
    const auto same = named.find(c.name);
    if (same != named.end() && same->second != &b.entry_computation()) section(a, c, b, *same->second);
  }
  return out;
}

struct DiffOptions {
  std::string a, b;
};

Result<int> run(const DiffOptions& options) {
  TRY(const Program a, read_module(options.a));
  TRY(const Program b, read_module(options.b));
  const std::string text = diff(a, b);
  TRY_VOID(write_output(text.empty() ? "the modules are equal, names and metadata aside\n" : text, ""));
  return kExitDone;
}

}  // namespace

Command add_hlo_diff_command(CLI::App& hlo) {
  CLI::App* command = hlo.add_subcommand("diff", "What two modules do differently, names and metadata aside");
  auto options = std::make_shared<DiffOptions>();
  command->add_option("a", options->a, "A module as HLO text")->required();
  command->add_option("b", options->b, "Another one")->required();
  return [options](std::stop_token) { return run(*options); };
}

}  // namespace shardscope
