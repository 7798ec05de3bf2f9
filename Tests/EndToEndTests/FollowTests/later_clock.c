// Moves ContinuousClock in a Swift program an hour and a minute ahead once the file SEEDBANK_LATER exists. Sleeps keep their
// length, because Dispatch measures them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  const char *file = getenv("SEEDBANK_LATER");
  if (clock == CLOCK_BOOTTIME && file && access(file, F_OK) == 0) time->tv_sec += 3660;
  return result;
}
