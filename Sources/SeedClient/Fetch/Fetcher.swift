import Foundation
import SeedDatabase
import SeedFormat
import SeedTrust
import Synchronization

/// Gets a publication's files from its server.
struct Fetcher: Sendable {
  let server: ServerAddress
  let transport: any Transport
  let layout: StoreLayout
  let onProgress: @Sendable (SeedProgress) -> Void

  /// A metadata file, `nil` where the server has none; it is the caller who judges it.
  func metadata(_ name: String, limit: Int) async throws -> [UInt8]? {
    let bytes = Mutex<[UInt8]>([])
    let url = try server.url("metadata/\(name)")
    let isThere = try await transport.get(url, limit: limit) { piece in bytes.withLock { $0 += piece } }
    return isThere ? bytes.withLock { $0 } : nil
  }

  /// A snapshot or a delta, with the length and the hash that were signed.
  func object(_ object: PublishedObject) async throws -> FetchedObject {
    let fetched = FetchedObject(object: object, path: "\(layout.partial)/\(object.sha256.hex)")
    do {
      try await download(fetched)
      return fetched
    } catch {
      fetched.discard()
      throw error
    }
  }

  private func download(_ fetched: FetchedObject) async throws {
    let object = fetched.object
    let url = try server.url(object.filePath)
    let file = try PartialFile(fetched.path, object, onProgress)
    let isThere = try await transport.get(url, limit: object.length) { piece in try file.take(piece) }
    guard isThere else { throw TransportError.absent(url: url.absoluteString) }
    try file.check()
  }
}

/// A file as it was published, on this device: not yet expanded, but what was signed.
struct FetchedObject: Sendable {
  let object: PublishedObject
  let path: String
  /// Whether the file belongs to the app, which brought it along.
  var isBorrowed = false

  /// Removes the file. Where that fails, the sweep at the next start does it.
  func discard() { if !isBorrowed { try? Folder.remove(path) } }
}
