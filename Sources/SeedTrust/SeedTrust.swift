// SeedTrust: digests, Ed25519, TUF metadata, acceptance rules, signing.
//
// Rules of this module:
// - No network and no clock: bytes come in through closures, and the time is a parameter everywhere. The only
//   files it touches are those named by its caller: one to be hashed (Crypto/), one that holds a key (Keys/).
// - Cryptography is the platform's: OpenSSL's EVP on Linux, CryptoKit on Apple systems. Both live in Crypto/
//   and nowhere else; a C pointer never leaves the type that owns it.
// - ECDSA and RSA keys are for the metadata of other TUF publishers; a publication of ours has Ed25519 alone.
// - A secret key has no textual form: not in descriptions, not in mirrors, not in errors.
// - Metadata is read strictly and written canonically. What a reader does not know it keeps, so that reading
//   and writing again yields the signed bytes.
// - What a client accepts is decided in one place, `TrustedMetadataSet`, whose opening comment is the law.
//   The publisher's own reader and its check before a file is handed out go through the same code.
//
// Rooms, from the ground up: Crypto, Keys, Metadata, Series, Client, Publisher.
