import SeedFormat
import Support

/// Changes to a publication's files by an attacker without keys.
struct FileAttack {
  enum Kind: CaseIterable {
    case bytes, splice, exchange, replay, removal, edit
  }

  private let world: MutatedWorld
  private let kind: Kind
  private var random: SplitMix
  private let seed: UInt64

  init(_ world: MutatedWorld, _ kind: Kind, seed: UInt64) {
    self.world = world
    self.kind = kind
    self.seed = seed
    random = SplitMix(seed: seed)
  }

  mutating func files() throws -> [String: [UInt8]] {
    var files = world.served
    let name = pick(files)
    let bytes = files[name] ?? []
    switch kind {
    case .bytes:
      var mutation = Mutation(seed: seed)
      files[name] = mutation(bytes)
    case .splice:
      let other = files[pick(files)] ?? []
      files[name] = Array(bytes[..<place(in: bytes)] + other[place(in: other)...])
    case .exchange:
      let other = pick(files)
      (files[name], files[other]) = (files[other], files[name])
    case .replay: replay(&files)
    case .removal: files[name] = nil
    case .edit:
      let metadata = pick(files.filter { $0.key.hasPrefix("metadata/") })
      files[metadata] = try edited(files[metadata] ?? [])
    }
    return files
  }

  /// A file that clients still request; half of the picks are metadata.
  private mutating func pick(_ files: [String: [UInt8]]) -> String {
    let folder = random.chance(50) ? "metadata/" : "targets/"
    let names = files.keys.filter(world.isCurrent).sorted()
    let own = names.filter { $0.hasPrefix(folder) }
    return random.pick(own.isEmpty ? names : own)
  }

  private mutating func place(in bytes: [UInt8]) -> Int { Int.random(in: 0...bytes.count, using: &random) }

  /// Replaces a newer file with an older one, or all metadata with that of another time.
  private mutating func replay(_ files: inout [String: [UInt8]]) {
    let old = random.pick(world.states)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: files["metadata/timestamp.json"] = old["metadata/timestamp.json"]
    case 1: files.merge(old) { $1 }
    default:
      let name = pick(files)
      let kin = old.keys.filter { Self.role($0) == Self.role(name) }.sorted()
      if !kin.isEmpty { files[name] = old[random.pick(kin)] }
    }
  }

  /// The name without version and hash.
  private static func role(_ name: String) -> String {
    name.split { ".-/".contains($0) }.filter { Int($0) == nil && $0.count < 64 }.joined()
  }

  // MARK: JSON

  /// The document with another value somewhere and its old signature.
  private mutating func edited(_ bytes: [UInt8]) throws -> [UInt8] {
    let tree = try JSONValue(parsing: bytes)
    var changed = tree
    while changed == tree { changed = edited(tree) }
    return changed.bytes
  }

  private mutating func edited(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members) where !members.isEmpty: .object(edited(members))
    case .array(let elements) where !elements.isEmpty: .array(edited(elements))
    case .integer(let number): .integer(random.pick([number &+ 1, number &- 1, 0, -1, .max, 1 << 53]))
    case .string(let text):
      .string(random.pick([text.uppercased(), text + " ", "", String(text.dropLast())]))
    case .bool(let isTrue): .bool(!isTrue)
    default: random.pick([.null, .integer(1), .string("x"), .array([])])
    }
  }

  private mutating func edited(_ members: [JSONMember]) -> [JSONMember] {
    var members = members
    let index = Int.random(in: members.indices, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: members.remove(at: index)
    case 1: members.append(members[index])
    default: members[index] = JSONMember(members[index].name, edited(members[index].value))
    }
    return members
  }

  private mutating func edited(_ elements: [JSONValue]) -> [JSONValue] {
    var elements = elements
    let index = Int.random(in: elements.indices, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: elements.remove(at: index)
    case 1: elements.append(elements[index])
    default: elements[index] = edited(elements[index])
    }
    return elements
  }
}
