import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import Support
import Testing

/// A publication on a static host, and a follower's copy of it.
final class FollowScene {
  let origin: OperatedDeployment
  let host: FolderHost
  let series: SeedSeries

  init() throws {
    origin = try OperatedDeployment()
    host = try FolderHost(origin.folder("seedbank/publication"))
    series = try SeedSeries("my", major: 1)
  }

  var folder: TemporaryFolder { origin.folder }
  var copy: PublicationDirectory { PublicationDirectory(folder("copy")) }

  var once: [String] {
    ["follow", host.address, "--root", "seedbank/root.json", "--to", "copy", "--once"]
  }

  func look(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramOutcome {
    try SeedbankBinary.run(once + arguments, environment: environment, in: folder.path)
  }

  func follow() throws { try SeedbankBinary.succeed(once, in: folder.path) }

  /// Makes a snapshot larger than many deltas together.
  func grow() throws {
    try origin.origin(
      "INSERT INTO shop SELECT 1000 + value, hex(randomblob(30)), NULL FROM generate_series(1, 1000)")
    try folder.succeed("regenerate", "--snapshot")
  }

  func publish(_ name: String, _ arguments: String...) throws {
    try origin.origin("UPDATE shop SET name = '\(name)' WHERE id < 4")
    try SeedbankBinary.succeed(["regenerate"] + arguments, in: folder.path)
  }

  /// Expects that the copy equals the publication, byte by byte. After a disaster, the publisher may lack files that
  /// metadata no longer names.
  func expectSame(_ what: String = "", hasBurnt: Bool = false) throws {
    let (here, there) = (try files(copy), try files(origin.publication))
    let different = here.filter { there[$0.key] != $0.value && !(hasBurnt && there[$0.key] == nil) }.keys
    #expect(different.sorted() == [], "\(what)")
    #expect(here["metadata/timestamp.json"] == there["metadata/timestamp.json"], "\(what)")
    let (head, newest) = (try probe(copy), try probe(origin.publication))
    #expect(head?.version == newest?.version && head?.rows == newest?.rows, "\(what)")
  }

  private func probe(_ publication: PublicationDirectory) throws -> (version: Int, rows: SeedRows)? {
    try PublicationProbe(publication: publication).head(series)
  }

  func files(_ publication: PublicationDirectory) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    func read(_ path: String) throws {
      for name in try Folder.names(in: "\(publication.path)/\(path)") where !name.hasPrefix(".") {
        let inner = path.isEmpty ? name : "\(path)/\(name)"
        if inner == "facts" { continue }
        if Folder.isFolder("\(publication.path)/\(inner)") {
          try read(inner)
        } else {
          found[inner] = try DurableFile.read("\(publication.path)/\(inner)", limit: 1 << 24)
        }
      }
    }
    try read("")
    return found
  }
}
