// SeedTrust: digests, Ed25519, TUF metadata, acceptance rules, signing.
//
// Rules of this module:
// - No network and no clock: bytes arrive through closures, and the time is always a parameter. The only files that it
//   accesses are those named by its caller: one to hash (Crypto/), one with a key (Keys/).
// - Cryptography is the platform's, OpenSSL's EVP on Linux and CryptoKit on Apple systems, and is confined to Crypto/;
//   a C pointer never leaves the type that owns it.
// - ECDSA and RSA keys are for other publishers' TUF metadata; Seedbank's publications use only Ed25519.
// - A secret key has no textual form: not in descriptions, not in mirrors, not in errors.
// - Metadata is read strictly and written canonically; unknown members are kept, so a round trip yields the signed
//   bytes.
// - Only `TrustedMetadataSet` decides on acceptance by a client; its opening comment lists the rules. The publisher
//   verifies files that it reads and writes with the same code.
//
// Folders, lowest first: Crypto, Keys, Metadata, Series, Client, Publisher.
