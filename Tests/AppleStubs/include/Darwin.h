// What the sources use of Apple's C library, as its manual pages describe it.
#ifndef SEEDBANK_STUB_DARWIN_H
#define SEEDBANK_STUB_DARWIN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef int32_t dev_t;
typedef uint64_t ino_t;
typedef uint16_t mode_t;
typedef uint16_t nlink_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef long time_t;
typedef unsigned int nfds_t;
typedef int errno_t;
typedef size_t rsize_t;
typedef uint64_t rlim_t;

struct timespec {
  time_t tv_sec;
  long tv_nsec;
};

struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  char *tm_zone;
};

struct stat {
  dev_t st_dev;
  mode_t st_mode;
  nlink_t st_nlink;
  ino_t st_ino;
  uid_t st_uid;
  gid_t st_gid;
  struct timespec st_atimespec;
  struct timespec st_mtimespec;
  struct timespec st_ctimespec;
  struct timespec st_birthtimespec;
  off_t st_size;
};

struct passwd {
  char *pw_name;
  uid_t pw_uid;
};

struct pollfd {
  int fd;
  short events;
  short revents;
};

struct dirent {
  ino_t d_ino;
  uint16_t d_namlen;
  uint8_t d_type;
  char d_name[1024];
};

struct rlimit {
  rlim_t rlim_cur;
  rlim_t rlim_max;
};

typedef struct _dir DIR;

typedef struct {
  long sig;
  char opaque[56];
} pthread_mutex_t;

typedef struct {
  long sig;
  char opaque[8];
} pthread_mutexattr_t;

int stat(const char *path, struct stat *status);
int lstat(const char *path, struct stat *status);
int fstat(int descriptor, struct stat *status);
#define FNM_NOESCAPE 0x01
#define FNM_PATHNAME 0x02
int fnmatch(const char *pattern, const char *text, int flags);
struct tm *gmtime_r(const time_t *time, struct tm *parts);
char *strptime(const char *text, const char *format, struct tm *parts);
time_t timegm(struct tm *parts);
size_t strftime(char *text, size_t size, const char *format, const struct tm *parts);
uid_t geteuid(void);
int getpwuid_r(uid_t user, struct passwd *entry, char *texts, size_t size, struct passwd **found);
int close(int descriptor);
int usleep(unsigned int microseconds);
ssize_t read(int descriptor, void *buffer, size_t count);
ssize_t write(int descriptor, const void *buffer, size_t count);
ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset);
int fsync(int descriptor);
int flock(int descriptor, int operation);
int chmod(const char *path, mode_t mode);
int fchmod(int descriptor, mode_t mode);
int fchown(int descriptor, uid_t user, gid_t group);
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGBUS 10
#define SIGSEGV 11
void (*signal(int number, void (*handler)(int)))(int);
typedef enum { _CLOCK_MONOTONIC = 6, _CLOCK_THREAD_CPUTIME_ID = 16 } clockid_t;
static const clockid_t CLOCK_MONOTONIC = _CLOCK_MONOTONIC;
static const clockid_t CLOCK_THREAD_CPUTIME_ID = _CLOCK_THREAD_CPUTIME_ID;
int clock_gettime(clockid_t clock, struct timespec *time);
int poll(struct pollfd *descriptors, nfds_t count, int milliseconds);
int access(const char *path, int mode);
int mkdir(const char *path, mode_t mode);
int rmdir(const char *path);
int unlink(const char *path);
int rename(const char *path, const char *destination);
DIR *opendir(const char *path);
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);
char *strerror(int number);
long sysconf(int name);
int mlock(const void *start, size_t length);
int munlock(const void *start, size_t length);
errno_t memset_s(void *start, rsize_t size, int value, rsize_t count);
int setrlimit(int resource, const struct rlimit *limit);
time_t time(time_t *_Nullable result);
int pthread_mutex_init(pthread_mutex_t *_Nonnull mutex, const pthread_mutexattr_t *_Nullable attributes);
int pthread_mutex_destroy(pthread_mutex_t *_Nonnull mutex);
int pthread_mutex_lock(pthread_mutex_t *_Nonnull mutex);
int pthread_mutex_trylock(pthread_mutex_t *_Nonnull mutex);
int pthread_mutex_unlock(pthread_mutex_t *_Nonnull mutex);
int memcmp(const void *left, const void *right, size_t count);

#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define ENFILE 23
#define EMFILE 24
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define ELOOP 62
#define ENAMETOOLONG 63
#define EDQUOT 69

#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x0004
#define O_APPEND 0x0008
#define O_NOFOLLOW 0x0100
#define O_CREAT 0x0200
#define O_TRUNC 0x0400
#define O_EXCL 0x0800
#define O_EVTONLY 0x8000
#define O_CLOEXEC 0x1000000

#define F_FULLFSYNC 51
#define F_DUPFD_CLOEXEC 67
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
#define F_OK 0
#define POLLIN 0x0001
#define RLIMIT_CORE 4
#define _SC_PAGESIZE 29

#endif
