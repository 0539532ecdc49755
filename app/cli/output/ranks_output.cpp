// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/ranks_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/trace/measured_record.h"

namespace shardscope::inline cli {

Result<RanksMeasured> measure_ranks(const Run& run, const Cluster& cluster, const std::string& db,
                                    const std::stop_token& stop) {
  RanksMeasured out;
  out.hosts = cluster.hosts();
  out.simulated_s = to_seconds(run.timeline.total);
  const std::string title = fmt::format("{} on {}", run.strategy, counted(out.hosts.size(), "rank"));
  TRY(out.trace, ranks_trace(cluster, title, stop));
  out.path = measured_path(cluster);
  if (!db.empty()) {
    TRY(out.trace.id, record_measured(db, out.trace, stop));
  }
  return out;
}

nlohmann::ordered_json ranks_json(const RanksMeasured& m) {
  nlohmann::ordered_json id = nullptr;
  if (m.trace.id != 0) id = m.trace.id;
  return {{"ranks", std::ssize(m.hosts)},
          {"hosts", m.hosts},
          {"measured_id", id},
          {"events", m.trace.event_count},
          {"critical_path",
           {{"total_s", m.path.total_s},
            {"work_s", m.path.work_s},
            {"transfer_s", m.path.transfer_s},
            {"between_s", m.path.between_s},
            {"events", m.path.events},
            {"device", m.path.device}}}};
}

std::string ranks_text(const RanksMeasured& m) {
  const std::set<std::string> hosts(m.hosts.begin(), m.hosts.end());
  std::string out = fmt::format("ranks      {} on {}; {} measured{}\n", m.hosts.size(),
                                counted(hosts.size(), "host"), grouped_count(m.trace.event_count, "event"),
                                m.trace.id != 0 ? fmt::format(", recorded as measured {}", m.trace.id) : "");
  out += fmt::format(
      "           measured critical path {}: work {}, transfers {}, between them {}; ends on "
      "device {}\n",
      format_seconds(m.path.total_s), format_seconds(m.path.work_s), format_seconds(m.path.transfer_s),
      format_seconds(m.path.between_s), m.path.device);
  return out;
}

}  // namespace shardscope::inline cli
