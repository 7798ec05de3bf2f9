import CCrypto
package import SeedFormat
package struct SHA256Hasher: ~Copyable {
  let c = EVP_MD_CTX_new()
  let md = EVP_sha256()
  package init() { EVP_DigestInit_ex(c, md, nil) }
  deinit { EVP_MD_CTX_free(c) }
  package mutating func update(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { EVP_DigestUpdate(c, $0.baseAddress, $0.count) } }
  package mutating func update(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(c, bytes.baseAddress, bytes.count) }
  package mutating func finish() -> SHA256Digest {
    var out = [UInt8](repeating: 0, count: 32); var n: UInt32 = 0
    EVP_DigestFinal_ex(c, &out, &n); EVP_DigestInit_ex(c, md, nil)
    return try! SHA256Digest(bytes: out)
  }
}
extension SHA256Digest { package static func of(_ b: [UInt8]) -> SHA256Digest { var h = SHA256Hasher(); h.update(b); return h.finish() } }
package enum ContentEncoding: String, Hashable, Sendable, CaseIterable { case gzip, xz }
