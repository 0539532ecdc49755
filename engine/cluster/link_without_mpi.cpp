// SPDX-License-Identifier: Apache-2.0
#ifndef SHARDSCOPE_MPI
#include <cstdlib>

#include "engine/base/check.h"
#include "engine/cluster/link.h"

namespace shardscope::inline cluster {

struct Link::State {};

Result<std::unique_ptr<Link>> Link::open() {
  return invalid("this shardscope was built without MPI", "mpi",
                 "install libopenmpi-dev and openmpi-bin, and build it again");
}

// There is never one.
Link::Link(std::unique_ptr<State> state) : state_(std::move(state)) {}
Link::~Link() = default;
int Link::rank() const {
  return 0;
}
int Link::size() const {
  return 1;
}
std::string Link::host() const {
  return "";
}
int Link::ranks_of_host() const {
  return 1;
}
std::vector<std::string> Link::gather(const std::string& text) {
  return {text};
}
int64_t Link::told(int64_t number) {
  return number;
}
void Link::send(int, Channel, std::span<const std::byte>) {}
void Link::receive(int, Channel, std::span<std::byte>) {}
std::optional<Link::Waiting> Link::waiting(Channel, std::optional<int>) {
  return std::nullopt;
}
std::optional<std::vector<Link::Came>> Link::exchange(const std::vector<Delivery>&,
                                                      const std::function<int(DeviceId)>&, int64_t,
                                                      const GoOn&) {
  return std::nullopt;
}
std::optional<std::vector<std::string>> Link::gather_all(const std::string& own, const GoOn&) {
  return std::vector<std::string>{own};
}
std::optional<int64_t> Link::largest(int64_t number, int, const GoOn&) {
  return number;
}
void Link::watch(OnSilence) {}
void Link::abandon(int status) {
  std::_Exit(status);
}

}  // namespace shardscope::inline cluster
#endif
