// SPDX-License-Identifier: Apache-2.0
// Programs on the processes that mpirun started: rank 0 leads, reads what is asked and writes what comes of
// it; the others compute their devices' part. The one door to MPI.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/base/sharing.h"
#include "engine/cluster/link.h"
#include "engine/cluster/packet.h"
#include "engine/cluster/part.h"
#include "engine/cluster/work_log.h"
#include "engine/numerics/rules/ranks.h"

namespace shardscope::inline cluster {

class Cluster final : public Ranks, public Sharing {
 public:
  struct Options {
    std::string version;  // of the program: all ranks have the same
    int threads = 0;      // of each rank; 0: the cores of its host, shared among its ranks
    // That a rank does not answer any more, just before all are ended; on another thread.
    std::function<void(const Error&)> on_lost{};
  };
  // Every rank calls it. Errors, on rank 0 alone (others are quiet): no MPI in this build; a rank of another
  // version or another instruction set, with its number and host.
  static Result<std::unique_ptr<Cluster>> join(const Options& options);
  ~Cluster() override;

  bool leads() const { return link_->rank() == 0; }
  const std::vector<std::string>& hosts() const { return hosts_; }  // by rank, on rank 0

  // What ranks other than 0 do until rank 0 is done.
  void serve(const std::stop_token& stop);

  Result<DeviceValues> run(const Job& job, std::vector<DeviceValues> parameters, const RunLimits& limits,
                           const std::function<void(double)>& progress) override;
  double seconds() const override { return seconds_; }
  // Of the last job, of all ranks, by start; and its program. Of several jobs those of the first are kept
  // where that is asked for.
  const std::vector<WorkEntry>& log() const { return log_; }
  const std::shared_ptr<const Program>& logged() const { return logged_; }
  void keep_first_log() { keeps_first_ = true; }
  const Division& division() const { return logged_division_; }

  // Instead of serving: all ranks run the same command, until one is told to stop.
  void share(const std::stop_token& stop) { stop_ = stop, shares_ = true; }
  int part() const override { return link_->rank(); }
  int parts() const override { return link_->size(); }
  Result<std::vector<std::string>> gather(const std::string& own) override;

  // Takes leave. A run that was stopped in the middle leaves messages behind: then all ranks end at once with
  // this status.
  void leave(int status);

 private:
  enum class Order : int64_t { run, again, stop, end };
  struct Answer;

  explicit Cluster(std::unique_ptr<Link> link, int threads);
  void align_clocks();
  bool is_again(const Job& job, const std::vector<DeviceValues>& parameters) const;
  void send_job(const Job& job, const std::vector<DeviceValues>& parameters, int to, bool again);
  void stop_others();
  // Takes the answers that are there; false: one of them is that a rank failed.
  bool take_answers();
  Result<DeviceValues> collect(size_t devices, Result<DeviceValues> own, const RunLimits& limits);
  void answer(Result<DeviceValues> root, const Part& part);
  void take_job(PacketReader& in, bool again);

  std::unique_ptr<Link> link_;
  Workers workers_;
  std::vector<std::string> hosts_;
  std::vector<int64_t> clock_ahead_;  // of rank 0's, by rank
  int64_t job_ = 0;
  std::unique_ptr<Part> part_;
  Division division_, logged_division_;
  // Of rank 0:
  GivenParameters parameters_;                  // of the last job
  std::vector<std::optional<Answer>> answers_;  // by rank
  bool told_to_stop_ = false;
  std::stop_token stop_;
  bool shares_ = false;
  BufferPool pool_;
  double seconds_ = 0;
  std::vector<WorkEntry> log_;
  std::shared_ptr<const Program> logged_;
  bool keeps_first_ = false;
};

}  // namespace shardscope::inline cluster
