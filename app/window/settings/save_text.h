// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope::inline window {

// The one door by which the window writes text into files, new ones and those that are there: all of it, or
// the file stays as it was.
Result<void> save_text(const QString& path, std::string_view text);

}  // namespace shardscope::inline window
