// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/hardware/fabric.h"
#include "engine/mesh/mesh.h"
#include "engine/plan/sections.h"
#include "engine/plan/work.h"

namespace shardscope::inline planner {

// The axes of a mesh whose turns turn all of a run into itself: devices that such turns bring to each other
// do the same at the same times, so one of each class is played for all of it. Of a class that is the device
// with the coordinate 0 on the turning axes: along these one device stands for all, along the others (open
// ones, those of schedules that differ from rank to rank) each is played.
class Symmetry {
 public:
  // Nothing when every axis has something that its turns would change: a link that it lacks, a slow chip,
  // groups or a schedule that differ from device to device. What of it depends on queues only, the simulation
  // sees.
  static std::optional<Symmetry> find(const Mesh& mesh, const Fabric& fabric, const WorkPlan& plan);

  // Those that are played, in order; how many devices each of them stands for.
  const std::vector<int32_t>& played() const { return played_; }
  int32_t turns() const { return classes_.size(); }
  // By device, the one played for it, as a place in played().
  const std::vector<int32_t>& places() const { return classes_.by_device(); }
  int32_t place(int32_t device) const { return classes_.section_of(device); }
  // By how much a device is turned against the one played for it.
  int32_t turn_of(int32_t device) const { return device - played_[static_cast<size_t>(place(device))]; }
  // One of these by its number, and back.
  int32_t turn(int32_t number) const { return classes_.device(0, number); }
  int32_t turn_number(int32_t turn) const { return classes_.place_of(turn); }

  // Which of a group's ranks are played.
  enum class Ranks : uint8_t {
    one,           // of the played device: its axes turn
    each,          // all of its devices are played
    where_played,  // ranks are devices, of which some are played
  };
  Ranks ranks_of(int32_t work) const { return ranks_[static_cast<size_t>(work)]; }

  // `device` moved on by a turn.
  int32_t turned(int32_t device, int32_t by) const;
  // The turn from where `from` is on the turning axes to where `to` is.
  int32_t between(int32_t from, int32_t to) const;
  // The lane of `device` that does what `lane` of another one does: chips of an axis of two have one link
  // each, up from the first, down from the second.
  int32_t lane_on(int32_t lane, int32_t device) const;

 private:
  explicit Symmetry(const Mesh& mesh, const Fabric& fabric);
  void keep_axes_of_chips(const Mesh& mesh, const Fabric& fabric);
  void keep_axes_of_works(const WorkPlan& plan);
  bool turns_nodes(const Fabric& fabric, size_t axis) const;
  bool turns_groups(const Work& work, size_t axis) const;
  bool turns_schedule(const Work& work, size_t axis) const;
  bool stops_a_part(const Work& work);
  void choose_played(const Mesh& mesh, const Fabric& fabric);
  bool place_groups(const WorkPlan& plan);
  int32_t next(int32_t device, size_t axis) const;

  int32_t devices_ = 1;
  struct Axis {
    int32_t size = 1, stride = 1;
    bool turns = false;
  };
  std::vector<Axis> axes_;     // of the mesh
  std::vector<Axis> turning_;  // those that turn
  struct PairLane {
    int32_t up = -1;     // of a turning axis of two; the other one is up + 1
    int32_t stride = 1;  // of its chips
  };
  std::vector<PairLane> pair_lanes_;
  std::vector<int32_t> chip_of_;
  Sections classes_;  // along the axes that turn
  std::vector<int32_t> played_;
  std::vector<Ranks> ranks_;  // by work
};

}  // namespace shardscope::inline planner
