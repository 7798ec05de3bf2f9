// OpenSSL 3's EVP functions; its plain SHA-256, because EVP takes a third longer for a small row; and a system call
// that keeps keys out of core dumps.
#ifndef SEEDBANK_CCRYPTO_SHIM_H
#define SEEDBANK_CCRYPTO_SHIM_H

// OpenSSL 3 marks the plain functions as deprecated in favour of EVP, but they run the same code and remain available.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include <sys/prctl.h>

// Swift does not import functions that take a variable number of arguments.
static inline void seedbank_forbid_dumps(void) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

#endif
