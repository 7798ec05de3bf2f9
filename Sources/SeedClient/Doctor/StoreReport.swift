package import SeedDatabase
package import SeedFormat
import SeedSystem

/// The result of verifying a client's data without a network and without writes: structure, rows, sums, digest, indexes
/// and search tables. A seed has no signatures; each update compares its digest with the signed one.
package struct StoreReport: Hashable, Sendable {
  package struct Data: Hashable, Sendable {
    package let meta: SeedMeta
    package let file: String
    package let rows: Int
  }

  package private(set) var data: Data?
  package private(set) var findings: [Finding] = []

  package var isSound: Bool { findings.areSound }

  private static let update =
    "update in the app or with 'seedbank pull': a snapshot will replace this copy"
  private static let repair =
    "verify and update it, by verify() and update() in the app or by 'seedbank pull --verify': a snapshot takes its "
    + "place"
  private static let otherClient =
    "its client must take a snapshot; compare its steps with the article 'Formats and HTTP interface'"

  /// Verifies the current data of a store of this library, which may be in use.
  package init(ofStore directory: String) throws(SeedError) {
    do { try examine(StoreLayout(directory: directory)) } catch { throw SeedError(error) }
  }

  /// Verifies a seed that a client of another make keeps.
  package init(ofSeed path: String) throws(SeedError) {
    do {
      try prove(path, .received, as: path, Self.otherClient) { connection in
        guard try LeftOutIndexes.entries(of: connection).isEmpty else {
          throw NotASeed("its indexes are not built: the client must build those that seedbank_index names")
        }
      }
    } catch { throw SeedError(error) }
  }

  private mutating func examine(_ layout: StoreLayout) throws {
    guard Folder.isFolder(layout.generations) else {
      throw SeedError(.io, "there is no store in \(layout.directory): 'seedbank pull' makes one")
    }
    // The first download or bundle may have failed, or been interrupted before its data was current.
    guard Folder.exists(layout.current) || Folder.exists(layout.record) else {
      throw SeedError(
        .io,
        "the store in \(layout.directory) has no data yet: update it, in the app or by 'seedbank pull', and examine it then"
      )
    }
    guard let name = try layout.pointer()?.current, Folder.exists(layout.folder(name).record) else {
      findings = [Finding(.error, "CURRENT", "it names no generation of this store", remedy: Self.update)]
      return
    }
    try examine(layout.folder(name))
  }

  private mutating func examine(_ folder: GenerationFolder) throws {
    let path = "generations/\(folder.name)"
    guard !folder.has(.damaged) else {
      let problem = "a read of it found damage: it is no longer read"
      findings = [Finding(.error, path, problem, remedy: Self.repair)]
      return
    }
    // This mode creates no file beside the seed, but a writer that begins meanwhile looks like damage.
    if !folder.hasLog { try prove(folder.file, .snapshot, as: path, Self.repair) }
    if data == nil { try prove(folder.file, .received, as: path, Self.repair) }
  }

  private mutating func prove(
    _ file: String, _ mode: Connection.OpenMode, as path: String, _ remedy: String,
    _ check: (Connection) throws -> Void = { _ in }
  ) throws {
    do {
      let connection = try Connection(file, mode)
      try check(connection)
      let (meta, rows) = try GenerationProof.run(connection)
      (data, findings) = (Data(meta: meta, file: file, rows: rows), [])
    } catch let error as DatabaseError where error.saysFull {
      // SQLite had no room for its temporary files. The seed may be sound, so this is not a finding.
      throw error
    } catch {
      findings = [Finding(.error, path, SeedError(error).message, remedy: remedy)]
    }
  }
}
