import SeedDatabase
import SeedSystem

/// What crashes and interrupted downloads left.
struct LeftoverExamination {
  private let layout: StoreLayout

  init(_ layout: StoreLayout) { self.layout = layout }

  func run(_ report: inout StoreReport) throws {
    for (folder, prefix) in [(layout.directory, ""), (layout.trust, "trust/")] {
      for name in try Folder.names(in: folder) where name.hasSuffix(DurableFile.temporarySuffix) {
        report.add(.note, prefix + name, "a write that did not end", StoreRemedy.sweep)
      }
    }
    let rejected = try layout.rejected().count
    if rejected > 0 {
      report.add(.note, "REJECTED", "\(rejected) hashes of data that was taken back", StoreRemedy.none)
    }
    for name in try Folder.names(in: layout.partial) { try add(name, &report) }
  }

  private func add(_ name: String, _ report: inout StoreReport) throws {
    let bytes = try File("\(layout.partial)/\(name)", for: .reading).length()
    report.partialBytes += bytes
    report.add(.note, "partial/\(name)", "\(bytes) bytes of a download that has not ended", StoreRemedy.none)
  }
}
