import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

struct TrustExamination {
  let layout: StoreLayout
  let root: [UInt8]?
  let now: UTCTime

  private static let rootName = MetadataName.unversioned(Root.type)
  private static let timestampName = MetadataName.unversioned(Timestamp.type)
  /// Timestamp, TUF snapshot role, targets, and the series' role.
  private static let chainLength = 4

  func run(_ series: SeedSeries?, _ report: inout StoreReport) throws -> SeriesMetadata? {
    guard let root else {
      report.add(.warning, "trust", "the signatures were not verified: no root is given", StoreRemedy.root)
      return nil
    }
    guard let series = try series ?? someSeries() else {
      report.add(.note, "trust", "it holds no series yet", StoreRemedy.none)
      return nil
    }
    do {
      let signed = try refreshed(series, root, now: .distantPast)
      report.metadataFiles += Self.chainLength + (try stored(Self.rootName) == nil ? 0 : 1)
      noteExpiry(series, root, &report)
      return signed
    } catch let error as TrustError where error.isMismatch {
      report.add(.warning, "trust", "\(error): an update was interrupted, or a file is damaged", Self.renewal)
      return nil
    } catch {
      report.add(.error, "trust", SeedError(error).message, Self.remedy)
      return nil
    }
  }

  private static let renewal = "update, which fetches a matching set of files from the server"
  private static let remedy =
    "compare the root with the publisher's; then remove the folder 'trust', and update with the publisher's"

  private func noteExpiry(_ series: SeedSeries, _ root: [UInt8], _ report: inout StoreReport) {
    do {
      _ = try refreshed(series, root, now: now)
    } catch {
      report.add(.note, "trust", SeedError(error).message, Self.renewal)
    }
  }

  private func refreshed(_ series: SeedSeries, _ root: [UInt8], now: UTCTime) throws -> SeriesMetadata {
    var set = try start(root, now: now)
    try set.checkRoot()
    _ = try set.updateTimestamp(required(Self.timestampName))
    try set.updateSnapshot(required(MetadataName.unversioned(SnapshotRole.type)))
    try set.updateTargets(required(MetadataName.unversioned(Targets.type)))
    try set.updateDelegated(required(MetadataName.unversioned(series.roleName)), role: series.roleName)
    return try set.series(series)
  }

  private func start(_ root: [UInt8], now: UTCTime) throws -> TrustedMetadataSet {
    let shipped = try TrustedMetadataSet(root: root, now: now)
    let own = try stored(Self.rootName).map { try TrustedMetadataSet(root: $0, now: now) }
    return own.map { $0.root.version > shipped.root.version ? $0 : shipped } ?? shipped
  }

  private func required(_ name: String) throws -> [UInt8] {
    guard let bytes = try stored(name) else { throw TrustError.missingFile(name: name) }
    return bytes
  }

  private func stored(_ name: String) throws -> [UInt8]? {
    try DurableFile.readIfPresent("\(layout.trust)/\(name)", limit: Limits.metadataBytes)
  }

  private func someSeries() throws -> SeedSeries? {
    try Folder.names(in: layout.trust).lazy
      .compactMap { $0.hasSuffix(".json") ? SeedSeries(roleName: String($0.dropLast(".json".count))) : nil }
      .first
  }
}

extension TrustError {
  /// True if the files may each be valid but do not fit together; an update replaces them.
  fileprivate var isMismatch: Bool {
    switch self {
    case .wrongVersion, .lengthMismatch, .hashMismatch, .missingFile: true
    default: false
    }
  }
}
