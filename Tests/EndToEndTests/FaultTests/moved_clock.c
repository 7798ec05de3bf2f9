// Moves the calendar's clock of a program, and of those that it starts, by SEEDBANK_CLOCK_SECONDS. Deadlines of timers and the
// times of files stay true.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long moved(void) {
  const char *seconds = getenv("SEEDBANK_CLOCK_SECONDS");
  return seconds ? atol(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) time->tv_sec += moved();
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  int (*real)(struct timeval *, void *) = dlsym(RTLD_NEXT, "gettimeofday");
  int result = real(time, zone);
  time->tv_sec += moved();
  return result;
}

time_t time(time_t *place) {
  time_t (*real)(time_t *) = dlsym(RTLD_NEXT, "time");
  time_t result = real(NULL) + moved();
  if (place) *place = result;
  return result;
}
