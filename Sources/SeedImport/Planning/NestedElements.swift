import SeedFormat

/// A nested value by its position on the tape, with its name's position in a dictionary.
struct NestedElement {
  let index: Int
  let name: Int?
}

struct NestedElements {
  private var next: Int
  private let end: Int
  private let isDictionary: Bool

  /// Fails if the value at `index` does not match the relation's layout; null has no elements.
  init?(_ relation: RowRelation, at index: Int, _ source: borrowing DocumentSource) {
    end = source.tape.end(of: index)
    isDictionary = relation.names != nil
    switch source.tape.kind(index) {
    case .null: next = end
    case .array where relation.isArray, .object where isDictionary: next = index + 1
    case let kind where relation.isArray || isDictionary || kind == .array: return nil
    default: next = index
    }
  }

  mutating func next(_ source: borrowing DocumentSource) -> NestedElement? {
    guard next < end else { return nil }
    let name = isDictionary ? next : nil
    let index = isDictionary ? next + 1 : next
    next = source.tape.end(of: index)
    return NestedElement(index: index, name: name)
  }
}

extension RowRelation {
  var wantedKind: String { isArray ? "an array" : "an object" }
}
