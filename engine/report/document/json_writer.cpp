// SPDX-License-Identifier: Apache-2.0
#include "engine/report/document/writers.h"
#include "engine/report/residual/residual.h"
#include "engine/report/run_object.h"
#include "engine/report/what_if_report.h"

namespace shardscope::inline report {

std::string report_json(const Comparison& comparison, const ReportParts& parts) {
  const auto text = [](const std::string& of) { return of.empty() ? ReportJson(nullptr) : ReportJson(of); };
  const HowMade& how = parts.made;
  ReportJson out{{"schema", kReportSchema},
                 {"title", report_title(comparison)},
                 {"made",
                  {{"version", text(how.version)},
                   {"commit", text(how.commit)},
                   {"date", text(how.date)},
                   {"command", text(how.command)},
                   {"csv_command", text(how.csv_command)}}}};
  out.update(comparison_object(comparison));
  ReportJson sensitivity = ReportJson::array();
  for (const RunWorth& of : parts.worth)
    sensitivity.push_back({{"run_id", of.run->id ? ReportJson(*of.run->id) : ReportJson(nullptr)},
                           {"strategy", of.run->strategy},
                           {"rows", sensitivity_json(of.rows)}});
  out["sensitivity"] = sensitivity;
  if (comparison.measured) out["measured"] = residual_object(comparison.measured->residual);
  return out.dump(2, ' ', false, ReportJson::error_handler_t::replace) + "\n";
}

}  // namespace shardscope::inline report
