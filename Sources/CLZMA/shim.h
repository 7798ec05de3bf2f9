// Swift does not import LZMA_STREAM_INIT, because it is a macro with braces.
#ifndef SEEDBANK_CLZMA_SHIM_H
#define SEEDBANK_CLZMA_SHIM_H

#include <lzma.h>

static inline lzma_stream seedbank_lzma_stream(void) {
  lzma_stream stream = LZMA_STREAM_INIT;
  return stream;
}

#endif
