import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

extension StoreExamination {
  private static let rootRemedy =
    "give --root with the publication's root.json, from a source that you trust"
  private static let renewal = "update, which fetches a matching set of files from the server"
  private static let remedy =
    "compare the root with the publisher's; then remove the folder 'trust', and update with the publisher's"

  /// The verified metadata of the series that the store's data names, or of any if the data is unusable. Expiry is
  /// noted but does not fail.
  func verifiedMetadata(_ series: SeedSeries?, _ report: inout StoreReport) throws -> SeriesMetadata? {
    guard let root else {
      report.add(.warning, "trust", "the signatures were not verified: no root is given", Self.rootRemedy)
      return nil
    }
    do {
      guard let series = try series ?? someSeries() else { return nil }
      let signed = try verified(series, root, at: .distantPast)
      do {
        _ = try verified(series, root, at: now)
      } catch { report.add(.note, "trust", SeedError(error).message, Self.renewal) }
      return signed
    } catch let error as TrustError where error.isMismatch {
      report.add(.warning, "trust", "\(error): an update was interrupted, or a file is damaged", Self.renewal)
    } catch { report.add(.error, "trust", SeedError(error).message, Self.remedy) }
    return nil
  }

  private func verified(_ series: SeedSeries, _ root: [UInt8], at now: UTCTime) throws -> SeriesMetadata {
    var set = try start(root, now)
    try set.checkRoot()
    _ = try set.updateTimestamp(required(MetadataName.unversioned(Timestamp.type)))
    try set.updateSnapshot(required(MetadataName.unversioned(SnapshotRole.type)))
    try set.updateTargets(required(MetadataName.unversioned(Targets.type)))
    try set.updateTargets(
      required(MetadataName.unversioned(series.roleName)), role: series.roleName, delegator: Targets.type)
    return try set.series(series)
  }

  private func start(_ root: [UInt8], _ now: UTCTime) throws -> TrustedMetadataSet {
    let shipped = try TrustedMetadataSet(root: root, now: now)
    let own = try stored(MetadataName.unversioned(Root.type)).map {
      try TrustedMetadataSet(root: $0, now: now)
    }
    return own.map { $0.root.version > shipped.root.version ? $0 : shipped } ?? shipped
  }

  private func someSeries() throws -> SeedSeries? {
    try Folder.names(in: layout.trust).lazy
      .compactMap { $0.hasSuffix(".json") ? SeedSeries(roleName: String($0.dropLast(".json".count))) : nil }
      .first
  }

  private func required(_ name: String) throws -> [UInt8] {
    guard let bytes = try stored(name) else { throw TrustError.missingFile(name: name) }
    return bytes
  }

  private func stored(_ name: String) throws -> [UInt8]? {
    try DurableFile.readIfPresent("\(layout.trust)/\(name)", limit: Limits.metadataBytes)
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
