/*
 * The clock of one process, moved. A program that is started with this library preloaded sees its
 * date shifted by as many microseconds as the file says that TEST_CLOCK names, at every look anew.
 * Its monotonic clock is as it was.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t none;
static volatile int64_t *shift = &none;

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("TEST_CLOCK");
  int file = name ? open(name, O_RDONLY) : -1;
  void *memory = file < 0 ? MAP_FAILED : mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  if (memory != MAP_FAILED) shift = memory;
}

/* By the system call: what a library does for it may look at the clock. */
int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = (int) syscall(SYS_clock_gettime, clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t micros = *shift + now->tv_nsec / 1000;
    int64_t seconds = micros / 1000000 - (micros % 1000000 < 0);
    now->tv_sec += seconds;
    now->tv_nsec = (micros - seconds * 1000000) * 1000 + now->tv_nsec % 1000;
  }
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec time;
  (void) zone;
  clock_gettime(CLOCK_REALTIME, &time);
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  if (now) *now = time.tv_sec;
  return time.tv_sec;
}
