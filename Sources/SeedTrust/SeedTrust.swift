// SeedTrust: digests, public keys, TUF metadata, acceptance rules. It has no private key: see SeedSigning.
//
// Rules of this module:
// - No network and no clock: bytes arrive through closures, and the time is always a parameter. The only file that
//   the module accesses is a file to hash, which the caller names.
// - Cryptography is the platform's: OpenSSL's EVP on Linux, CryptoKit on Apple systems. It is confined to
//   CryptoKit.swift, OpenSSL.swift and PublicKey.swift; a C pointer never leaves the type that owns it.
// - ECDSA and RSA keys are for other publishers' TUF metadata; Seedbank's publications use only Ed25519.
// - Metadata is read strictly and written canonically; signed unknown members are kept, so a round trip yields the
//   signed bytes.
// - Only `TrustedMetadataSet` decides on acceptance by a client; its opening comment lists the rules. The publisher
//   verifies files that it reads and writes with the same code.
