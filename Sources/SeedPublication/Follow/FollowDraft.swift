import SeedFormat
import SeedSystem
import SeedTrust

/// The newest metadata of a followed publication, verified as a client would verify it. It is not written yet.
struct FollowDraft: Sendable {
  /// The new files, in the order in which they must be written.
  let files: [MetadataFile]
  let series: [SeriesMetadata]

  var objects: [PublishedObject] { series.flatMap(\.objects) }

  /// Fetches new metadata, starting at the root that the caller trusts. Rejects anything older than the local copy.
  /// `isExpiryPassedOver` accepts expired signatures, for operators who cannot wait for a renewal.
  init(
    of publication: PublicationDirectory, root: [UInt8], now: UTCTime, isExpiryPassedOver: Bool,
    fetch: @escaping MetadataFetcher
  ) async throws {
    let kept = try KeptMetadata(publication, root)
    var taken: [MetadataFile] = []
    let stored = StoredMetadata(
      read: kept.read,
      persist: { taken.append(MetadataFile(name: try Self.publishedName($0, $1), bytes: $1)) })
    var refresh = try MetadataRefresh(
      shippedRoot: root, stored: stored, fetch: fetch, now: isExpiryPassedOver ? .distantPast : now)
    try await refresh.topLevel(refusingConflicts: true)
    let roles = refresh.trusted.targets[Targets.type]?.delegations?.roles ?? []
    // A delegated series may have no metadata yet.
    let published = roles.compactMap { SeedSeries(roleName: $0.name) }
      .filter { refresh.trusted.snapshot?.lists($0) == true }
    for one in published { try await refresh.targets(one.roleName, delegator: Targets.type) }
    series = try published.map { try refresh.trusted.series($0) }
    files = try kept.ordered(taken)
  }

  private static func publishedName(_ fileName: String, _ bytes: [UInt8]) throws -> String {
    guard fileName != MetadataName.unversioned(Timestamp.type),
      let version = try JSONValue(parsing: bytes)["signed"]?["version"]?.integer
    else { return fileName }
    return "\(version).\(fileName)"
  }
}

/// The local metadata, under the file names that a client uses.
private struct KeptMetadata {
  private let publication: PublicationDirectory
  private let shippedRoot: MetadataFile
  /// The shipped root and its valid local successors.
  private let roots: [[UInt8]]

  init(_ publication: PublicationDirectory, _ root: [UInt8]) throws {
    var trusted = try TrustedMetadataSet(root: root, now: .distantPast)
    shippedRoot = MetadataFile(name: MetadataName.versioned(Root.type, trusted.root.version), bytes: root)
    self.publication = publication
    // Ignores a damaged root and all later ones, so that they are fetched again.
    let first = try publication.metadata(shippedRoot.name)
      .flatMap { (try? TrustedMetadataSet(root: $0, now: .distantPast)) == nil ? nil : $0 }
    guard first == nil || first == root else {
      throw Refusal(
        .configuration,
        "\(publication.path) holds a copy that began with another root: its \(shippedRoot.name) differs. Give that "
          + "root.json, or choose another folder.")
    }
    var roots = first.map { [$0] } ?? []
    while !roots.isEmpty,
      let next = try publication.metadata(MetadataName.versioned(Root.type, trusted.root.version + 1)),
      (try? trusted.updateRoot(next)) != nil
    {
      roots.append(next)
    }
    self.roots = roots
  }

  func read(_ fileName: String) throws -> [UInt8]? {
    switch fileName {
    case MetadataName.unversioned(Root.type): roots.last
    case MetadataName.unversioned(Timestamp.type): try publication.metadata(fileName)
    case MetadataName.unversioned(SnapshotRole.type):
      try read(Timestamp.self).flatMap { try publication.metadata("\($0.snapshot.version).\(fileName)") }
    default:
      try read(SnapshotRole.self)?.meta[fileName].flatMap {
        try publication.metadata("\($0.version).\(fileName)")
      }
    }
  }

  /// Ignores unreadable metadata, as a client does.
  private func read<Role: SignedRole>(_ role: Role.Type) throws -> Role? {
    try read(MetadataName.unversioned(role.type)).flatMap { try? Metadata<Role>(parsing: $0).signed }
  }

  /// Orders files as a publisher writes them: `timestamp.json` follows everything that it names. New roots
  /// follow `timestamp.json` if clients of the old root can read the new metadata; otherwise they precede it.
  func ordered(_ taken: [MetadataFile]) throws -> [MetadataFile] {
    let timestamp = MetadataName.unversioned(Timestamp.type)
    let newRoots = taken.filter { $0.name.hasSuffix(".\(MetadataName.unversioned(Root.type))") }
    let last = taken.filter { $0.name == timestamp }
    let others = taken.filter { $0.name != timestamp && !newRoots.contains($0) }
    guard let old = roots.last else { return others + [shippedRoot] + newRoots + last }
    return suits(old, taken) ? others + last + newRoots : others + newRoots + last
  }

  private func suits(_ root: [UInt8], _ taken: [MetadataFile]) -> Bool {
    let new = Dictionary(taken.map { ($0.name, $0.bytes) }, uniquingKeysWith: { $1 })
    return PublishedMetadata.suits(root: root) { name in try new[name] ?? publication.metadata(name) }
  }
}
