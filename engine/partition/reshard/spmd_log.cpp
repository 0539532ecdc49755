// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/reshard/spmd_log.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "engine/partition/reshard/resharder.h"

namespace shardscope::inline partitioner {
namespace {

bool is_effective_scalar(const Shape& shape) {
  return std::ranges::all_of(shape.dims, [](int64_t d) { return d == 1; });
}

std::string sharding_of(const Instruction& i, SpmdDialect dialect) {
  if (i.sharding) return spmd_sharding_text(*i.sharding, dialect);
  for (const VerbatimAttribute& a : i.verbatim)
    if (a.key == "sharding") return a.value;
  return "";
}

std::string report(const std::vector<MemoryLine>& lines) {
  std::string out;
  for (const MemoryLine& line : lines) out += "  " + log_bytes(line.bytes) + " : " + line.text + "\n";
  return out;
}

}  // namespace

std::string log_bytes(int64_t bytes) {
  if (bytes < 1024) return fmt::format("{}B", bytes);
  static constexpr std::array<const char*, 5> kUnits = {"MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < int64_t{1} << 20) return fmt::format("{:.1f}KiB", static_cast<double>(bytes) / 1024.0);
  size_t unit = 0;
  bytes /= 1024;
  while (bytes >= int64_t{1} << 20) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.2f}{}", static_cast<double>(bytes) / 1024.0, kUnits[unit]);
}

void keep_largest(std::vector<MemoryLine>& lines) {
  std::ranges::stable_sort(lines, std::greater<>(), &MemoryLine::bytes);
  if (lines.size() > kReportedLines) lines.resize(kReportedLines);
}

std::vector<MemoryLine> largest_arrays(const Program& program, SpmdDialect dialect, bool replicated_only) {
  struct Array {
    int64_t bytes = 0;
    size_t computation = 0, instruction = 0;
  };
  std::vector<bool> fused(program.computations.size());
  for (const Computation& computation : program.computations) {
    for (const Instruction& i : computation.instructions) {
      for (const CalledComputation& c : i.called)
        if (i.opcode == Opcode::fusion) fused[static_cast<size_t>(c.computation.value)] = true;
    }
  }
  std::vector<Array> arrays;
  for (size_t c = 0; c < program.computations.size(); ++c) {
    const Computation& computation = program.computations[c];
    for (size_t k = 0; k < computation.instructions.size() && !fused[c]; ++k) {
      const Instruction& i = computation.instructions[k];
      if (i.shape.is_tuple || is_effective_scalar(i.shape)) continue;
      const bool is_split = i.sharding && i.sharding->kind != HloSharding::Kind::replicated;
      if (!replicated_only || !is_split) arrays.push_back({i.shape.bytes(), c, k});
    }
  }
  std::ranges::stable_sort(arrays, std::greater<>(), &Array::bytes);
  if (arrays.size() > kReportedLines) arrays.resize(kReportedLines);
  std::vector<MemoryLine> lines;
  for (const Array& array : arrays) {
    const Computation& computation = program.computations[array.computation];
    const InstructionId id(static_cast<int64_t>(array.instruction));
    MemoryLine line;
    line.bytes = array.bytes;
    line.text =
        instruction_log_text(program, computation, id, dialect, sharding_of(computation.at(id), dialect));
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string SpmdLog::text() const {
  std::string out = "\n\n***** SPMD memory usage before partition *****\n";
  out += "\n  ** Replicated instructions\n" + report(before_replicated);
  out += "\n  ** All instructions\n" + report(before);
  for (const std::string& step : steps) out += step + "\n";
  out += "\n\n***** SPMD memory usage after partition *****\n" + report(after);
  out += "\n\n***** SPMD memory during transformation *****\n";
  for (const MemoryLine& line : during) {
    out += "\n  " + log_bytes(line.bytes) + " : " + line.text;
    for (const std::string& made : line.created) out += "     * " + made + "\n";
    out += "\n";
  }
  return out;
}

}  // namespace shardscope::inline partitioner
