// Preloaded into a program under test: counts the operations that change files, and fails one of them.
//
// One counter for all threads and all calls, so that "the n-th operation" means the same in every run.
// SEEDBANK_FAULT=kill:N, eio:N, enospc:N, eio-on:N or enospc-on:N (from N on); absent: nothing fails.
// SEEDBANK_FAULT_ON=WORD: only operations on paths with that word count, and may fail.
// SEEDBANK_FAULT_WHILE=PATH: only operations while there is such a file count, and may fail.
// SEEDBANK_FAULT_COUNT=PATH takes the number of operations when the process exits.
// SEEDBANK_FAULT_LOG=PATH takes every operation that succeeded, in order: a line of the operation's name, the path, a
// second path or nothing, an offset and a length, parted by tabs; behind that line so many bytes, where it is a write.
// SEEDBANK_FAULT_READS=PATH: while there is such a file, the pages of a seed.sqlite behind its first cannot be read.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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
static int fails(const char *path) {
  const char *word = getenv("SEEDBANK_FAULT_ON");
  if (word && !strstr(path, word)) return 0;
  const char *sign = getenv("SEEDBANK_FAULT_WHILE");
  if (sign && access(sign, F_OK) != 0) return 0;
  long number = atomic_fetch_add(&operations, 1) + 1;
  if (!fault_at || (fault_stays ? number < fault_at : number != fault_at)) return 0;
  if (fault_kills) raise(SIGKILL);
  errno = fault_errno;
  return 1;
}

static int log_descriptor = -1;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t write_really(int descriptor, const void *bytes, size_t count) {
  static __typeof__(&write) real;
  if (!real) real = (__typeof__(&write))dlsym(RTLD_NEXT, "write");
  return real(descriptor, bytes, count);
}

__attribute__((constructor)) static void open_log(void) {
  const char *path = getenv("SEEDBANK_FAULT_LOG");
  __typeof__(&open) real = (__typeof__(&open))dlsym(RTLD_NEXT, "open");
  if (path) log_descriptor = real(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

// Held from before an operation until it is logged, so that the log has the order in which things happened.
static void begin_logged(void) {
  if (log_descriptor >= 0) pthread_mutex_lock(&log_lock);
}

static void end_logged(int succeeded, const char *name, const char *path, const char *other, long offset,
                       const void *bytes, long length) {
  if (log_descriptor < 0) return;
  int number = errno;
  char line[8500];
  int count = snprintf(line, sizeof line, "%s\t%s\t%s\t%ld\t%ld\n", name, path, other, offset, length);
  if (succeeded) {
    write_really(log_descriptor, line, (size_t)count);
    if (bytes) write_really(log_descriptor, bytes, (size_t)length);
  }
  pthread_mutex_unlock(&log_lock);
  errno = number;
}

// The path that a descriptor's file has now.
static const char *path_of(int descriptor, char *buffer, size_t capacity) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = log_descriptor < 0 && !getenv("SEEDBANK_FAULT_ON") ? 0 : readlink(link, buffer, capacity - 1);
  buffer[length < 0 ? 0 : length] = 0;
  return buffer;
}

// Pipes, terminals and sockets are not what is tested, nor is what a program prints.
static int is_file(int descriptor) {
  struct stat status;
  return descriptor > STDERR_FILENO && fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

// `offset`, `bytes` and `length` tell the log of the call, which sees the parameters and `result`.
#define ON_DESCRIPTOR(type, name, operation, parameters, arguments, offset, bytes, length) \
  type name parameters { \
    REAL(name); \
    if (!is_file(descriptor)) return real arguments; \
    char buffer[4096]; \
    if (fails(path_of(descriptor, buffer, sizeof buffer))) return -1; \
    begin_logged(); \
    long start = offset; \
    type result = real arguments; \
    end_logged(result >= 0, operation, path_of(descriptor, buffer, sizeof buffer), "", start, bytes, length); \
    return result; \
  }

#define ON_PATH(name, parameters, arguments, other) \
  int name parameters { \
    REAL(name); \
    if (fails(path)) return -1; \
    begin_logged(); \
    int result = real arguments; \
    end_logged(result == 0, #name, path, other, 0, NULL, 0); \
    return result; \
  }

ON_DESCRIPTOR(ssize_t, write, "write", (int descriptor, const void *bytes, size_t count), (descriptor, bytes, count),
              lseek(descriptor, 0, SEEK_CUR), bytes, result)
ON_DESCRIPTOR(ssize_t, pwrite, "write", (int descriptor, const void *bytes, size_t count, off_t offset),
              (descriptor, bytes, count, offset), offset, bytes, result)
ON_DESCRIPTOR(ssize_t, pwrite64, "write", (int descriptor, const void *bytes, size_t count, off64_t offset),
              (descriptor, bytes, count, offset), offset, bytes, result)
ON_DESCRIPTOR(int, fsync, "sync", (int descriptor), (descriptor), 0, NULL, 0)
ON_DESCRIPTOR(int, fdatasync, "sync", (int descriptor), (descriptor), 0, NULL, 0)
ON_DESCRIPTOR(int, ftruncate, "truncate", (int descriptor, off_t length), (descriptor, length), length, NULL, 0)
ON_DESCRIPTOR(int, ftruncate64, "truncate", (int descriptor, off64_t length), (descriptor, length), length, NULL, 0)

ON_PATH(rename, (const char *path, const char *destination), (path, destination), destination)
ON_PATH(unlink, (const char *path), (path), "")
ON_PATH(rmdir, (const char *path), (path), "")
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode), "")

#define ON_OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if (!(flags & (O_CREAT | O_TRUNC))) return real(path, flags, mode); \
    if (fails(path)) return -1; \
    begin_logged(); \
    int result = real(path, flags, mode); \
    end_logged(result >= 0, flags & O_TRUNC ? "replace" : "create", path, "", 0, NULL, 0); \
    return result; \
  }

ON_OPEN(open)
ON_OPEN(open64)

static int read_fails(int descriptor, off64_t offset) {
  static const char name[] = "/seed.sqlite";
  const char *sign = getenv("SEEDBANK_FAULT_READS");
  if (!sign || offset < 4096 || access(sign, F_OK) != 0) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path), tail = sizeof name - 1;
  if (length < tail || memcmp(path + length - tail, name, (size_t)tail) != 0) return 0;
  errno = EIO;
  return 1;
}

#define ON_READ(name, type) \
  ssize_t name(int descriptor, void *bytes, size_t count, type offset) { \
    REAL(name); \
    return read_fails(descriptor, offset) ? -1 : real(descriptor, bytes, count, offset); \
  }

ON_READ(pread, off_t)
ON_READ(pread64, off64_t)
