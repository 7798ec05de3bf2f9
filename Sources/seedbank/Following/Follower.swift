import SeedClient
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// Updates a folder, which clients can read at all times, to the verified state of another publication.
struct Follower: Sendable {
  let folder: FollowFolder
  let source: any FollowSource
  let root: [UInt8]
  var graceSeconds = usualGraceSeconds
  /// Accepts expired signatures, for a caller that will sign the metadata again.
  var isExpiryPassedOver = false

  /// Seconds for which unreferenced files stay; the same as at a publisher.
  static let usualGraceSeconds = 3600
  private static let downloadsAtOnce = 4

  /// Updates once; `rehashing` first verifies all local files.
  func look(rehashing: Bool = false, now: UTCTime = .now()) async throws -> FollowReport {
    let draft = try await draft(now)
    let missing = try await blocking { [folder] in
      let missing = try folder.missing(draft.objects, rehashing: rehashing)
      try folder.makeRoom(for: missing)
      return missing
    }
    try await get(missing)
    let removed = try await blocking { [folder, graceSeconds] in
      if !draft.files.isEmpty { try folder.publish(draft) }
      return try folder.prune(graceSeconds: graceSeconds, now: now)
    }
    return FollowReport(draft: draft, fetched: missing, removed: removed)
  }

  private func draft(_ now: UTCTime) async throws -> FollowDraft {
    do {
      return try await FollowDraft(
        of: folder.publication, root: root, now: now, isExpiryPassedOver: isExpiryPassedOver
      ) { [source] in try await source.metadata($0, limit: $1) }
    } catch let error as TrustError {
      throw FollowFailure(error: error, server: source.name)
    }
  }

  private func get(_ objects: [PublishedObject]) async throws {
    var rest = objects[...]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for object in rest.prefix(Self.downloadsAtOnce) { group.addTask { try await get(object) } }
      rest = rest.dropFirst(Self.downloadsAtOnce)
      while try await group.next() != nil {
        if let object = rest.popFirst() { group.addTask { try await get(object) } }
      }
    }
  }

  private func get(_ object: PublishedObject) async throws {
    let part = try await source.object(object)
    try await blocking { [folder] in try folder.place(object, from: part) }
    source.forget(object)
  }
}

struct FollowReport: Sendable {
  let draft: FollowDraft
  let fetched: [PublishedObject]
  let removed: [String]

  var isUnchanged: Bool { draft.files.isEmpty && fetched.isEmpty }

  private var bytes: Int {
    fetched.reduce(0) { $0 + $1.length } + draft.files.reduce(0) { $0 + $1.bytes.count }
  }

  private var count: Int { fetched.count + draft.files.count }

  private var versions: String {
    draft.series.map { "\($0.series): version \($0.state.head)" }.joined(separator: ", ")
  }

  var text: String {
    let standing = draft.series.isEmpty ? "nothing is published there yet" : versions
    if isUnchanged { return "\(standing): unchanged" }
    return "\(standing): \(count == 1 ? "1 file" : "\(count) files"), \(ByteCount(bytes: bytes))"
  }

  var record: LogRecord {
    LogRecord(
      isUnchanged ? .debug : .info, text,
      [JSONMember("files", JSONValue(count)), JSONMember("bytes", JSONValue(bytes))])
  }

  var json: JSONValue {
    [
      "series": .array(draft.series.map(\.headJSON)), "files": JSONValue(count), "bytes": JSONValue(bytes),
      "removed": JSONValue(strings: removed),
    ]
  }
}

extension SeriesMetadata {
  var headJSON: JSONValue {
    [
      "dataset": .string(series.dataset.text), "series": JSONValue(series.major),
      "version": JSONValue(state.head.number), "epoch": .string(state.epoch.text),
      "publishedAt": .string(state.publishedAt.text),
    ]
  }
}
