// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/collectives/schedule.h"
#include "engine/schedule/events/calendar.h"
#include "engine/schedule/events/chunk_bytes.h"
#include "engine/schedule/events/moment.h"

namespace shardscope {

class Simulator;

// Exchanges of one step between devices that have a port each: all that a rank sends is ready at one time and
// goes out of its port in the order of its chunks. It waits for the port as one request and is played in one
// loop, as long as nothing may come in between; else message by message.
//
// What may come in between are later steps of collectives that began sooner. For all else a port is a queue:
// what asks later stands behind.
class Bursts {
 public:
  // `allowed`: all links are alike, and only sums are wanted.
  Bursts(Simulator& of, bool allowed);
  // Whether the work's messages are played here.
  bool plays(int32_t work) const { return !plays_.empty() && plays_[static_cast<size_t>(work)]; }
  // The `rank` of a work's `run` has its operand.
  void operand_ready(int32_t work, int32_t run, int32_t rank, const Moment& operand);
  // Its port is free for what the request stands for.
  void play(const LaneRequest& request);

  // A device takes part in a collective that is not played here; its `run` is over.
  void begins(int32_t work, int32_t device);
  void ends(int32_t work, int32_t run);

 private:
  struct Rank {
    Moment operand, ready, latest;  // ready: its messages; latest: of what came
    int32_t open = 0;               // arrivals to come
    bool has_operand = false;
    size_t next = 0;  // of these it has not sent
    std::vector<Transfer> sends;
  };
  struct Exchange {
    std::vector<Rank> ranks;
    ChunkBytes bytes{0, 1, 1};
    int32_t unfinished = 0;  // ranks
  };
  bool may_be_played() const;
  Exchange& exchange(int32_t work, int32_t run);
  void read(const CollectiveSchedule& schedule);
  void finish_if_over(int32_t work, int32_t run, int32_t rank);
  void send(const LaneRequest& request, Exchange& it, Rank& rank, size_t end);
  void wait_again(LaneRequest request, const Rank& rank);

  Simulator& of_;
  std::vector<bool> plays_;                                         // by work; empty: none
  std::map<const CollectiveSchedule*, std::vector<int32_t>> come_;  // arrivals by rank, of those played
  std::vector<std::unique_ptr<Exchange>> exchanges_;                // by run; null: to come or over
  std::vector<std::unique_ptr<Exchange>> spare_;
  std::vector<int32_t> under_way_;  // by device that is played: collectives of several steps
};

}  // namespace shardscope
