// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/compiled_memory.h"

#include <algorithm>
#include <utility>

#include "engine/backend/cpu_compiler.h"
#include "engine/backend/fuse.h"
#include "engine/backend/grouped_products.h"
#include "engine/numerics/plan/plain_program.h"
#include "engine/program/memory/module_memory.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::inline session {
namespace {

MemoryOwner owner(const Program& program, int32_t maker) {
  const Instruction& i = program.by_global_index(maker);
  MemoryOwner out;
  out.name = source_name(i);
  out.display_name = i.provenance->source.empty() ? display_name(i) : out.name;
  out.shape = i.shape.text();
  out.op_name = i.provenance->op_name;
  out.source_line = source_line(program, i);
  return out;
}

// The types that the chip publishes no rate of.
WidenedTypes without_units(const Hardware& hardware) {
  const auto& peaks = hardware.compute.peak_flops_per_s;
  const bool eight = std::ranges::any_of(
      peaks, [](const auto& peak) { return is_narrow(peak.first) && bits(peak.first) <= 8; });
  return {!peaks.contains(ElementType::bf16), !peaks.contains(ElementType::f16), !eight, false};
}

}  // namespace

Result<Program> compiled_form(const Program& program, const Hardware& hardware, std::optional<CompileAs> as,
                              const std::stop_token& stop) {
  const CompileAs compiler = as.value_or(compiler_of(hardware));
  Program plain = plain_program(program, PlainFor::time).value_or(program);
  if (compiler == CompileAs::none || is_fused(plain)) return plain;
  return fuse(plain, compiler, hardware, stop);
}

Result<Program> memory_form(const Program& program, const Hardware& hardware, std::optional<CompileAs> as,
                            const std::stop_token& stop) {
  const CompileAs compiler = as.value_or(compiler_of(hardware));
  const bool as_on_cpu = compiler == CompileAs::xla_cpu || (compiler == CompileAs::xla_tpu && !as);
  if (!as_on_cpu || is_fused(program)) return compiled_form(program, hardware, as, stop);
  Program plain = plain_program(program, PlainFor::time).value_or(program);
  if (compiler == CompileAs::xla_cpu) plain = grouped_products_as_one(std::move(plain));
  return as_on_cpus(plain, compiler == CompileAs::xla_cpu ? WidenedTypes() : without_units(hardware), stop);
}

ChipMemory laid_out_for(const Hardware& hardware, std::optional<CompileAs> as) {
  const CompileAs own = compiler_of(hardware);
  const CompileAs compiler = as.value_or(own) == CompileAs::none ? own : as.value_or(own);
  if (as == CompileAs::xla_tpu)
    return {LaidOutFor::tpu, static_cast<int64_t>(hardware.memory.fast_bytes.value_or(0))};
  return {compiler == CompileAs::xla_gpu ? LaidOutFor::gpu : LaidOutFor::cpu, 0};
}

Result<MemoryUse> memory_use(const Program& compiled, ChipMemory chip, const std::stop_token& stop) {
  TRY(const ModuleMemory memory, module_memory(compiled, chip, stop));
  MemoryUse out{memory.arguments, memory.results, memory.temporaries, memory.aliased, {}, {}, memory.between};
  out.complete = memory.complete;
  out.moment = owner(compiled, memory.moment);
  for (const HeldMemory& held : memory.held) {
    out.owners.push_back(owner(compiled, held.maker));
    out.owners.back().bytes = held.bytes;
    out.owners.back().kind = name(held.kind);
    out.owners.back().shape = held.shape.text();
  }
  return out;
}

Result<MemoryUse> compiled_memory(const Program& program, const Hardware& hardware,
                                  std::optional<CompileAs> as, const std::stop_token& stop) {
  const ChipMemory chip = laid_out_for(hardware, as);
  if (is_fused(program)) return memory_use(program, chip, stop);
  const Result<Program> compiled = memory_form(program, hardware, as, stop);
  if (!compiled.ok() && compiled.error().kind == ErrorKind::cancelled) return compiled.error();
  return memory_use(compiled.ok() ? *compiled : program, chip, stop);
}

}  // namespace shardscope::inline session
