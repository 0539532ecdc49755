// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"

namespace shardscope {

std::string Error::text() const {
  std::string out = what;
  if (!where.empty()) out += "; " + where;
  if (!fix.empty()) out += "; " + fix;
  return out;
}

Error invalid(std::string what, std::string where, std::string fix) {
  return {ErrorKind::invalid, std::move(what), std::move(where), std::move(fix)};
}
Error io_error(std::string what, std::string where, std::string fix) {
  return {ErrorKind::io, std::move(what), std::move(where), std::move(fix)};
}
Error too_big(std::string what, std::string where, std::string fix) {
  return {ErrorKind::too_big, std::move(what), std::move(where), std::move(fix)};
}
Error cancelled(std::string what) {
  return {ErrorKind::cancelled, std::move(what), "", ""};
}

}  // namespace shardscope
