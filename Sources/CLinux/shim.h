// What Swift's module of glibc leaves out; from glibc 2.34 on.
#ifndef SEEDBANK_CLINUX_SHIM_H
#define SEEDBANK_CLINUX_SHIM_H

#include <malloc.h>
#include <spawn.h>
#include <time.h>

/// The child keeps no descriptor from `first` on.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/// The child begins in this folder.
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

/// A pipe whose ends have these flags from the start.
int pipe2(int ends[2], int flags);

/// Reads a time by a format of `strftime`.
char *strptime(const char *text, const char *format, struct tm *time);

/// Has an effect on glibc alone.
static inline void seedbank_limit_arenas(int count) {
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, count);
#else
  (void)count;
#endif
}

#endif
