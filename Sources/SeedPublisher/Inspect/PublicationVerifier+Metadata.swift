import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

extension PublicationVerifier {
  /// Verifies the metadata up to the first bad file, whose successors cannot be trusted, and checks the signatures' ends.
  func verifyMetadata(_ report: inout VerificationReport) -> PublishedMetadata? {
    // Roots before a gap belong to a chain whose keys were lost.
    let oldest = (try? publication.rootChains().last?.lowerBound) ?? 1
    var name = MetadataName.versioned(Root.type, oldest)
    var files: [String] = []
    func read(_ next: String) throws -> [UInt8]? {
      name = next
      let bytes = try publication.metadata(name)
      if bytes != nil { files.append(name) }
      return bytes
    }
    defer { report.metadataFiles = files.count }
    do {
      guard let root = try read(name) else { throw TrustError.missingFile(name: name) }
      let published = try PublishedMetadata(root: root, read: read)
      check(published, files, &report)
      return published
    } catch {
      let isMissing = error as? TrustError == .missingFile(name: name)
      report.error("metadata/\(name)", isMissing ? "it is missing" : "\(error)")
      return nil
    }
  }

  private func check(_ published: PublishedMetadata, _ files: [String], _ report: inout VerificationReport) {
    for signature in published.signatures {
      let file = files.last { ".\($0)".hasSuffix(".\(signature.role).json") } ?? "\(signature.role).json"
      let remedy = signature.isOffline ? "renew it with 'seedbank keys renew'" : Remedy.regenerate
      switch signature.state(at: now) {
      case .expired:
        report.error(
          "metadata/\(file)", "it expired at \(signature.expires): no client accepts it", remedy: remedy)
      case .expiring:
        report.add(.warning, "metadata/\(file)", "it expires at \(signature.expires)", remedy: remedy)
      case .valid, .neglected: continue
      }
    }
    for role in published.outdated {
      report.error(
        "metadata", "the key of \(role) that signed it was replaced: no client accepts it",
        remedy: role.isOffline ? "renew it with 'seedbank keys renew'" : Remedy.regenerate)
    }
  }
}
