#if canImport(CCrypto)
import CCrypto
#endif

package enum CryptoLibrary {
  /// Disables OpenSSL's cleanup at exit, which would crash a thread that is still verifying. Must be the process's
  /// first call of OpenSSL.
  package static func prepare() { _ = isPrepared }

  #if canImport(CCrypto)
  private static let isPrepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
  #else
  private static let isPrepared = true
  #endif
}
