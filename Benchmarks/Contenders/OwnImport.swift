import SeedDatabase
import SeedFormat
import SeedImport

/// Our importer as apps use it: mapping, validation, references and report, over a file in pieces.
enum OwnImport {
  @Sendable static func run(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    try run(try files.documents(phase), into: files.target, workload.mapping, workload.importPolicy)
  }

  static func run(
    _ documents: [String], into target: String, _ mapping: ImportMapping,
    _ policy: ImportPolicy = ImportPolicy()
  ) throws {
    let connection = try Connection(target, .own)
    try connection.execute(RawDatabase.settings)
    let session = try ImportSession(connection, mapping: mapping, policy: policy)
    do {
      try read(documents, into: session)
      _ = try session.finish()
    } catch {
      session.abandon()
      throw error
    }
  }

  /// Reads documents up to the empty one.
  private static func read(_ documents: [String], into session: ImportSession) throws {
    for path in documents {
      try session.begin(path)
      try DocumentUnpacker.read(path, isCancelled: { false }) { piece in
        try piece.withUnsafeBytes { try session.feed($0) }
      }
      if try session.end() == 0 { return }
    }
  }
}
