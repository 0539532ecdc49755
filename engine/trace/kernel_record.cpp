// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/kernel_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/text.h"
#include "engine/trace/workspace_file.h"

namespace shardscope::inline trace {

Result<int64_t> record_kernel_run(const std::string& path, const KernelRun& run,
                                  const std::optional<KernelTime>& time, uint64_t seed) {
  TRY(const Database db, open_writer(path));
  TRY(Transaction transaction, Transaction::begin(db));
  std::optional<double> time_s;
  if (time) time_s = to_seconds(time->total);
  const std::string mesh = run.layout.mesh.text(), listing = join(run.layout.listing.lines, "\n");
  TRY_VOID(db.run(
      "INSERT INTO kernel_run (created, kernel, mesh, devices, schedules, seed, correct_runs, wrong_runs, "
      "time_s, vmem_peak_bytes, max_dma_in_flight, listing) "
      "VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      run.layout.kernel, mesh, run.layout.mesh.device_count(), run.schedules, static_cast<int64_t>(seed),
      run.correct_runs, run.wrong_runs, time_s, run.vmem_peak_bytes, run.max_dma_in_flight, listing));
  TRY(const int64_t id, db.integer("SELECT last_insert_rowid()"));
  for (size_t i = 0; i < run.findings.size(); ++i) {
    const KernelFindingCount& count = run.findings[i];
    const std::string devices = fmt::format("[{}]", fmt::join(count.finding.devices, ","));
    TRY_VOID(db.run("INSERT INTO kernel_finding VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", id,
                    static_cast<int64_t>(i), name(count.finding.kind), count.runs,
                    static_cast<int64_t>(count.first_seed), devices, count.finding.message,
                    count.finding.missing, static_cast<int64_t>(count.finding.first.line),
                    static_cast<int64_t>(count.finding.second.line)));
  }
  TRY_VOID(transaction.commit());
  return id;
}

}  // namespace shardscope::inline trace
