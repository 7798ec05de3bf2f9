import SeedImport
import Support

extension ImportBench {
  /// Imports documents with bad rows, which are collected.
  @discardableResult
  func collect(
    _ documents: String..., mapping: ImportMapping, hooks: ImportHooks = ImportHooks(), pieces: Int = .max
  ) throws -> ImportReport {
    try run(
      documents: documents.map { Array($0.utf8) }, mapping: mapping, policy: ImportPolicy(badRows: .collect),
      hooks: hooks, pieces: pieces)
  }
}
