// SPDX-License-Identifier: Apache-2.0
// Lines of code as a picture: as large as they fit, long ones in several rows, none cut.
#pragma once

#include <string>
#include <vector>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

class Pen;

// A line of code in as many rows as it needs; those below are set in. `size`: of the letters.
std::vector<std::string> code_rows(const Pen& pen, const std::string& line, float width, float size);

Scene layout_listing(const std::vector<std::string>& lines, const Canvas& canvas);

}  // namespace shardscope::inline views
