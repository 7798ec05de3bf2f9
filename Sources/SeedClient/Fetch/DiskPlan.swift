import SeedFormat
import SeedTrust

/// The disk space that an update needs beside the existing files, computed before the download: its files, and their
/// expanded contents. Pure.
struct DiskPlan: Hashable, Sendable {
  let needed: Int

  /// `held` bytes of the objects are already here.
  init(_ objects: [PublishedObject], held: Int) {
    needed = objects.reduce(max(objects.bytes - held, 0)) { $0 + $1.rawLength }
  }

  func check(available: Int?, in folder: String) throws(SeedError) {
    guard let available, needed > available else { return }
    throw SeedError(
      .insufficientSpace,
      "the update needs \(ByteCount(bytes: needed)) in \(folder), but \(ByteCount(bytes: available)) are free: make room and try again",
      neededBytes: needed, availableBytes: available)
  }
}
