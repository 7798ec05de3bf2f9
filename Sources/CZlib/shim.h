// Swift does not import zlib.h's initialisers, because they are macros that add zlib's version and the struct's size.
#ifndef SEEDBANK_CZLIB_SHIM_H
#define SEEDBANK_CZLIB_SHIM_H

#include <zlib.h>

/// Window bits 15 + 16: a gzip wrapper around deflate.
static inline int seedbank_gzip_deflate_init(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

/// Window bits -15: deflate without a wrapper.
static inline int seedbank_raw_deflate_init(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

/// Window bits 15 + 16: accepts only gzip, not a bare zlib stream.
static inline int seedbank_gzip_inflate_init(z_stream *stream) {
  return inflateInit2(stream, 15 + 16);
}

#endif
