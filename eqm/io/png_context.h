// A libspng context that frees itself. Internal to io; users want png.h.
#pragma once

#include <memory>

#include <spng.h>

#include "eqm/base/error.h"

namespace eqm {

using PngContext = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

// `flags` as spng_ctx_new takes them: 0 reads, SPNG_CTX_ENCODER writes.
inline PngContext make_png_context(int flags) {
  PngContext context(spng_ctx_new(flags), &spng_ctx_free);
  if (!context) throw Error(ErrorKind::internal, "libspng has no memory for a context");
  return context;
}

}  // namespace eqm
