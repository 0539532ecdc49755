// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/parts/class_play.h"

#include <algorithm>

#include "engine/plan/to_index.h"

namespace shardscope::inline scheduler {

ClassPlay::ClassPlay(const WorkPlan& plan, const SectionPlayer::Machine& machine, std::stop_token stop)
    : plan_(plan),
      machine_(machine),
      stop_(stop),
      player_(machine, std::move(stop)),
      placings_(machine.mesh, machine.fabric, player_),
      devices_(machine.fabric.devices()),
      collectives_(plan.works.size()),
      uses_(to_index(machine.mesh.rank())),
      bytes_sent_(plan.works.size()) {}

// Whether messages take time, devices are where their numbers say, and links are those of an axis.
bool ClassPlay::can_be_told() const {
  const Fabric& fabric = machine_.fabric;
  if (devices_ == 1 || fabric.all_pairs() || !machine_.mesh.device_order().empty()) return false;
  if (!plan_.untimed_events.empty() || !fabric.link_error().ok()) return false;
  const auto broken = [](const LinkOverride& link) { return link.speed == 0; };
  if (std::ranges::any_of(machine_.overrides.links, broken)) return false;
  for (int32_t c = 0; c < fabric.link_classes(); ++c)
    if (fabric.link_time(1, c).head.total() <= 0) return false;
  return std::ranges::all_of(plan_.works, [](const Work& work) {
    if (work.call != nullptr) return false;
    return work.kind != WorkKind::collective || (!work.untimed && (!work.pace || work.pace->latency > 0));
  });
}

bool ClassPlay::place_collectives() {
  for (size_t w = 0; w < plan_.works.size(); ++w) {
    const Work& work = plan_.works[w];
    if (work.kind != WorkKind::collective || work.steps() == 0) continue;
    Collective& it = collectives_[w];
    it.placing = placings_.of(work);
    if (it.placing == nullptr) return false;
    if (work.schedule->kind() == CollectiveKind::permute && work.bytes % devices_ != 0) return false;
    it.kinds = placings_.kinds(*it.placing, work);
  }
  find_followers();
  for (int a = 0; a < machine_.mesh.rank(); ++a) {
    const bool links = machine_.mesh.axis_size(a) > 1;
    line_sections_.push_back(links ? player_.sections({a}) : -1);
    if (links) uses_[to_index(a)].resize(to_index(player_.sections_at(line_sections_.back()).count()));
  }
  return true;
}

void ClassPlay::find_followers() {
  const auto works = static_cast<int32_t>(plan_.works.size());
  follows_.assign(to_index(works), -1);
  for (int32_t w = 0; w < works; ++w) {
    const Placing* placing = collectives_[to_index(w)].placing;
    if (placing == nullptr) continue;
    for (int32_t i = plan_.first_reader[to_index(w)]; i < plan_.first_reader[to_index(w) + 1]; ++i) {
      const int32_t reader = plan_.readers[to_index(i)];
      if (reader >= works || plan_.waits_for[to_index(reader)] != 1) continue;
      const Placing* its = collectives_[to_index(reader)].placing;
      if (its != nullptr && its->sections == placing->sections && its->variants[0].schedule == nullptr)
        follows_[to_index(reader)] = w;
    }
  }
}

// By number.
std::vector<ClassPlay::Complete> ClassPlay::with_followers(std::vector<Complete> together) const {
  const auto holds = [&](int32_t work) {
    return std::ranges::find(together, work, &Complete::work) != together.end();
  };
  for (int32_t w = together[0].work; w < static_cast<int32_t>(follows_.size()); ++w)
    if (follows_[to_index(w)] >= 0 && holds(follows_[to_index(w)]))
      together.push_back({together[0].sections, together[0].section, w});
  std::ranges::sort(together);
  return together;
}

// By speed at first.
void ClassPlay::make_classes() {
  std::map<double, std::vector<int32_t>> by_speed;
  for (int32_t d = 0; d < devices_; ++d) by_speed[machine_.fabric.speed(d)].push_back(d);
  class_of_.resize(to_index(devices_));
  for (auto& [speed, devices] : by_speed) {
    for (const int32_t d : devices) class_of_[to_index(d)] = static_cast<int32_t>(classes_.size());
    classes_.emplace_back(plan_, speed, std::move(devices));
  }
  arrival_of_.assign(to_index(devices_), -1);
}

Result<bool> ClassPlay::run() {
  if (!can_be_told() || !place_collectives()) return false;
  make_classes();
  for (int32_t c = 0; c < static_cast<int32_t>(classes_.size()); ++c) {
    classes_[to_index(c)].begin();
    take_follows(c);
  }
  TRY(const bool began, play_complete());
  if (!began) return false;
  while (!calendar_.empty()) {
    if (stop_.stop_requested()) return cancelled();
    now_ = calendar_.top().first;
    if (now_ > plan_.give_up_after) return too_big("takes longer than the limit");
    while (!calendar_.empty() && calendar_.top().first == now_) {
      const int32_t c = calendar_.top().second;
      calendar_.pop();
      DeviceClass& it = classes_[to_index(c)];
      if (it.next() != now_) continue;  // it went on otherwise
      it.serve(now_);
      take_follows(c);
    }
    TRY(const bool told, play_complete());
    if (!told || !pays()) return false;
  }
  CHECK(std::ranges::all_of(classes_, &DeviceClass::done), "work that never became ready");
  return true;
}

// What a class begins or gets costs about as much as a few events of a play of all.
bool ClassPlay::pays() const {
  constexpr int64_t kFew = 1 << 14, kEvents = 4;
  return done_ < kFew || done_ * kEvents < event_count_;
}

// What came of something that a class began or got.
void ClassPlay::take_follows(int32_t c) {
  const DeviceClass::Follows follows = classes_[to_index(c)].take_follows();
  const std::vector<int32_t>& devices = classes_[to_index(c)].devices;
  event_count_ += static_cast<int64_t>(follows.played.size() * devices.size());
  done_ += static_cast<int64_t>(follows.played.size());
  for (const auto& [end, work] : follows.played)
    last_.take({end, devices.front(), lane_of(plan_.work(work), machine_.fabric), work});
  have(c, follows.ready);
  put_in_calendar(c);
}

void ClassPlay::put_in_calendar(int32_t c) {
  if (const auto next = classes_[to_index(c)].next()) calendar_.push({*next, c});
}

// The devices of a class have what collectives want of them.
void ClassPlay::have(int32_t c, const std::vector<DeviceClass::There>& ready) {
  for (const DeviceClass::There& it : ready) {
    if (follows_[to_index(it.work)] >= 0) continue;
    Collective& to = collectives_[to_index(it.work)];
    const Sections& sections = player_.sections_at(to.placing->sections);
    if (to.waits.empty()) {
      to.waits.assign(to_index(sections.count()), sections.size());
      to.operand_of.resize(to_index(devices_));
    }
    const int32_t operand = to.operands.number(it.at);
    for (const int32_t d : classes_[to_index(c)].devices) {
      to.operand_of[to_index(d)] = operand;
      const int32_t section = sections.section_of(d);
      if (--to.waits[to_index(section)] == 0) complete_.push_back({to.placing->sections, section, it.work});
    }
  }
}

// Plays what has all its operands, until nothing follows at once.
Result<bool> ClassPlay::play_complete() {
  while (!complete_.empty()) {
    if (stop_.stop_requested()) return cancelled();
    std::vector<Complete> all = std::move(complete_);
    complete_.clear();
    std::ranges::sort(all);
    for (size_t begin = 0; begin < all.size();) {
      size_t end = begin + 1;
      while (end < all.size() && all[end].sections == all[begin].sections &&
             all[end].section == all[begin].section)
        ++end;
      TRY(const bool told,
          play_section({all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end)}));
      if (!told) return false;
      begin = end;
    }
    const std::map<int32_t, std::vector<Delivery>> deliveries = std::move(deliveries_);
    deliveries_.clear();
    for (const auto& [work, sections] : deliveries)
      if (!deliver(work, sections)) return false;
  }
  return true;
}

