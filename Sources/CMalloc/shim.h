// What Swift's module of glibc leaves out: the settings of its allocator.
#ifndef SEEDBANK_CMALLOC_SHIM_H
#define SEEDBANK_CMALLOC_SHIM_H

#include <malloc.h>

/// Has an effect on glibc alone.
static inline void seedbank_limit_arenas(int count) {
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, count);
#else
  (void)count;
#endif
}

#endif
