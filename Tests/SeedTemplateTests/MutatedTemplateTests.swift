import Foundation
import SeedDatabase
import SeedFormat
import SeedTemplate
import Support
import Testing

@Suite("Mutated templates")
struct MutatedTemplateTests {
  private let maker: StoreMaker
  private let path: String

  init() throws {
    maker = try StoreMaker()
    path = try maker.store(Transit.model([], [JSONMember("history", true)]))
  }

  @Test("a file with flipped bits is rejected or read correctly", arguments: [21, 22])
  func files(seed: Int) throws {
    let original = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let right = Layout(try Template(reading: path))
    var random = SplitMix(seed: UInt64(seed))
    var accepted = 0
    for round in 0..<(Stage.pick(quick: 40, full: 150, deep: 1000)) {
      let copy = maker("mutant.store")
      try Data(mutated(original, &random)).write(to: URL(filePath: copy))
      guard let template = try? Template(reading: copy) else { continue }
      accepted += 1
      #expect(Layout(template) == right, "seed \(seed), round \(round)")
    }
    #expect(accepted > 0)
  }

  /// Unlike damage of a disk: the compression is valid, so only the archive can reveal the change.
  @Test("a model archive with flipped bits is rejected or read correctly", arguments: [31, 32])
  func archives(seed: Int) throws {
    let connection = try Connection(path, .own)
    let original = try archive(connection)
    let right = Layout(try Template(reading: path))
    var random = SplitMix(seed: UInt64(seed))
    var accepted = 0
    for round in 0..<(Stage.pick(quick: 40, full: 150, deep: 1000)) {
      try connection.execute(
        "UPDATE Z_MODELCACHE SET Z_CONTENT = ?", .blob(stored(mutated(original, &random))))
      guard let template = try? Template(reading: path) else { continue }
      accepted += 1
      #expect(Layout(template) == right, "seed \(seed), round \(round)")
    }
    #expect(accepted > 0)
  }

  private func archive(_ connection: Connection) throws -> [UInt8] {
    guard case .blob(let content)? = try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE") else {
      return []
    }
    var bytes: [UInt8] = []
    try RawInflater().process(content, isLast: true) { bytes += $0 }
    return bytes
  }

  /// Deflate's form for uncompressed bytes (RFC 1951, section 3.2.4).
  private func stored(_ bytes: [UInt8]) -> [UInt8] {
    let longest = 65_535
    return stride(from: 0, to: bytes.count, by: longest).flatMap { start -> [UInt8] in
      let block = bytes[start..<min(start + longest, bytes.count)]
      let isLast: UInt8 = start + longest >= bytes.count ? 1 : 0
      let length = UInt16(block.count)
      return [isLast, UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
        + block
    }
  }
}

/// How objects are stored. Defaults, delete rules and letter case have no second copy, so changes go undetected.
private struct Layout: Equatable {
  private let lines: [String]

  init(_ template: Template) {
    let columns = template.mapping.tables.flatMap { table in
      table.columns.map { "\(table.name).\($0.name) \($0.type) \($0.content.words)" }
    }
    let properties = template.file.model.entities.flatMap { entity in
      [
        "\(entity.name) \(entity.parent ?? "") \(template.file.numbers[entity.name] ?? 0) \(entity.uniqueness)"
      ]
        + entity.attributes.filter { !$0.isTransient }.map {
          "\(entity.name).\($0.name) \($0.type) \($0.isOptional) \($0.elements.map(\.name))"
        }
        + entity.relationships.map {
          "\(entity.name).\($0.name) \($0.destination) \($0.inverse ?? "") \($0.isToOne) \($0.isOrdered) \($0.isOptional)"
        }
    }
    lines = (columns + properties).map { $0.lowercased() } + template.mapping.triggers
  }
}
