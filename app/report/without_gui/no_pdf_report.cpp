// SPDX-License-Identifier: Apache-2.0
#include "app/report/pdf_report.h"
#include "views/draw/picture_name.h"

namespace shardscope::inline app_report {

Result<std::string> report_pdf(const Report&, const std::vector<Scene>&, const std::string&) {
  return can_draw(PictureFormat::pdf, "").error();
}

}  // namespace shardscope::inline app_report
