// What Swift's module of glibc leaves out, for programs that are started; from glibc 2.34 on.
#ifndef SEEDBANK_CSPAWN_SHIM_H
#define SEEDBANK_CSPAWN_SHIM_H

#include <spawn.h>

/// The child keeps no descriptor from `first` on.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/// The child begins in this folder.
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

/// A pipe whose ends have these flags from the start.
int pipe2(int ends[2], int flags);

#endif
