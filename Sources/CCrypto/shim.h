// OpenSSL 3's EVP surface. Nothing to mend yet: one header so that Swift sees no more than this.
#ifndef SEEDBANK_CCRYPTO_SHIM_H
#define SEEDBANK_CCRYPTO_SHIM_H

#include <openssl/err.h>
#include <openssl/evp.h>

#endif
