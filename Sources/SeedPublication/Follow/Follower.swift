package import SeedFormat
package import SeedSystem
package import SeedTrust

/// Updates a folder to the verified state of another publication. Clients can read the folder at all times.
package struct Follower: Sendable {
  package let folder: FollowFolder
  private let source: any FollowSource
  private let root: [UInt8]
  private let graceSeconds: Int
  private let isExpiryPassedOver: Bool

  /// `isExpiryPassedOver` accepts expired signatures, for a caller that will sign the metadata again.
  package init(
    folder: FollowFolder, source: any FollowSource, root: [UInt8],
    graceSeconds: Int = usualGraceSeconds, isExpiryPassedOver: Bool = false
  ) {
    (self.folder, self.source, self.root) = (folder, source, root)
    (self.graceSeconds, self.isExpiryPassedOver) = (graceSeconds, isExpiryPassedOver)
  }

  /// How long unreferenced files are kept, in seconds. The same as a publisher's default.
  package static let usualGraceSeconds = 3600
  private static let downloadsAtOnce = 4

  /// Updates once; `rehashing` first verifies all local files.
  package func look(rehashing: Bool = false, now: UTCTime = .now()) async throws -> FollowReport {
    let begun = ContinuousClock.now
    try await blocking { [folder] in try folder.restore() }
    let draft = try await draft(now)
    let (missing, freed) = try await blocking { [folder, graceSeconds] in
      let missing = try folder.missing(draft.objects, rehashing: rehashing)
      // Obsolete files may take the room that new objects need. The later prune reports its errors and warnings.
      let pruned =
        missing.isEmpty
        ? nil : (try? folder.prune(keeping: draft.objects, graceSeconds: graceSeconds, now: now))
      try folder.makeRoom(for: missing)
      return (missing, pruned?.removed ?? [])
    }
    try await get(missing)
    let pruned = try await blocking { [folder, graceSeconds] in
      // Written after the objects. The last file is `timestamp.json`, or a new root that old clients do not need.
      if !draft.files.isEmpty { try folder.publication.write(draft.files) }
      return try folder.prune(graceSeconds: graceSeconds, now: now.passed(since: begun))
    }
    return FollowReport(
      draft: draft, fetched: missing, removed: freed + pruned.removed, warnings: pruned.warnings)
  }

  private func draft(_ now: UTCTime) async throws -> FollowDraft {
    do {
      return try await FollowDraft(
        of: folder.publication, root: root, now: now, isExpiryPassedOver: isExpiryPassedOver
      ) { [source] in try await source.metadata($0, limit: $1) }
    } catch let error as TrustError { throw FollowFailure(error: error, server: source.name) }
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
    // Checked here, because a source on a disk does not check for cancellation.
    try Task.checkCancellation()
    let part = try await source.object(object)
    try await blocking { [folder] in try folder.place(object, from: part) }
  }
}

package struct FollowReport: Sendable {
  fileprivate let draft: FollowDraft
  fileprivate let fetched: [PublishedObject]
  fileprivate let removed: [String]
  /// Sentences about obsolete files that could not be removed. The copy is complete nevertheless.
  package let warnings: [String]

  package var isUnchanged: Bool { draft.files.isEmpty && fetched.isEmpty }

  private var bytes: Int {
    fetched.reduce(0) { $0 + $1.length } + draft.files.reduce(0) { $0 + $1.bytes.count }
  }

  private var count: Int { fetched.count + draft.files.count }

  package var text: String {
    let versions = draft.series.map { "\($0.series): version \($0.state.head)" }.joined(separator: ", ")
    let standing = draft.series.isEmpty ? "nothing is published there yet" : versions
    if isUnchanged { return "\(standing): unchanged" }
    return "\(standing): \(count == 1 ? "1 file" : "\(count) files"), \(ByteCount(bytes: bytes))"
  }

  package var record: LogRecord {
    LogRecord(
      isUnchanged ? .debug : .info, text,
      [JSONMember("files", JSONValue(count)), JSONMember("bytes", JSONValue(bytes))])
  }

  package var json: JSONValue {
    [
      "series": .array(draft.series.map(\.headJSON)), "files": JSONValue(count), "bytes": JSONValue(bytes),
      "removed": JSONValue(strings: removed), "warnings": JSONValue(strings: warnings),
    ]
  }
}

extension SeriesMetadata {
  package var headJSON: JSONValue {
    [
      "dataset": .string(series.dataset.text), "series": JSONValue(series.major),
      "version": JSONValue(state.head.number), "epoch": .string(state.epoch.text),
      "publishedAt": .string(state.publishedAt.text),
    ]
  }
}

