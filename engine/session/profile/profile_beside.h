// SPDX-License-Identifier: Apache-2.0
// A profile beside the simulation of the modules that it ran: where a step's time goes, what of it is which
// instruction's, and what each takes longer than simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/measure/import/import_profile.h"
#include "engine/run/run.h"

namespace shardscope::inline session {

// Seconds of a step, mean over devices and steps. step = device + host_gap; device = compute + exposed_comm +
// exposed_copy.
struct StepTime {
  double step_s = 0;
  double device_s = 0;        // the device does something: the union of all its events
  double compute_s = 0;       // kernels of anything but collectives
  double comm_s = 0;          // collectives
  double exposed_comm_s = 0;  // collectives while nothing is computed
  double exposed_copy_s = 0;  // copies and memsets of the copy engine while nothing else happens
  double host_gap_s = 0;      // the device waits for its host
};

struct ProfiledInstruction {
  std::string name, module;
  MeasuredKind kind = MeasuredKind::other;
  double count = 0;       // times a step on a device
  double measured_s = 0;  // of a step
  double wait_s = 0;      // of that: a collective's, until the last device had come
  std::optional<double> simulated_s;
  std::string reason;           // of what it takes longer or shorter
  double sure = 1;              // that these kernels are its, 0…1
  double flops = 0, bytes = 0;  // of a step, 0: not known
  double residual_s() const { return simulated_s ? measured_s - *simulated_s : 0; }
};

struct ProfiledRest {
  std::string name, module;
  std::string why;  // "of another module of the run, which is not known"
  double measured_s = 0;
  double count = 0;
};

struct ProfileBeside {
  std::string title, format, hardware;
  int32_t devices = 0;
  int64_t steps = 1;
  StepTime time;
  double attributed = 1;  // share of the devices' time that has an instruction
  std::optional<double> simulated_s;
  std::vector<ProfiledInstruction> instructions;  // the longest first
  std::vector<ProfiledRest> unmatched;            // the longest first
  std::vector<std::string>
      missing;               // simulated, not in the profile; of several modules with the module's name
  std::vector<RunPtr> runs;  // the modules as simulated, the longest first
  std::shared_ptr<const MeasuredTrace> trace;  // as it was read
  std::vector<std::string> notes;
};

struct ProfileRequest {
  std::vector<std::string> files;
  std::string hlo_file;  // empty: what the profile holds
  std::string hardware;  // empty: by what the profile calls its devices
  std::function<void(const std::string& what, double fraction)> progress = {};
};
// Errors: as import_profile; a chip that is not known.
Result<ProfileBeside> beside_profile(const ProfileRequest& request, const std::stop_token& stop);

std::string beside_json(const ProfileBeside& beside);
std::string beside_text(const ProfileBeside& beside);
// `pictures`: SVG of the simulated side, each with its caption.
struct BesidePicture {
  std::string svg, caption;
};
std::string beside_page(const ProfileBeside& beside, const std::vector<BesidePicture>& pictures);

}  // namespace shardscope::inline session
