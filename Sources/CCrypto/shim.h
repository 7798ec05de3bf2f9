// OpenSSL 3's EVP surface, its SHA-256 without EVP, which makes hashing a small row a third dearer, and a call to the
// kernel that keeps keys out of memory images.
#ifndef SEEDBANK_CCRYPTO_SHIM_H
#define SEEDBANK_CCRYPTO_SHIM_H

// The plain functions are marked as deprecated in favour of EVP, but are the same code and stay in OpenSSL 3.
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
