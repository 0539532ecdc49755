// SPDX-License-Identifier: Apache-2.0
// The processes that mpirun started, and bytes between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/numerics/rules/transport.h"

namespace shardscope::inline cluster {

// Rank 0 leads; the others do what it says. For one thread.
class Link {
 public:
  // What two ranks say to each other: orders go from rank 0, answers to it; data is whatever belongs to them.
  enum class Channel { order, answer, data };

  // Errors: this program was built without MPI, with what to install.
  static Result<std::unique_ptr<Link>> open();
  ~Link();  // takes leave of the others; all must

  int rank() const;
  int size() const;
  std::string host() const;
  int ranks_of_host() const;  // how many share this one's

  // Every rank's text, on rank 0 alone.
  std::vector<std::string> gather(const std::string& text);
  // Rank 0's number.
  int64_t told(int64_t number);

  void send(int to, Channel channel, std::span<const std::byte> bytes);
  void receive(int from, Channel channel, std::span<std::byte> bytes);
  // A message that can be received at once.
  struct Waiting {
    int from = 0;
    int64_t bytes = 0;
  };
  std::optional<Waiting> waiting(Channel channel, std::optional<int> from = std::nullopt);

  // The deliveries of one step: `rank_of` says who has a device. While it waits it calls `go_on`, which says
  // whether to; messages that were not taken then stay, and the link is torn. Returns when each of `to` came.
  struct Came {
    size_t delivery = 0;
    DeviceTransport::Clock::time_point at;
  };
  using GoOn = std::function<bool()>;
  std::optional<std::vector<Came>> exchange(const std::vector<Delivery>& deliveries,
                                            const std::function<int(DeviceId)>& rank_of, int64_t tag,
                                            const GoOn& go_on);
  // Everybody's bytes, by rank; none: not to go on.
  std::optional<std::vector<std::string>> gather_all(const std::string& own, const GoOn& go_on);
  // The largest of the numbers of the first `ranks` ranks; none: not to go on.
  std::optional<int64_t> largest(int64_t number, int ranks, const GoOn& go_on);

  // From now on a rank whose process stands still is noticed within seconds, on a thread of its own, by rank
  // 0, and rank 0 by rank 1. All ranks call it.
  using OnSilence = std::function<void(int rank)>;
  void watch(OnSilence on_silence);

  bool torn() const { return torn_; }
  // Ends all ranks at once with this exit status.
  [[noreturn]] void abandon(int status);

 private:
  struct State;
  explicit Link(std::unique_ptr<State> state);
  template <class Requests>
  bool wait(Requests& requests, const GoOn& go_on, std::vector<int>* order);

  std::unique_ptr<State> state_;
  bool torn_ = false;
};

// Gives the processor to whoever has work; longer the longer nothing happens.
class Patience {
 public:
  void wait();
  void again() { turns_ = 0; }

 private:
  int turns_ = 0;
};

}  // namespace shardscope::inline cluster
