package import SeedTrust

package protocol StreamCodec: AnyObject {
  /// Consumes `input` and passes the output to `sink` in pieces.
  func process(_ input: [UInt8], isLast: Bool, _ sink: ([UInt8]) throws -> Void) throws
}

let codecChunkBytes = 256 * 1024

package enum CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotStart(Int32)
  case damaged
  case truncated
  case trailingBytes
  case otherContent
  case tooLong(limit: Int)
  /// Apple's library cannot compress xz.
  case noEncoder(ContentEncoding)

  package var description: String {
    switch self {
    case .cannotStart(let code): "the compression library could not be started (\(code))"
    case .damaged: "the compressed content is damaged"
    case .truncated: "the compressed content ends too early"
    case .trailingBytes: "bytes follow the end of the compressed content"
    case .otherContent: "the content does not match its announced length and hash"
    case .tooLong(let limit): "the content is longer than the announced \(limit) bytes"
    case .noEncoder(let encoding):
      "this system cannot compress to \(encoding.rawValue): choose gzip, or publish on Linux"
    }
  }
}
