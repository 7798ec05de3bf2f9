import Foundation
import SeedTemplate
import Support
import Testing

/// Compares every list with Python's plistlib.
@Suite("Binary property lists")
struct PlistTests {
  @Test("a list written by plistlib is read like plistlib reads it", arguments: [1, 2, 3])
  func generated(seed: Int) throws {
    let folder = try TemporaryFolder()
    let lines = try plistlib("make", folder, "\(seed)", Stage.isDeep ? "5000" : "300")
    for (name, line) in zip(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(), lines)
    {
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)")))
      #expect(try BinaryPlist(bytes).spelled == line, "seed \(seed), list \(name)")
    }
  }

  @Test("a mutated list is rejected or read like plistlib reads it", .full, arguments: [11, 12])
  func mutants(seed: Int) throws {
    let (whole, folder) = (try TemporaryFolder(), try TemporaryFolder())
    _ = try plistlib("make", whole, "\(seed)", "20")
    var random = SplitMix(seed: UInt64(seed))
    let originals = try FileManager.default.contentsOfDirectory(atPath: whole.path).sorted().map {
      [UInt8](try Data(contentsOf: URL(filePath: "\(whole.path)/\($0)")))
    }
    let count = Stage.isDeep ? 20_000 : 1_500
    let mutants = (0..<count).map { _ in mutated(random.pick(originals), &random) }
    for (number, bytes) in mutants.enumerated() {
      try Data(bytes).write(to: URL(filePath: "\(folder.path)/\(String(format: "%06d", number))"))
    }
    let lines = try plistlib("read", folder)
    #expect(lines.count == count)
    var accepted = 0
    for (number, (bytes, line)) in zip(mutants, lines).enumerated() {
      guard let list = try? BinaryPlist(bytes) else { continue }
      accepted += 1
      #expect(
        line == "?" || list.spelled == line,
        "seed \(seed), mutant \(number): \(line.prefix(200)), \(list.spelled.prefix(200))")
    }
    #expect(accepted > count / 20 && accepted < count)
  }

  @Test("overlapping objects and too many objects are rejected")
  func hostile() {
    let twice = list([[0x51, 0x61]], offsets: [8, 8])
    #expect(throws: PlistError(reason: .overlapping, offset: 8)) { try BinaryPlist(twice) }
    var huge = list([[0x09]])
    huge.replaceSubrange((huge.count - 24)..<(huge.count - 16), with: [0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF])
    #expect(throws: PlistError(reason: .tooManyObjects, offset: huge.count - 24)) { try BinaryPlist(huge) }
    #expect(throws: PlistError(reason: .notBinary, offset: 0)) { try BinaryPlist(Array("<?xml".utf8)) }
    #expect(throws: PlistError(reason: .truncated, offset: 8)) { try BinaryPlist(Array("bplist00".utf8)) }
    #expect(throws: PlistError(reason: .duplicate, offset: 8)) {
      try BinaryPlist(list([[0xD2, 1, 2, 1, 2], [0x51, 0x61], [0x51, 0x61]]))
    }
  }

  private func list(_ objects: [[UInt8]], offsets: [UInt8]? = nil) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var table: [UInt8] = []
    for object in objects {
      table += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
      bytes += object
    }
    if let offsets { table = offsets.flatMap { [0, $0] } }
    let start = bytes.count
    bytes += table + [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [table.count / 2, 0, start] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) }
    }
    return bytes
  }

  private func plistlib(_ action: String, _ folder: TemporaryFolder, _ rest: String...) throws -> [String] {
    try python(try script("read_plist.py"), [action, folder.path] + rest).split(separator: "\n").map(
      String.init)
  }
}

/// The text of a script next to the tests.
func script(_ name: String) throws -> String {
  let folder = URL(filePath: #filePath).deletingLastPathComponent()
  return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
}

/// Bytes with one to four changes, or truncated.
func mutated(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
  var bytes = bytes
  for _ in 0..<Int.random(in: 1...4, using: &random) {
    let place = Int.random(in: bytes.indices, using: &random)
    if random.chance(70) {
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    } else {
      bytes[place] = UInt8.random(in: 0...255, using: &random)
    }
  }
  return random.chance(5) ? Array(bytes.prefix(Int.random(in: 8...bytes.count, using: &random))) : bytes
}

extension BinaryPlist {
  fileprivate var spelled: String { spelled(root) }

  private func spelled(_ number: Int) -> String {
    switch objects[number] {
    case .null: return "n"
    case .bool(let value): return value ? "t" : "f"
    case .integer(let value): return "i\(value)"
    case .real(let value):
      return value.isNaN ? "rNaN" : "r" + hex((0..<8).map { UInt8(value.bitPattern >> (56 - 8 * $0) & 0xFF) })
    case .date(let value):
      return value.isFinite && abs(value) < 1e15 ? "d\(Int((value + 0.001).rounded(.down)))" : "d?"
    case .data(let bytes): return "x" + hex(bytes)
    case .string(let text): return "s" + hex(Array(text.utf8))
    case .uid(let value): return "u\(value)"
    case .array(let members): return "[" + members.map(spelled).joined(separator: ",") + "]"
    case .dictionary(let members):
      let pairs = members.map { (hex(Array($0.name.utf8)), spelled($0.value)) }.sorted { $0.0 < $1.0 }
      return "{" + pairs.map { "\($0):\($1)" }.joined(separator: ",") + "}"
    }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
  }
}
