// Preloaded into a program under test: counts the operations that change files, and fails one of them.
//
// One counter for all threads and all calls, so that "the n-th operation" means the same in every run.
// SEEDBANK_FAULT=kill:N, eio:N, enospc:N, eio-on:N or enospc-on:N (from N on); absent: nothing fails.
// SEEDBANK_FAULT_COUNT=PATH takes the number of operations when the process exits.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long operations;
static long fault_at;
static int fault_errno;
static int fault_kills;
static int fault_stays;

__attribute__((constructor)) static void read_fault(void) {
  const char *fault = getenv("SEEDBANK_FAULT");
  const char *colon = fault ? strchr(fault, ':') : NULL;
  if (!colon) return;
  fault_at = atol(colon + 1);
  fault_kills = strncmp(fault, "kill", 4) == 0;
  fault_errno = strncmp(fault, "enospc", 6) == 0 ? ENOSPC : EIO;
  fault_stays = strncmp(colon - 3, "-on", 3) == 0;
}

__attribute__((destructor)) static void write_count(void) {
  const char *path = getenv("SEEDBANK_FAULT_COUNT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", atomic_load(&operations));
  fclose(file);
}

// True where this operation has to fail; errno says why.
static int fails(void) {
  long number = atomic_fetch_add(&operations, 1) + 1;
  if (!fault_at || (fault_stays ? number < fault_at : number != fault_at)) return 0;
  if (fault_kills) raise(SIGKILL);
  errno = fault_errno;
  return 1;
}

// Pipes, terminals and sockets are not what is tested.
static int is_file(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define ON_DESCRIPTOR(result, name, parameters, arguments) \
  result name parameters { \
    REAL(name); \
    if (is_file(descriptor) && fails()) return -1; \
    return real arguments; \
  }

#define ON_PATH(name, parameters, arguments) \
  int name parameters { \
    REAL(name); \
    if (fails()) return -1; \
    return real arguments; \
  }

ON_DESCRIPTOR(ssize_t, write, (int descriptor, const void *bytes, size_t count), (descriptor, bytes, count))
ON_DESCRIPTOR(ssize_t, pwrite, (int descriptor, const void *bytes, size_t count, off_t offset),
              (descriptor, bytes, count, offset))
ON_DESCRIPTOR(ssize_t, pwrite64, (int descriptor, const void *bytes, size_t count, off64_t offset),
              (descriptor, bytes, count, offset))
ON_DESCRIPTOR(int, fsync, (int descriptor), (descriptor))
ON_DESCRIPTOR(int, fdatasync, (int descriptor), (descriptor))
ON_DESCRIPTOR(int, ftruncate, (int descriptor, off_t length), (descriptor, length))
ON_DESCRIPTOR(int, ftruncate64, (int descriptor, off64_t length), (descriptor, length))

ON_PATH(rename, (const char *path, const char *destination), (path, destination))
ON_PATH(unlink, (const char *path), (path))
ON_PATH(rmdir, (const char *path), (path))
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode))

#define ON_OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if ((flags & (O_CREAT | O_TRUNC)) && fails()) return -1; \
    return real(path, flags, mode); \
  }

ON_OPEN(open)
ON_OPEN(open64)
