// Preloaded into a program under test: counts libcrypto's calls that can reach a secret key, and crashes in one of them.
//
// SEEDBANK_CRASH=segfault:N or rejection:N: the N-th call uses a bad address while registers point to the key, or fails;
// freeing a key cannot fail, so it aborts.
// SEEDBANK_CRASH_LOG=PATH takes a line for each call: its key in hexadecimal digits, even if the key has no file yet.
// SEEDBANK_CRASH_REPORT=1: the program cannot turn off the crash reporter of Swift's runtime.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { key_bytes = 32 };

static atomic_long calls;
// A key is used on the thread that took it, while its bytes stay in place.
static _Thread_local const unsigned char *secret;
static _Thread_local void *key;

static void log_call(void) {
  const char *path = getenv("SEEDBANK_CRASH_LOG");
  int descriptor = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (descriptor < 0) return;
  char line[2 * key_bytes + 2];
  for (int index = 0; index < key_bytes; index++) sprintf(line + 2 * index, "%02x", secret[index]);
  line[2 * key_bytes] = '\n';
  if (write(descriptor, line, 2 * key_bytes + 1) < 0) abort();
  close(descriptor);
}

__attribute__((noinline)) static void use_bad_address(const void *one, const void *two, const void *three) {
  __asm__ volatile("" : : "r"(one), "r"(two), "r"(three));
  *(volatile char *)0 = 1;
}

// True if this call has to fail.
static int fails(void) {
  log_call();
  long number = atomic_fetch_add(&calls, 1) + 1;
  const char *fault = getenv("SEEDBANK_CRASH");
  const char *colon = fault ? strchr(fault, ':') : NULL;
  if (!colon || atol(colon + 1) != number) return 0;
  if (strncmp(fault, "segfault", 8) == 0) use_bad_address(secret, secret, secret);
  return 1;
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define ON_KEY(name, parameters, arguments) \
  int name parameters { \
    REAL(name); \
    return fails() ? 0 : real arguments; \
  }

void *EVP_PKEY_new_raw_private_key_ex(void *library, const char *type, const char *query, const unsigned char *bytes,
                                      size_t count) {
  REAL(EVP_PKEY_new_raw_private_key_ex);
  secret = bytes;
  return fails() ? NULL : (key = real(library, type, query, bytes, count));
}

ON_KEY(EVP_PKEY_get_raw_public_key, (const void *of, unsigned char *bytes, size_t *count), (of, bytes, count))
ON_KEY(EVP_DigestSignInit, (void *context, void *options, const void *digest, void *engine, void *with),
       (context, options, digest, engine, with))
ON_KEY(EVP_DigestSign, (void *context, unsigned char *signature, size_t *length, const unsigned char *text, size_t count),
       (context, signature, length, text, count))

void EVP_PKEY_free(void *freed) {
  REAL(EVP_PKEY_free);
  if (freed && freed == key) {
    if (fails()) abort();
    key = NULL;
  }
  real(freed);
}

void (*signal(int number, void (*handler)(int)))(int) {
  REAL(signal);
  return getenv("SEEDBANK_CRASH_REPORT") ? SIG_DFL : real(number, handler);
}
