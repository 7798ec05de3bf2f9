import Foundation
import SeedTrust
import Support

/// Downloaded files by percent-encoded path.
struct TargetFolder {
  let directory: String
  let repository: Repository

  /// Downloads a file unless it already exists with this content.
  func keep(_ file: TargetFile, path: String, consistentSnapshot: Bool) async throws {
    let place = URL(filePath: "\(directory)/\(MetadataName.quoted(path))")
    if let kept = try? Data(contentsOf: place), isWhatWasSigned(kept, file, path) { return }
    guard let name = file.repositoryPath(of: path, consistentSnapshot: consistentSnapshot) else {
      throw UsageError("\(path) has no digest of a known kind")
    }
    guard let bytes = try await repository.file(name, limit: file.length) else {
      throw UsageError("the repository does not have \(name)")
    }
    try file.check(bytes, of: path)
    try Data(bytes).write(to: place, options: .atomic)
  }

  private func isWhatWasSigned(_ bytes: Data, _ file: TargetFile, _ path: String) -> Bool {
    do {
      try file.check([UInt8](bytes), of: path)
      return true
    } catch {
      return false
    }
  }
}
