// What Swift cannot import from lzma.h: the stream's initialiser is a brace macro.
#ifndef SEEDBANK_CLZMA_SHIM_H
#define SEEDBANK_CLZMA_SHIM_H

#include <lzma.h>

/// LZMA_STREAM_INIT as a value.
static inline lzma_stream seedbank_lzma_stream(void) {
  lzma_stream stream = LZMA_STREAM_INIT;
  return stream;
}

#endif
