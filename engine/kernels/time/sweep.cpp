// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/time/sweep.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/text.h"
#include "engine/kernels/catalogue/sizes.h"
#include "engine/kernels/time/time.h"

namespace shardscope::kernels {

namespace {

const KernelSize* size_named(const std::string& name) {
  for (const KernelSize& size : kernel_sizes()) {
    if (size.name == name) return &size;
  }
  return nullptr;
}

}  // namespace

Result<KernelAxis> parse_kernel_axis(std::string_view text) {
  KernelAxis out;
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return invalid(fmt::format("'{}' names no values", text), "--over", "write it as in bm=128,256,512");
  out.name = std::string(trim(text.substr(0, equals)));
  if (size_named(out.name) == nullptr) {
    std::vector<std::string> names;
    for (const KernelSize& size : kernel_sizes()) names.push_back(size.name);
    return invalid(fmt::format("'{}' cannot be swept", out.name), "--over",
                   fmt::format("use one of {}", fmt::join(names, ", ")));
  }
  for (const std::string& part : split(text.substr(equals + 1), ',')) {
    const auto value = parse_int(trim(part));
    if (!value || *value < 1)
      return invalid(fmt::format("'{}' is not a size, expected a positive whole number", trim(part)),
                     "--over");
    out.values.push_back(*value);
  }
  if (out.values.empty())
    return invalid(fmt::format("'{}' names no values", text), "--over", "write it as in bm=128,256,512");
  return out;
}

Result<std::vector<KernelPointResult>> sweep_kernel(const KernelEntry& entry, const KernelOptions& options,
                                                    const std::vector<KernelAxis>& axes,
                                                    const Hardware& hardware, const std::stop_token& stop) {
  double wanted = 1;
  for (const KernelAxis& axis : axes) wanted *= static_cast<double>(axis.values.size());
  if (wanted > static_cast<double>(kMostKernelPoints))
    return too_big(fmt::format("{:.0f} combinations, a sweep has up to {}", wanted, kMostKernelPoints),
                   "--over", "name fewer values");
  std::vector<std::vector<int64_t>> points = {{}};
  for (const KernelAxis& axis : axes) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto& point : points) {
      for (const int64_t value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  std::vector<KernelPointResult> out;
  for (const auto& point : points) {
    if (stop.stop_requested()) return cancelled();
    KernelPointResult result;
    result.values = point;
    KernelOptions here = options;
    for (size_t a = 0; a < axes.size(); ++a) here.*size_named(axes[a].name)->field = point[a];
    const Result<KernelProgram> program = build_kernel(entry, here);
    if (program.ok()) {
      result.vmem_bytes = program->peak_vmem;
      result.fits_vmem = program->peak_vmem <= here.vmem_limit;
      const auto other =
          std::find_if(program->defects.begin(), program->defects.end(), [](const KernelFinding& defect) {
            return defect.kind == FindingKind::hbm_overflow || defect.kind == FindingKind::smem_overflow ||
                   defect.kind == FindingKind::semaphore_overflow;
          });
      if (other != program->defects.end()) {
        result.error = other->message;
      } else if (result.fits_vmem) {
        Result<KernelTime> time = time_kernel(*program, hardware);
        if (!time.ok()) {
          result.error = time.error().text();
        } else {
          result.time = *std::move(time);
        }
      }
    } else {
      result.error = program.error().text();
    }
    out.push_back(std::move(result));
  }
  return out;
}

}  // namespace shardscope::kernels
