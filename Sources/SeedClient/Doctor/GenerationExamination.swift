import SeedDatabase
import SeedFormat
import SeedSystem

/// Proves one generation from its rows.
struct GenerationExamination {
  /// What a generation is to its store.
  enum Place {
    /// The one that is read.
    case current
    /// The one that a roll-back leads to.
    case previous
    /// One that does not count any more, or does not yet.
    case other

    init(_ name: String, _ pointer: GenerationPointer?) {
      self = name == pointer?.current ? .current : name == pointer?.previous ? .previous : .other
    }
  }

  private let folder: GenerationFolder
  private let place: Place

  init(_ folder: GenerationFolder, _ place: Place) {
    self.folder = folder
    self.place = place
  }

  private var path: String { "generations/\(folder.name)" }

  /// What the generation says of itself, where it is what it says.
  func run(_ report: inout StoreReport) -> SeedMeta? {
    guard place != .other else {
      report.add(.note, path, "it does not count", StoreRemedy.collection)
      return nil
    }
    report.generations += 1
    do {
      let (meta, rows) = try proved(isInUse: report.isInUse)
      if place == .current { report.data = StoreReport.Data(meta, file: folder.file, rows: rows) }
      return meta
    } catch {
      report.add(place == .current ? .error : .warning, path, SeedError(error).message, remedy)
      return nil
    }
  }

  private var remedy: String { place == .current ? StoreRemedy.repair : StoreRemedy.previous }

  private func proved(isInUse: Bool) throws -> (meta: SeedMeta, rows: Int) {
    let connection = try Connection(folder.file, recipe(isInUse))
    let proof = try GenerationProof.run(connection)
    guard !folder.isRefuted else {
      throw SeedError(.damaged, "a read of it found damage: it is read no more")
    }
    return proof
  }

  /// Where nobody writes and the file is all there is, SQLite need not make the files that readers share.
  private func recipe(_ isInUse: Bool) throws -> Connection.OpenMode {
    let log = try DurableFile.start(of: "\(folder.file)-wal", 1) ?? []
    return isInUse || !log.isEmpty ? .reader : .snapshot
  }
}

extension StoreReport.Data {
  fileprivate init(_ meta: SeedMeta, file: String, rows: Int) {
    self.init(
      series: meta.series, model: meta.model, epoch: meta.epoch, version: meta.version, digest: meta.digest,
      file: file, rows: rows)
  }
}
