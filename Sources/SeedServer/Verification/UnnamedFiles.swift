import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Files in a publication that no current metadata names: clients may still be fetching what was named lately.
struct UnnamedFiles {
  let publication: PublicationDirectory

  /// Their paths within the publication, sorted.
  func paths(named: Set<String>) throws -> [String] {
    let metadata = try Folder.names(in: "\(publication.path)/metadata").map { "metadata/\($0)" }
    return (metadata + (try files(below: "targets"))).filter { !named.contains($0) }.sorted()
  }

  private func files(below folder: String) throws -> [String] {
    var found: [String] = []
    for name in try Folder.names(in: "\(publication.path)/\(folder)") {
      let path = "\(folder)/\(name)"
      found += Folder.isFolder("\(publication.path)/\(path)") ? try files(below: path) : [path]
    }
    return found
  }
}
