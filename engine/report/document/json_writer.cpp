// SPDX-License-Identifier: Apache-2.0
#include "engine/report/document/writers.h"
#include "engine/report/residual/residual.h"
#include "engine/report/run_object.h"
#include "engine/report/what_if_report.h"

namespace shardscope {

std::string report_json(const Comparison& comparison, const ReportParts& parts) {
  using Json = ReportJson;
  const auto text = [](const std::string& of) { return of.empty() ? Json(nullptr) : Json(of); };
  const HowMade& how = parts.made;
  Json out{{"schema", kReportSchema},
           {"title", report_title(comparison)},
           {"made",
            {{"version", text(how.version)},
             {"commit", text(how.commit)},
             {"date", text(how.date)},
             {"command", text(how.command)},
             {"csv_command", text(how.csv_command)}}}};
  out.update(comparison_object(comparison));
  Json sensitivity = Json::array();
  for (const RunWorth& of : parts.worth)
    sensitivity.push_back({{"run_id", of.run->id ? Json(*of.run->id) : Json(nullptr)},
                           {"strategy", of.run->strategy},
                           {"rows", sensitivity_json(of.rows)}});
  out["sensitivity"] = sensitivity;
  if (comparison.measured) out["measured"] = residual_object(comparison.measured->residual);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace shardscope
