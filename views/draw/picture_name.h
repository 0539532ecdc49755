// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/result.h"

namespace shardscope::inline views {

enum class PictureFormat { png, svg, pdf };

// By the ending of a file's name, in either case; any other is refused, and what this program cannot draw.
Result<PictureFormat> picture_format_of(const std::string& path);
// Error: this program is built without what draws the format.
Result<void> can_draw(PictureFormat format, const std::string& path);

}  // namespace shardscope::inline views
