#if canImport(CCrypto)
import CCrypto
#endif

/// The library that hashes and verifies, as a whole.
package enum CryptoLibrary {
  /// Keeps OpenSSL from cleaning up when the process ends: a thread that still verifies then would crash. It has to be the
  /// first call of that library in the process.
  package static func prepare() { _ = isPrepared }

  #if canImport(CCrypto)
  private static let isPrepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
  #else
  private static let isPrepared = true
  #endif
}
