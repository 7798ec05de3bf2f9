import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Whether the root that apps are shipped with leads to this publication.
struct AnchorVerification {
  let publication: PublicationDirectory
  let anchor: String

  func run(_ report: inout VerificationReport) {
    do {
      guard let bytes = try DurableFile.readIfPresent(anchor, limit: Limits.rootBytes) else {
        return report.add(.note, anchor, "it is not here", remedy: Remedy.none)
      }
      let names = try Folder.names(in: "\(publication.path)/metadata").filter { $0.hasSuffix(".root.json") }
      guard try names.contains(where: { try publication.metadata($0) == bytes }) else {
        return report.error(
          anchor, "it is none of the publication's roots: apps that ship it accept nothing from here",
          remedy: "put back the root or the publication that belong together")
      }
    } catch {
      report.error(anchor, "\(error)")
    }
  }
}
