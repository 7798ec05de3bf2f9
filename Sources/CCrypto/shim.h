// OpenSSL 3's EVP surface, and its SHA-256 without EVP, which makes hashing a small row a third dearer.
#ifndef SEEDBANK_CCRYPTO_SHIM_H
#define SEEDBANK_CCRYPTO_SHIM_H

// The plain functions are marked as deprecated in favour of EVP, but are the same code and stay in OpenSSL 3.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#endif
