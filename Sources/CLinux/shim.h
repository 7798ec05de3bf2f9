// Functions that Swift's Glibc module lacks. They require glibc 2.34 or later.
#ifndef SEEDBANK_CLINUX_SHIM_H
#define SEEDBANK_CLINUX_SHIM_H

#include <malloc.h>
#include <spawn.h>
#include <time.h>

/// Closes the child's descriptors from `first` on.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/// Sets the child's working directory.
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

/// Creates a pipe whose two ends have these flags from the start.
int pipe2(int ends[2], int flags);

/// Parses a time in a format of `strftime`.
char *strptime(const char *text, const char *format, struct tm *time);

/// Limits the number of malloc arenas. Has no effect on C libraries other than glibc.
static inline void seedbank_limit_arenas(int count) {
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, count);
#else
  (void)count;
#endif
}

/// Returns free memory to the system. By default, glibc returns only memory at the end of an arena.
static inline void seedbank_return_memory(void) {
#ifdef M_TRIM_THRESHOLD
  malloc_trim(0);
#endif
}

#endif
