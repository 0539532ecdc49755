// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/measuring_program.h"

#include <fmt/format.h>
#include <span>

#include "engine/base/check.h"
#include "engine/base/embedded_file.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> measuring_program_files();
}  // namespace shardscope::embedded

namespace shardscope::inline measure {

Result<std::string_view> measuring_program(const std::string& with) {
  if (with != "torch" && with != "jax")
    return invalid(fmt::format("'{}' measures nothing", with), "--with", "use torch or jax");
  const std::string name = with == "torch" ? "measure_gpu" : "measure_jax";
  for (const EmbeddedFile& file : embedded::measuring_program_files())
    if (file.name == name) return file.text;
  CHECK(false, name);
  return std::string_view();
}

}  // namespace shardscope::inline measure
