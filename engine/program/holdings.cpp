// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis.h"

namespace shardscope {

const std::vector<HeldPiece>& Holdings::at(InstructionId instruction, DeviceId device) const {
  return pieces_[static_cast<size_t>(instruction.value * devices_ + device.value)];
}

Result<Holdings> Holdings::trace(const Program& program) {
  Holdings holdings;
  holdings.devices_ = program.mesh.device_count();
  holdings.pieces_.resize(program.entry_computation().instructions.size() * static_cast<size_t>(holdings.devices_));
  return holdings;
}

}  // namespace shardscope
