import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

@testable import SeedClient

/// A scratch folder, in memory if the system has /dev/shm.
func scratchFolder(_ name: String) -> String {
  let parent = Folder.exists("/dev/shm") ? "/dev/shm/" : NSTemporaryDirectory()
  return "\(parent)seedbank-fuzz-\(ProcessInfo.processInfo.processIdentifier)-\(name)"
}

/// Makes a generation of a signed snapshot and applies the delta, without a store around it.
struct FuzzedClient {
  private let layout = StoreLayout(directory: scratchFolder("store"))

  init() {
    do { try layout.create() } catch { preconditionFailure("\(error)") }
  }

  func take(_ signed: Forgery.Signed) {
    guard
      let staged = try? StagedSeed(
        fetched(signed.snapshot, "snapshot"), epoch: signed.epoch, provingRows: signed.provesRows, in: layout)
    else { return }
    defer { try? Folder.removeAll(staged.folder.path) }
    require(signed.snapshot.object, in: staged, signed.provesRows)
    do {
      _ = try staged.file.apply([fetched(signed.delta, "delta")], keyLimit: 0)
    } catch {
      return require(signed.snapshot.object, in: staged, signed.provesRows)
    }
    require(signed.delta.object, in: staged, signed.provesRows)
  }

  private func fetched(_ file: (object: PublishedObject, stored: [UInt8]), _ name: String) -> FetchedObject {
    let path = "\(layout.partial)/\(name)"
    do { try DurableFile.write(file.stored, to: path) } catch { preconditionFailure("\(error)") }
    return FetchedObject(object: file.object, path: path)
  }

  /// If the rows were proven, the file must have the object's version, and rows with its digest. Otherwise a damaged list
  /// of free pages may cost any page.
  private func require(_ object: PublishedObject, in staged: StagedSeed, _ isProven: Bool) {
    guard isProven else { return }
    do {
      let connection = try Connection(staged.folder.file, .writer)
      let meta = try SeedTables.meta(connection)
      precondition(meta.version == object.version, "version \(meta.version) is not the signed one")
      precondition(meta.digest == object.digest, "the digest is not the signed one")
      let check = SeedCheck(connection, try SchemaReader(connection).schema())
      try check.run()
      try check.checkSearchTables()
    } catch {
      preconditionFailure("a seed that was accepted is damaged: \(error)")
    }
  }
}