/// Why a server's publication was rejected. The local copy stays unchanged.
package struct FollowFailure: Error, Hashable {
  let error: TrustError
  let server: String

  /// Whether the server is behind the local copy, which is harmless if there are other sources.
  package var isOlder: Bool { if case .rollback = error { true } else { false } }

  package var isUnavailable: Bool { if case .missingFile = error { true } else { false } }

  package var message: String {
    switch error {
    case .expired(let role, let time):
      "\(server): its \(role) metadata expired at \(time), so clients reject it. Its publisher is down, or the clock of this "
        + "machine is wrong. The copy here is unchanged."
    case .badSignature:
      "\(server): \(error). Its keys are not those of the root file: compare the address and root.json with the publisher's."
    case .rollback:
      "\(server) has an older state than the copy here: \(error). If it serves a copy, that copy will catch up. If it was "
        + "restored, its operator can continue from the copy here with 'seedbank recover'. The copy here is unchanged."
    case .conflict: "\(server): \(error). The copy here is unchanged."
    case .missingFile(MetadataName.unversioned(Timestamp.type)):
      "\(server) does not have metadata/timestamp.json: give the address of a publication folder, which contains that file."
    case .missingFile(let name):
      "\(server) does not have metadata/\(name), which its metadata lists: try again later; if it is still "
        + "missing, 'seedbank verify' on the server lists all missing files."
    default: "\(server): \(error): 'seedbank verify' on the server shows what to repair."
    }
  }
}

/// The source of a publication. The caller verifies the metadata.
package protocol FollowSource: Sendable {
  var name: String { get }
  func metadata(_ name: String, limit: Int) async throws -> [UInt8]?
  /// Fetches an object. Returns the path of a file that has the signed length and hash. The caller moves the file.
  func object(_ object: PublishedObject) async throws -> String
}

/// A mirror, or a folder that holds a publication. Its files are copied to `parts`.
package struct StoreSource: FollowSource {
  private let store: any MirrorStore
  private let parts: String
  /// The folder, whose disk may not be mounted; `nil` for a bucket.
  private let folder: String?

  private static let (attempts, pauseSeconds) = (3, 1)

  package init(_ store: any MirrorStore, parts: String) {
    (self.store, self.parts, folder) = (store, parts, nil)
  }

  package init(folder: String, parts: String) {
    (store, self.parts, self.folder) = (FolderStore(folder), parts, folder)
  }

  /// Throws if a folder holds no publication.
  package static func check(folder: String) throws(Refusal) {
    guard !Folder.exists("\(folder)/metadata") else { return }
    throw Refusal(
      .unavailable,
      "There is no publication in the source's folder \(folder.printable). If the folder is on a disk, mount its disk. If you meant a server, begin its "
        + "address with https://.")
  }

  package var name: String { store.place }

  /// The store does not enforce `limit`; the caller does.
  package func metadata(_ file: String, limit: Int) async throws -> [UInt8]? {
    try await asking { [store] in try store.read("metadata/\(file)")?.bytes }
  }

  package func object(_ object: PublishedObject) async throws -> String {
    let part = "\(parts)/\(object.sha256.hex).part"
    let isContinued = Folder.exists(part)
    var found = try await copy(object, to: part)
    if isContinued, found != nil, found != object.sha256 {
      // The interrupted copy may belong to another file, so the object is copied from the start.
      try Folder.removeAny(part)
      found = try await copy(object, to: part)
    }
    guard found != object.sha256 else { return part }
    try? Folder.removeAny(part)
    let (code, fault): (ExitCode, String) =
      found == nil
      ? (.unavailable, "missing, although metadata names it: copy it again")
      : (.badData, "not the signed file: if 'seedbank follow' wrote it, repeat that command with --verify")
    throw Refusal(
      code,
      "\("\(name)/\(object.filePath)".printable) is \(fault); if that does not help, run 'seedbank verify' at the source."
    )
  }

  private func copy(_ object: PublishedObject, to part: String) async throws -> SHA256Digest? {
    try await asking { [store] in try store.download(object.filePath, bytes: object.length, to: part) }
  }

  private func asking<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws
    -> Answer
  {
    var attempt = 1
    while true {
      do {
        return try await blocking { [folder] in
          if let folder { try Self.check(folder: folder) }
          return try work()
        }
      } catch MirrorError.away where attempt < Self.attempts {
        attempt += 1
        try await Task.sleep(for: .seconds(Self.pauseSeconds))
      } catch let error as MirrorError { throw MirrorFailure(store.place, error) }
    }
  }
}
