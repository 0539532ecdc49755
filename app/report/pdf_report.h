// SPDX-License-Identifier: Apache-2.0
// A report on A4: vectors, the fonts inside, an outline, page numbers.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/document/document.h"
#include "views/scene/core/scene.h"

namespace shardscope::inline app_report {

// The bytes of a PDF file; the same report gives the same. `date`: ISO 8601, for its properties.
Result<std::string> report_pdf(const Report& report, const std::vector<Scene>& pictures,
                               const std::string& date);

}  // namespace shardscope::inline app_report
