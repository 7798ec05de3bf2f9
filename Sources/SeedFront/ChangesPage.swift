import SeedDatabase
import SeedFormat
import SeedHTTP
import SeedTrust

/// A response of `changes`: stored deltas, spliced into one gzip stream, which is expanded for clients without gzip.
struct ChangesPage: Sendable {
  let gzip: ServedDocument
  let rawLength: Int
  let to: SeedVersion
  let hasMore: Bool

  /// Pages up to this size are expanded once, in memory, so that the server can cache and share the response. Larger ones
  /// are not, because slow readers of different pages would each hold one.
  private static let smallBytes = 1024 * 1024

  init(
    _ series: SeriesMetadata, since: SeedVersion, _ chain: [PublishedObject], upTo limit: Int,
    read: (PublishedObject) throws -> [UInt8]
  ) throws {
    let deltas = Self.prefix(of: chain, upTo: limit)
    to = deltas.last?.version ?? since
    hasMore = deltas.count < chain.count
    let opening = Self.opening(series, since: since, to: to, hasMore: hasMore)
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
    let fitting = chain.prefix { delta in
      total += delta.rawLength
      return total <= limit
    }
    return chain.prefix(max(1, fitting.count))
  }

  private static func opening(
    _ series: SeriesMetadata, since: SeedVersion, to: SeedVersion, hasMore: Bool
  ) -> [UInt8] {
    let head: JSONValue = [
      "dataset": .string(series.series.dataset.text), "series": JSONValue(series.series.major),
      "epoch": .string(series.state.epoch.text), "from": JSONValue(since.number), "to": JSONValue(to.number),
      "head": JSONValue(series.state.head.number), "more": .bool(hasMore),
    ]
    return head.bytes.dropLast() + Array(#","deltas":["#.utf8)
  }

  func response(gzip isGzip: Bool) -> HTTPResponse {
    var headers: HTTPHeaders = [
      "Content-Type": MediaType.json, "Cache-Control": CacheRule.current, "Vary": "Accept-Encoding",
      "Seedbank-Version": to.description,
    ]
    // A page without deltas is smaller uncompressed.
    guard isGzip, gzip.bytes.count < rawLength else {
      // Another representation needs another tag (RFC 9110, 8.8.3.3).
      headers.append("ETag", "\"\(gzip.tag.dropFirst().dropLast())-identity\"")
      return HTTPResponse(status: 200, headers: headers, body: expanded)
    }
    headers.append("Content-Encoding", "gzip")
    headers.append("ETag", gzip.tag)
    return HTTPResponse(status: 200, headers: headers, body: .bytes(gzip.bytes))
  }

  private var expanded: HTTPBody {
    let compressed = gzip.bytes
    if rawLength <= Self.smallBytes, let bytes = InflatedStream(compressed).all(rawLength) {
      return .bytes(bytes)
    }
    return .stream(length: Int64(rawLength)) { InflatedStream(compressed) }
  }
}

private final class InflatedStream: HTTPByteStream {
  private let reader: GzipReader?

  init(_ compressed: [UInt8]) { reader = try? GzipReader(compressed) }

  func next(into room: UnsafeMutableRawBufferPointer) -> Int? {
    guard let reader, let count = try? reader.read(into: room), count > 0 else { return nil }
    return count
  }

  func all(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return bytes.withUnsafeMutableBytes { next(into: $0) } == count ? bytes : nil
  }
}
