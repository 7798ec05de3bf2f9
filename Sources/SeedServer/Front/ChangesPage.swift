import SeedDatabase
import SeedFormat
import SeedHTTP
import SeedTrust

/// What an answer of `changes` depends on. The chain may be another one at the same head; it leads to the
/// same rows.
struct ChangesKey: Hashable {
  let series: Series
  let epoch: Epoch
  let since: Version
  let head: Version
}

/// One answer of `changes`: deltas from `since` towards the head, as stored.
///
/// It is kept as gzip only, joined of what is stored without compressing anything. Who does not read gzip gets
/// the same bytes, expanded while they are sent.
struct ChangesPage: Sendable {
  /// The document as one gzip member.
  let gzip: ServedDocument
  /// Bytes of the document without compression.
  let rawLength: Int
  /// The version that its client has then.
  let to: Version
  /// Whether that is not the head yet.
  let hasMore: Bool

  /// Takes as many deltas of the chain as fit into `limit` raw bytes, and at least one.
  init(
    _ key: ChangesKey, _ chain: [PublishedObject], upTo limit: Int,
    read: (PublishedObject) throws -> [UInt8]
  ) throws {
    let deltas = Self.prefix(of: chain, upTo: limit)
    to = deltas.last?.version ?? key.since
    hasMore = deltas.count < chain.count
    let opening = Self.opening(key, to: to, hasMore: hasMore)
    var splice = GzipSplice()
    splice.append(opening)
    for (index, delta) in deltas.enumerated() {
      if index > 0 { splice.append(Self.comma) }
      try splice.append(member: read(delta))
    }
    splice.append(Self.closing)
    gzip = ServedDocument(splice.finish())
    let commas = max(0, deltas.count - 1) * Self.comma.count
    rawLength = opening.count + deltas.reduce(commas + Self.closing.count) { $0 + $1.rawLength }
  }

  private static let comma = Array(",".utf8)
  private static let closing = Array("]}\n".utf8)

  private static func prefix(of chain: [PublishedObject], upTo limit: Int) -> ArraySlice<PublishedObject> {
    var total = 0
    for (index, delta) in chain.enumerated() {
      total += delta.rawLength
      if total > limit, index > 0 { return chain[..<index] }
    }
    return chain[...]
  }

  /// The document up to the first delta.
  private static func opening(_ key: ChangesKey, to: Version, hasMore: Bool) -> [UInt8] {
    let head: JSONValue = [
      "dataset": .string(key.series.dataset.text), "series": .number(key.series.major),
      "epoch": .string(key.epoch.text), "from": .number(key.since.number), "to": .number(to.number),
      "head": .number(key.head.number),
      "more": .bool(hasMore),
    ]
    return head.bytes.dropLast() + Array(#","deltas":["#.utf8)
  }

  /// The answer in the coding that the client prefers.
  func response(gzip isGzip: Bool) -> HTTPResponse {
    var headers: HTTPHeaders = [
      "Content-Type": MediaType.json, "Cache-Control": CacheRule.current, "Vary": "Accept-Encoding",
      "Seedbank-Version": to.description,
    ]
    // A page without deltas is smaller as it is.
    guard isGzip, gzip.bytes.count < rawLength else {
      // Another representation has another tag (RFC 9110, 8.8.3.3).
      headers.append("ETag", "\"\(gzip.tag.dropFirst().dropLast())-identity\"")
      return HTTPResponse(status: 200, headers: headers, body: identity)
    }
    headers.append("Content-Encoding", "gzip")
    headers.append("ETag", gzip.tag)
    return HTTPResponse(status: 200, headers: headers, body: .bytes(gzip.bytes))
  }

  private var identity: HTTPBody {
    let compressed = gzip.bytes
    return .stream(length: Int64(rawLength)) { InflatedStream(compressed) }
  }
}

/// Expands a gzip member in memory while it is sent.
private final class InflatedStream: HTTPByteStream {
  private let reader: GzipReader?

  init(_ compressed: [UInt8]) { reader = try? GzipReader(compressed) }

  func next(into room: UnsafeMutableRawBufferPointer) -> Int? {
    guard let reader, let count = try? reader.read(into: room), count > 0 else { return nil }
    return count
  }
}
