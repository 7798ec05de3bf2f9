import SeedDatabase
import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

import struct Synchronization.Atomic

/// The response to `changes`: stored deltas, spliced into one gzip stream, which is expanded for clients without gzip.
struct ChangesPage: Sendable {
  let to: SeedVersion
  let hasMore: Bool
  private let rawLength: Int
  private let tag: String
  private let gzip: HTTPBody
  private let parts: [PagePart]

  /// Bodies up to this size are made once, in memory, so that the server can cache and share the response. Larger bodies
  /// are streamed from shared deltas. Otherwise, slow readers of different pages would each hold a body in memory.
  private static let smallBytes = 1024 * 1024

  init(
    _ series: SeriesMetadata, since: SeedVersion, _ chain: [PublishedObject], upTo limit: Int,
    read: (PublishedObject) throws -> SharedDeltas.Delta
  ) throws {
    let deltas = Self.prefix(of: chain, upTo: limit)
    to = deltas.last?.version ?? since
    hasMore = deltas.count < chain.count
    let opening = Self.opening(series, since: since, to: to, hasMore: hasMore)
    var (splice, parts) = (GzipSplice(), [PagePart.plain(opening[...])])
    splice.append(opening)
    for (index, object) in deltas.enumerated() {
      if index > 0 {
        splice.append(Self.comma)
        parts.append(.plain(Self.comma[...]))
      }
      let delta = try read(object)
      try splice.append(member: delta.bytes)
      parts.append(.member(delta))
    }
    splice.append(Self.closing)
    parts.append(.plain(Self.closing[...]))
    let spliced = splice.finish()
    let gzipLength = spliced.reduce(0) { $0 + $1.count }
    var hasher = SHA256Hasher()
    for part in spliced { part.withUnsafeBytes { hasher.update($0) } }
    (tag, self.parts) = (entityTag(hasher.finish()), parts)
    gzip =
      gzipLength <= Self.smallBytes
      ? .bytes(spliced.reduce(into: []) { $0 += $1 })
      : .stream(length: Int64(gzipLength)) { [parts] in
        PageStream(spliced.map(PagePart.plain), keeping: parts)
      }
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
    guard isGzip, gzip.length < rawLength else {
      headers.append("ETag", entityTag(tag, of: "identity"))
      return HTTPResponse(status: 200, headers: headers, body: expanded)
    }
    headers.append("Content-Encoding", "gzip")
    headers.append("ETag", tag)
    return HTTPResponse(status: 200, headers: headers, body: gzip)
  }

  private var expanded: HTTPBody {
    if rawLength <= Self.smallBytes, let bytes = PageStream(parts).all(rawLength) { return .bytes(bytes) }
    let shared = ExpandedPage(parts, length: rawLength)
    return .stream(length: Int64(rawLength)) { [parts] in
      guard let shared else { return PageStream(parts) }
      return ExpandedPage.Reader(shared)
    }
  }
}

/// A large uncompressed page. Its readers share the bytes, so that each delta is expanded only once.
private final class ExpandedPage: Sendable {
  private struct State {
    let source: PageStream
    let length: Int
    var bytes: [UInt8] = []

    /// Stays within the reserved capacity, the page's length. Beyond it, the array would double its memory.
    mutating func grow(by most: Int) {
      let (source, start) = (source, bytes.count)
      let count = min(most, length - start)
      bytes += repeatElement(0, count: count)
      let added = bytes.withUnsafeMutableBytes { source.next(into: .init(rebasing: $0[start...])) } ?? 0
      bytes.removeLast(count - added)
    }
  }

  private let state: Mutex<State>
  private let length: Int

  /// The limit for all shared pages together, because slow readers could hold many. Beyond it, pages are not shared.
  private static let mostBytes = 32 * 1024 * 1024
  private static let heldBytes = Atomic(0)

  init?(_ parts: [PagePart], length: Int) {
    self.length = length
    state = Mutex(State(source: PageStream(parts), length: length))
    // If this returns nil, `deinit` still subtracts the length.
    if Self.heldBytes.add(length, ordering: .relaxed).newValue > Self.mostBytes { return nil }
    state.withLock { $0.bytes.reserveCapacity(length) }
  }

  deinit { Self.heldBytes.subtract(length, ordering: .relaxed) }

  private func read(at position: Int, into room: UnsafeMutableRawBufferPointer) -> Int? {
    state.withLock { state in
      if position == state.bytes.count { state.grow(by: room.count) }
      let piece = state.bytes[position...].prefix(room.count)
      room.copyBytes(from: piece)
      return piece.isEmpty ? nil : piece.count
    }
  }

  final class Reader: HTTPByteStream {
    private let page: ExpandedPage
    private var position = 0

    init(_ page: ExpandedPage) { self.page = page }

    func next(into room: UnsafeMutableRawBufferPointer) -> Int? {
      guard let count = page.read(at: position, into: room) else { return nil }
      position += count
      return count
    }
  }
}

private enum PagePart: Sendable {
  case plain(ArraySlice<UInt8>)
  /// A delta to expand.
  case member(SharedDeltas.Delta)
}

private final class PageStream: HTTPByteStream {
  private var rest: ArraySlice<PagePart>
  private var plain: ArraySlice<UInt8> = []
  private var reader: GzipReader?
  private let kept: [PagePart]

  /// The stream keeps the deltas in `kept` alive, so that other pages can share them.
  init(_ parts: [PagePart], keeping kept: [PagePart] = []) { (rest, self.kept) = (parts[...], kept) }

  /// Fills as much of the buffer as possible, because each call becomes a packet and a part may have a single byte.
  func next(into room: UnsafeMutableRawBufferPointer) -> Int? {
    var filled = 0
    while filled < room.count, let count = piece(into: .init(rebasing: room[filled...])) { filled += count }
    return filled > 0 ? filled : nil
  }

  private func piece(into room: UnsafeMutableRawBufferPointer) -> Int? {
    while true {
      if let reader {
        guard let count = try? reader.read(into: room) else { return nil }
        if count > 0 { return count }
        self.reader = nil
      }
      if !plain.isEmpty {
        let piece = plain.prefix(room.count)
        room.copyBytes(from: piece)
        plain = plain.dropFirst(piece.count)
        return piece.count
      }
      switch rest.popFirst() {
      case .plain(let bytes): plain = bytes
      case .member(let delta):
        reader = try? GzipReader(delta.bytes)
        // Ends the stream if the delta cannot be expanded, because a page without the delta would be corrupt.
        if reader == nil { rest = [] }
      case nil: return nil
      }
    }
  }

  func all(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return bytes.withUnsafeMutableBytes { next(into: $0) } == count ? bytes : nil
  }
}

/// The deltas that pages consist of. While a delta is being sent, all pages share one copy of it.
final class SharedDeltas: Sendable {
  final class Delta: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  private struct Known { weak var delta: Delta? }

  private struct State {
    var known: [String: Known] = [:]
    /// When `known` has this many entries, those of released deltas are dropped.
    var limit = leastLimit

    static let leastLimit = 64
  }

  private let state = Mutex(State())

  func delta(_ object: PublishedObject, read: (PublishedObject) throws -> [UInt8]) rethrows -> Delta {
    let path = object.filePath
    if let delta = state.withLock({ $0.known[path]?.delta }) { return delta }
    let found = Delta(try read(object))
    return state.withLock { state in
      if let other = state.known[path]?.delta { return other }
      if state.known.count >= state.limit {
        state.known = state.known.filter { $0.value.delta != nil }
        state.limit = State.leastLimit + 2 * state.known.count
      }
      state.known[path] = Known(delta: found)
      return found
    }
  }
}
