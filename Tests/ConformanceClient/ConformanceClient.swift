import Foundation
import SeedSystem
import SeedTrust
import Support

/// A client of any TUF repository with the commands of tuf-conformance: `init`, `refresh` and `download`. A test
/// program, so it keeps files in memory that a client for users would stream.
///
/// Exits with status 0 only if the whole command succeeded.
@main enum ConformanceClient {
  static func main() async {
    do {
      try await run(Arguments(Array(CommandLine.arguments.dropFirst())))
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: Arguments) async throws {
    let store = FileStore(directory: try arguments.one("--metadata-dir"))
    switch arguments.words.first {
    case "init": try store.begin(withRootAt: arguments.word(1))
    case "refresh": _ = try await refresh(arguments, store)
    case "download": try await download(arguments, store)
    default: throw UsageError("expected one of the commands init, refresh and download")
    }
  }

  private static func refresh(_ arguments: Arguments, _ store: FileStore) async throws -> MetadataRefresh {
    let repository = Repository(base: try arguments.one("--metadata-url"))
    var refresh = try MetadataRefresh(
      shippedRoot: store.root(), stored: store.metadata,
      fetch: { name, limit in try await repository.file(name, limit: limit) }, now: .now())
    try await refresh.topLevel()
    return refresh
  }

  private static func download(_ arguments: Arguments, _ store: FileStore) async throws {
    let folder = TargetFolder(
      directory: try arguments.one("--target-dir"),
      repository: Repository(base: try arguments.one("--target-base-url")))
    var refresh = try await refresh(arguments, store)
    for path in arguments.all("--target-name") {
      guard let file = try await refresh.target(path) else { throw UsageError("no role lists \(path)") }
      try await folder.keep(
        file, path: path, consistentSnapshot: refresh.trusted.root.consistentSnapshot)
    }
  }
}
