// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/link_load.h"

#include <algorithm>

namespace shardscope::inline collectives {

LinkLoad::LinkLoad(int32_t ranks, const GroupTopology& topology, const LinkCosts& costs)
    : ranks_(ranks), topology_(topology), costs_(costs) {
  if (topology.axes.empty()) axes_.push_back({ranks, 1, topology.wraps, {}});
  int32_t stride = ranks;
  for (const GroupAxis& axis : topology.axes) {
    stride /= axis.size;
    axes_.push_back({axis.size, stride, axis.wraps, {}});
  }
  for (Axis& axis : axes_) {
    for (int32_t r = 0; r < ranks; ++r) {
      const int32_t line = r / (axis.stride * axis.size) * axis.stride + r % axis.stride;
      axis.places.push_back({r / axis.stride % axis.size, line * axis.size});
    }
  }
  links_.resize(2 * axes_.size());
}

double LinkLoad::step_seconds(const CollectiveSchedule& schedule, int32_t step, double whole_bytes) {
  const bool turns =
      std::all_of(axes_.begin(), axes_.end(), [](const Axis& a) { return a.wraps || a.size <= 2; });
  symmetric_ = schedule.rotation_symmetric() && topology_.node == 0 && (turns || topology_.all_pairs);
  slowest_ = 0;
  events_ = 0;
  meets_others_ = topology_.node > 0 || (topology_.all_pairs && costs_.port);
  ports_.assign(2 * static_cast<size_t>(ranks_), 0);
  for (auto& link : links_) link.assign(symmetric_ ? 2 : static_cast<size_t>(ranks_) + 1, 0);
  const double unit = whole_bytes / schedule.chunks();
  for (int32_t source = 0; source < (symmetric_ ? 1 : ranks_); ++source) {
    transfers_.clear();
    schedule.append_from(step, source, transfers_);
    for (const Transfer& t : transfers_) add(t, t.count * unit);
  }
  return largest();
}

void LinkLoad::add(const Transfer& t, double bytes) {
  const bool two_level = topology_.node > 0;
  if (two_level || topology_.all_pairs) ++events_;
  if (two_level && t.source / topology_.node != t.target / topology_.node) {
    const int32_t port = costs_.network_port_per_node ? t.source / topology_.node : t.source;
    double& busy = ports_[static_cast<size_t>(ranks_) + static_cast<size_t>(port)];
    busy += bytes / costs_.network_bytes_per_s;
    slowest_ = std::max(slowest_, costs_.network_latency_s + busy);
  } else if (two_level || topology_.all_pairs) {
    double& busy = ports_[static_cast<size_t>(t.source)];
    busy += bytes / costs_.bytes_per_s;
    slowest_ = std::max(slowest_, costs_.latency_s + (costs_.port ? busy : bytes / costs_.bytes_per_s));
  } else {
    const bool turned = axes_.size() == 1 && topology_.first != 0;
    const auto place = [&](int32_t rank) { return turned ? (rank + topology_.first) % ranks_ : rank; };
    add_hops(place(t.source), place(t.target), t.direction, bytes);
  }
}

void LinkLoad::add_hops(int32_t from, int32_t to, int direction, double bytes) {
  if (bytes != message_.bytes) message_ = {bytes, costs_.seconds(bytes), bytes / costs_.bytes_per_s};
  int32_t hops = 0;
  for (size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    const auto [here, first_link] = axis.places[static_cast<size_t>(from)];
    const int32_t there = axis.places[static_cast<size_t>(to)].at;
    if (here == there) continue;
    const AxisWay way = axis_way(here, there, axis.size, axis.wraps, direction);
    const bool up = way.up;
    const auto away = static_cast<int32_t>(way.hops);
    hops += away;
    const int32_t first = up ? here : here - away + 1;
    const int32_t wrapped = first < 0 ? first + axis.size : first;
    const auto base = static_cast<size_t>(first_link);
    const int32_t end = wrapped + away;
    std::vector<double>& links = links_[2 * a + (up ? 0 : 1)];
    load(links, base + static_cast<size_t>(wrapped), base + static_cast<size_t>(std::min(end, axis.size)),
         message_.holds);
    if (end > axis.size) load(links, base, base + static_cast<size_t>(end - axis.size), message_.holds);
    from += (there - here) * axis.stride;
  }
  events_ += hops;
  meets_others_ = meets_others_ || hops > 1;
  slowest_ = std::max(slowest_, hops * costs_.latency_s + message_.passes);
}

void LinkLoad::load(std::vector<double>& links, size_t begin, size_t end, double seconds) {
  if (symmetric_) {
    links[0] += static_cast<double>(end - begin) * seconds;
    return;
  }
  links[begin] += seconds;
  links[end] -= seconds;
}

double LinkLoad::largest() const {
  double most = slowest_;
  for (const std::vector<double>& links : links_) {
    double load = 0;
    for (const double change : links) most = std::max(most, load += change);
  }
  return most;
}

}  // namespace shardscope::inline collectives
