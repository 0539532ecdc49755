// SPDX-License-Identifier: Apache-2.0
#include "engine/session/hlo_presets.h"

#include <span>

#include "engine/base/embedded_file.h"
#include "engine/base/text.h"

namespace shardscope {

std::span<const EmbeddedFile> hlo_preset_files();

std::vector<HloPreset> hlo_presets() {
  std::vector<HloPreset> out;
  for (const EmbeddedFile& file : hlo_preset_files()) {
    const std::vector<std::string> lines = split(file.text, '\n');
    HloPreset preset{std::string(file.name), "", std::string(file.text)};
    if (lines.size() > 1 && lines[1].starts_with("// ")) preset.title = lines[1].substr(3);
    out.push_back(std::move(preset));
  }
  return out;
}

}  // namespace shardscope
