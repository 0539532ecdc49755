// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <string>

#include "engine/kernels/machine/replay.h"
#include "engine/kernels/time/stand_in.h"
#include "engine/kernels/time/time.h"
#include "engine/run/kernel/kernel_time.h"

namespace shardscope::inline window {

// What the kernel dock looks at: a kernel, what it is built for, and the schedule it runs under.
struct KernelChoice {
  std::string kernel;
  std::string text;  // not empty: it is the kernel's, which is not in the catalogue
  kernels::KernelOptions options;
  std::optional<kernels::Policy> policy;  // none: as the seed mixes them
  uint64_t seed = 0;
  std::string hardware;  // preset or file
  kernels::KernelWraps wraps = kernels::KernelWraps::of_chip;
  bool operator==(const KernelChoice&) const = default;
};
constexpr uint64_t kKernelInputSeed = 0;  // every schedule works on the same numbers
kernels::Schedule schedule_of(const KernelChoice& choice);
Result<kernels::KernelEntry> entry_of(const KernelChoice& choice);

// "4" is a ring of four, else as in x=2,y=2; nothing for one device.
Result<Mesh> parse_kernel_mesh(const QString& text, const kernels::KernelEntry& entry);
QString kernel_mesh_text(const Mesh& mesh);

// One line for the settings and back; none for a line that says nothing (any more).
QString choice_text(const KernelChoice& choice);
std::optional<KernelChoice> parse_choice(const QString& text);

// One run of the choice, ready to be stepped through, with its time on the chip. Immutable.
struct ShownKernel {
  KernelChoice choice;
  kernels::KernelOptions options;  // the choice's, within the chip's hbm
  kernels::KernelEntry entry;
  KernelLayout layout;
  std::shared_ptr<const kernels::KernelReplay> replay;  // none: too large to be stepped through
  std::string no_replay;                                // then why
  std::optional<KernelTime> time;
  std::string no_time;               // why there is none
  std::optional<KernelLayout> twin;  // of a broken kernel: what mends it, on the same sizes
};
using ShownKernelPtr = std::shared_ptr<const ShownKernel>;

// Errors: an unknown kernel or chip, sizes that the kernel refuses.
Result<ShownKernelPtr> show_kernel(const KernelChoice& choice);

}  // namespace shardscope::inline window
