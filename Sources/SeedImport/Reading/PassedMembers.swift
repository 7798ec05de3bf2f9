import SeedFormat

/// Some of the skipped members around a document's rows, named in the message about missing rows.
struct PassedMembers {
  private var names: [Int: [String]] = [:]

  private static let mostNames = 32
  private static let shownNames = 8

  mutating func note(_ name: String, of node: Int) {
    if names[node, default: []].count < Self.mostNames { names[node, default: []].append(name) }
  }

  /// Describes the deepest object on the path that has other members than the next one.
  func failure(_ path: MemberPath, _ frame: DocumentFrame) -> ImportFailure {
    let found = path.steps.indices.reversed().lazy.compactMap { described(path.steps, upTo: $0, frame) }.first
    return ImportFailure(
      .document,
      "the document has nothing at \(path)\(found ?? ""): correct the path of the list, or make the list optional"
    )
  }

  private func described(_ steps: [MemberPath.Step], upTo end: Int, _ frame: DocumentFrame) -> String? {
    let node = steps[..<end].reduce(DocumentFrame.root as Int?) { node, step in
      guard let node, case .member(let name) = step else { return nil }
      return frame.child(name, of: node)
    }
    guard case .member(let name) = steps[end], let node, let others = names[node] else { return nil }
    let place = MemberPath(steps: Array(steps[..<end]))
    if let nearest = nearestName(to: name, in: others) {
      return " (did you mean \(MemberPath(steps: place.steps + [.member(nearest)]))?)"
    }
    let list = others.prefix(Self.shownNames).map { "\"\($0)\"" }.joined(separator: ", ")
    return " (\(place) has \(list)\(others.count > Self.shownNames ? ", …" : ""))"
  }
}
