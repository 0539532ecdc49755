// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/pallas/pallas.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <span>

#include "engine/base/embedded_file.h"
#include "engine/base/text.h"
#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/machine/replay.h"
#include "engine/kernels/pallas/pallas_statements.h"
#include "engine/kernels/text/parser.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> pallas_files();  // compiled in by CMakeLists.txt
}  // namespace shardscope::embedded

namespace shardscope::kernels {
namespace {

std::string_view pallas_file(std::string_view name) {
  const auto found = std::ranges::find(embedded::pallas_files(), name, &EmbeddedFile::name);
  CHECK(found != embedded::pallas_files().end(), name);
  return found->text;
}

std::string mesh_text(const Mesh& mesh) {
  std::vector<std::string> out;
  for (int a = 0; a < mesh.rank(); ++a)
    out.push_back(fmt::format("\"{}\": {}", std::string(1, static_cast<char>('x' + a)), mesh.axis_size(a)));
  return "{" + join(out, ", ") + "}";
}

// CRC-32 of the numbers' bytes.
uint32_t checksum(const Numbers& numbers) {
  uint32_t crc = 0xFFFFFFFFU;
  for (const float number : numbers) {
    uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    for (int byte = 0; byte < 4; ++byte, bits >>= 8U) {
      crc ^= bits & 0xFFU;
      for (int i = 0; i < 8; ++i) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    }
  }
  return ~crc;
}

// By output, by device; "None" for a kernel that is not right.
std::string expected_text(const KernelEntry& entry, const KernelProgram& program) {
  const Result<void> fits = KernelReplay::fits(program);
  if (!fits.ok()) return "None";
  const KernelReplay replay(entry, program, schedule_of(0), 0);
  if (!replay.outcome().correct || !replay.numeric()) return "None";
  std::vector<std::string> out;
  for (size_t b = 0; b < program.layout.buffers.size(); ++b) {
    const KernelBuffer& buffer = program.layout.buffers[b];
    if (buffer.role != KernelBuffer::Role::output) continue;
    std::vector<std::string> sums;
    for (int32_t d = 0; d < program.device_count(); ++d)
      sums.push_back(std::to_string(checksum(replay.values(replay.steps(), d, static_cast<int32_t>(b)))));
    out.push_back(fmt::format("\"{}\": [{}]", buffer.name, join(sums, ", ")));
  }
  return "{" + join(out, ", ") + "}";
}

}  // namespace

std::string pallas_reader() {
  std::string out;
  for (const char* part : {"read_common", "read_written", "plain_numbers", "plain_values", "plain_python",
                           "plain_jax", "plain_scratch", "plain_kernel", "plain_read", "read_main"})
    out += pallas_file(part);
  return out;
}

namespace {

Result<std::string> code_of(const KernelEntry& entry, const KernelOptions& options, PallasDialect dialect) {
  TRY(const KernelText text, parse_kernel_text(join(entry.listing.lines, "\n"), entry.where));
  TRY(const KernelProgram program, build_kernel(entry, options));
  TRY(const PallasParts parts, pallas_parts(text, options, program.layout, entry.where, dialect));
  const bool gpu = dialect == PallasDialect::mosaic_gpu;
  std::vector<std::string> arguments;
  for (const auto* part : {&parts.given, &parts.written, &parts.worked, &parts.scratched})
    arguments.insert(arguments.end(), part->begin(), part->end());
  std::string out = fmt::format("# Made by shardscope kernel code {}: {}\n", entry.id, entry.title);
  out += fmt::format("KERNEL = \"{}\"\nTITLE = \"{}\"\nRESULT = {}\nMESH = {}\nEXPECTED = {}\n\n", entry.id,
                     entry.title, entry.result.empty() ? "None" : fmt::format("\"{}\"", entry.result),
                     mesh_text(options.mesh), expected_text(entry, program));
  out += fmt::format("{}\n\n{}", pallas_file(gpu ? "gpu_helpers" : "pallas_helpers"),
                     pallas_file("mesh_helpers"));
  out += fmt::format("\n\ndtype = {}\n{}\n", name(options.dtype), parts.statics);
  out += fmt::format("OUT_SPECS = {{  # the same over an axis, own rows over an axis\n{}}}\n", parts.specs);
  out += fmt::format("INPUTS = {{\n{}}}\nOUTPUTS = {{\n{}}}\nWORKSPACES = {{\n{}}}\nSCRATCH = {{\n{}}}\n\n\n",
                     parts.inputs, parts.outputs, parts.workspaces, parts.scratch);
  out += fmt::format("def kernel({}):\n{}\n\n", join(arguments, ", "), parts.body);
  out += pallas_file("pallas_inputs");
  return out + std::string(pallas_file(gpu ? "gpu_run" : "pallas_run"));
}

}  // namespace

Result<std::string> pallas_code(const KernelEntry& entry, const KernelOptions& options) {
  return code_of(entry, options, PallasDialect::tpu);
}

Result<std::string> mosaic_gpu_code(const KernelEntry& entry, const KernelOptions& options) {
  if (options.dtype == ElementType::f32)
    return invalid("wgmma of GPUs multiplies bf16 and f16", "--dtype", "give --dtype bf16");
  return code_of(entry, options, PallasDialect::mosaic_gpu);
}

}  // namespace shardscope::kernels
