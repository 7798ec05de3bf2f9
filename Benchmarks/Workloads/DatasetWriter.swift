import Foundation
import SeedFormat

/// Writes a workload's documents, and a database of the same rows.
final class DatasetWriter {
  private let files: WorkloadFiles
  private let phase: Phase
  private let tables: [TableShape]
  private let source: RawDatabase
  private let statements: [RawStatement]
  private var buffer: [UInt8] = []
  private var document: FileHandle?
  private var documents = 0
  private var needsComma = false

  private static let flushBytes = 1 << 20

  init(_ workload: any Workload, _ files: WorkloadFiles, _ phase: Phase) throws {
    (self.files, self.phase, tables) = (files, phase, workload.tables)
    source = try RawDatabase(files.source(phase))
    try source.execute(tables.map(\.schema).joined(separator: ";\n"))
    let source = source
    statements = try tables.map { try source.prepare($0.insert + $0.onConflict(.overwrite)) }
  }

  func write(_ workload: any Workload) throws {
    try source.transaction { try workload.generate(self, phase) }
    try source.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  func beginDocument(_ opening: String) throws {
    let path = files.document(phase, documents)
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw BenchmarkError.unexpected("refusal to create", in: path)
    }
    document = FileHandle(forWritingAtPath: path)
    documents += 1
    needsComma = false
    raw(opening)
  }

  func endDocument(_ closing: String) throws {
    raw(closing)
    try flush()
    try document?.close()
  }

  func raw(_ text: String) { buffer.append(contentsOf: text.utf8) }

  /// Begins a list. Call ``separate()`` before each element.
  func beginList(_ opening: String) {
    raw(opening)
    needsComma = false
  }

  func endList(_ closing: String) {
    raw(closing)
    needsComma = true
  }

  func separate() throws {
    if needsComma { raw(",") }
    needsComma = true
    if buffer.count > Self.flushBytes { try flush() }
  }

  /// Writes a row, which is an object in the document.
  func object(_ table: Int, _ values: [SeedValue]) throws {
    try separate()
    raw("{")
    members(table, values)
    raw("}")
    try row(table, values)
  }

  /// Writes an object's members without braces.
  func members(_ table: Int, _ values: [SeedValue], only names: Set<String>? = nil) {
    var isFirst = true
    for (column, value) in zip(tables[table].columns, values) where names?.contains(column.name) ?? true {
      raw(isFirst ? "\"\(column.name)\":" : ",\"\(column.name)\":")
      scalar(value)
      isFirst = false
    }
  }

  func scalar(_ value: SeedValue) {
    switch value {
    case .integer(let value): raw(String(value))
    case .real(let value): JSONWriter.append(value, to: &buffer)
    case .text(let value): JSONWriter.append(value, to: &buffer)
    case .null, .blob: raw("null")
    }
  }

  /// Writes a row to the database only.
  func row(_ table: Int, _ values: [SeedValue]) throws { try statements[table].run(values) }

  private func flush() throws {
    try document?.write(contentsOf: Data(buffer))
    buffer.removeAll(keepingCapacity: true)
  }
}