SectionPlayer::Request ClassPlay::section_request(const std::vector<Complete>& together) const {
  SectionPlayer::Request out;
  out.sections = together[0].sections;
  out.section = together[0].section;
  out.uniform = true;
  const Sections& sections = player_.sections_at(out.sections);
  const auto operand = [&](const Complete& it, int32_t place) {
    return collectives_[to_index(it.work)].operand_of[to_index(sections.device(out.section, place))];
  };
  for (const Complete& it : together) {
    const Collective& collective = collectives_[to_index(it.work)];
    out.kinds.push_back(collective.kinds[to_index(collective.placing->variant_of[to_index(out.section)])]);
    const auto before = std::ranges::find(together, follows_[to_index(it.work)], &Complete::work);
    out.after.push_back(before == together.end() ? -1 : static_cast<int32_t>(before - together.begin()));
    if (out.after.back() >= 0) continue;
    const int32_t first = operand(it, 0);
    for (int32_t p = 1; p < sections.size() && out.uniform; ++p) out.uniform = operand(it, p) == first;
  }
  for (const Complete& it : together) {
    if (follows_[to_index(it.work)] >= 0) continue;
    const Collective& collective = collectives_[to_index(it.work)];
    for (int32_t p = 0; p < (out.uniform ? 1 : sections.size()); ++p)
      out.operands.push_back(collective.operands[operand(it, p)]);
  }
  return out;
}

Result<bool> ClassPlay::play_section(const std::vector<Complete>& complete) {
  const std::vector<Complete> together = with_followers(complete);
  const SectionPlayer::Request asked = section_request(together);
  Moment base;
  TRY(const SectionPlay* play, player_.play(asked, base));
  if (play == nullptr || !admit(asked, *play, base.time)) return false;
  count(asked, together, *play, base);
  for (size_t i = 0; i < together.size(); ++i)
    deliveries_[together[i].work].push_back({asked.section, play, i, base});
  return true;
}

void ClassPlay::count(const SectionPlayer::Request& asked, const std::vector<Complete>& together,
                      const SectionPlay& play, const Moment& base) {
  for (size_t i = 0; i < together.size(); ++i) bytes_sent_[to_index(together[i].work)] += play.bytes_sent[i];
  event_count_ += play.events;
  if (play.events == 0) return;
  const Sections& sections = player_.sections_at(asked.sections);
  // Lanes of a section: compute, those of its axes, copy.
  LastEvent event = play.last;
  event.end = event.end.after(base);
  const int axis = sections.axes()[to_index((event.lane - 1) / 2)];
  const auto& lanes = machine_.fabric.lanes();
  const int32_t direction = event.lane % 2 == 1 ? 1 : -1;
  const auto lane =
      std::ranges::find_if(lanes, [&](const Lane& l) { return l.axis == axis && l.direction == direction; });
  event.lane = static_cast<int32_t>(lane - lanes.begin());
  event.device = sections.device(asked.section, event.device);
  event.work = together[to_index(event.work)].work;
  last_.take(event);
}

}  // namespace shardscope::inline scheduler
