// SPDX-License-Identifier: Apache-2.0
// What QPdfWriter leaves out: an outline, and a date that is not the clock's.
#pragma once

#include <string>
#include <vector>

#include "app/report/gui/pdf_flow.h"
#include "engine/base/result.h"

namespace shardscope::inline app_report {

// From a page's dots to the points of PDF, which count upwards.
struct PdfPlace {
  double top_points = 0;  // of the room of text, from the lower edge of the paper
  double dots_per_point = 1;
};

// `pdf` with an entry a mark, as an update appended to it (ISO 32000-1, 7.5.6), and `date` (ISO 8601) instead
// of the clock's. Error: this is no PDF as QPdfWriter makes it.
Result<std::string> with_outline(std::string pdf, const std::vector<PdfMark>& marks, const PdfPlace& place,
                                 const std::string& date);

}  // namespace shardscope::inline app_report
