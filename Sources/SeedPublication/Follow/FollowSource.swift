import SeedFormat
import SeedSystem
package import SeedTrust

/// The source of a publication. The caller compares its files with the signed digests.
package protocol FollowSource: Sendable {
  var name: String { get }
  func metadata(_ name: String, limit: Int) async throws -> [UInt8]?
  /// The path of a file with the object's length and hash, which the caller moves.
  func object(_ object: PublishedObject) async throws -> String
}

/// A mirror, or a folder that holds a publication. Its files are copied to `parts`.
package struct StoreSource: FollowSource {
  private let store: any MirrorStore
  private let parts: String

  private static let (attempts, pauseSeconds) = (3, 1)

  package init(_ store: any MirrorStore, parts: String) { (self.store, self.parts) = (store, parts) }

  package var name: String { store.place }

  /// The store does not enforce `limit`; the caller does.
  package func metadata(_ file: String, limit: Int) async throws -> [UInt8]? {
    try await asking { [store] in try store.read("metadata/\(file)")?.bytes }
  }

  package func object(_ object: PublishedObject) async throws -> String {
    let part = "\(parts)/\(object.sha256.hex).part"
    let isContinued = Folder.exists(part)
    var found = try await copy(object, to: part)
    if isContinued, found != nil, found != object.sha256 {
      // Parts of two different files may have been joined.
      try Folder.removeAny(part)
      found = try await copy(object, to: part)
    }
    guard found != object.sha256 else { return part }
    try? Folder.removeAny(part)
    let fault = found == nil ? "missing, which the metadata beside it names" : "not the signed file"
    throw Refusal(
      found == nil ? .unavailable : .badData,
      "\("\(name)/\(object.filePath)".printable) is \(fault): copy it again, or ask its operator.")
  }

  private func copy(_ object: PublishedObject, to part: String) async throws -> SHA256Digest? {
    try await asking { [store] in try store.download(object.filePath, bytes: object.length, to: part) }
  }

  private func asking<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws
    -> Answer
  {
    var attempt = 1
    while true {
      do {
        return try await blocking(work)
      } catch MirrorError.away where attempt < Self.attempts {
        attempt += 1
        try await Task.sleep(for: .seconds(Self.pauseSeconds))
      } catch let error as MirrorError { throw MirrorFailure(store.place, error) }
    }
  }
}
