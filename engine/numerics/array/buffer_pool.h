// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "engine/numerics/array/array.h"

namespace shardscope::inline numerics {

// Memory that is used again: an array taken from the pool goes back to it when its last owner lets go, so
// that a program executed twice touches fresh pages once. An array may lie in a buffer that is a little
// larger. Copies of a pool are the same pool. For one thread: take arrays and let go of them on the same one.
class BufferPool {
 public:
  BufferPool();
  // Keeps all that was ever taken: what lies in it stays where it is.
  static BufferPool of_everything();
  Array take(ElementType type, std::vector<int64_t> dims);
  // What nobody has goes back to the system, all but a little.
  void trim();
  int64_t taken() const;  // bytes, of all that was asked for
  bool whole() const;     // nothing that was taken went back to the system

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace shardscope::inline numerics
