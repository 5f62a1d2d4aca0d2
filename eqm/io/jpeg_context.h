// A TurboJPEG instance that frees itself. Internal to io; users want jpeg.h.
#pragma once

#include <memory>
#include <type_traits>

#include <turbojpeg.h>

#include "eqm/base/error.h"

namespace eqm {

using JpegContext = std::unique_ptr<std::remove_pointer_t<tjhandle>, decltype(&tjDestroy)>;

// `handle` as tjInitCompress() or tjInitDecompress() gives it.
inline JpegContext own_jpeg_context(tjhandle handle) {
  if (handle == nullptr) throw Error(ErrorKind::internal, "TurboJPEG has no memory for a context");
  return {handle, &tjDestroy};
}

}  // namespace eqm
