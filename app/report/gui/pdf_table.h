// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/report/gui/pdf_flow.h"
#include "engine/report/document/document.h"

namespace shardscope::inline app_report {

// Every column of the table, whatever its width: what does not fit beside the first ones stands in further
// tables below, each with the columns that say what a row is. Its head is repeated on every page.
void put_table(PdfFlow& flow, const ReportTable& table, QPaintDevice& device);

}  // namespace shardscope::inline app_report
