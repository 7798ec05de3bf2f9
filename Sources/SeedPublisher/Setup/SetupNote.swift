import SeedFormat

/// A part of the origin that the clients' file lacks or has changed, with the reason.
package struct SetupNote: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case table, column, index, view, trigger, file
    case virtualTable = "virtual table"
    /// Changes of published tables and columns.
    case numbering, key, type, collation, rules
    /// A table with more rows than its name suggests.
    case rows

    fileprivate var verb: String {
      switch self {
      case .numbering: "Numbered the rows of table"
      case .key: "Chose another key for table"
      case .collation: "Removed a collation from table"
      case .rules: "Skipped the CHECKs and references of table"
      case .rows: "Check the rows of table"
      case .type: "Declared as \(OriginTable.anyType) the column"
      default: "Skipped \(rawValue)"
      }
    }

    var isLeftOut: Bool { ![.numbering, .key, .type, .collation, .rules, .rows].contains(self) }
  }

  package let kind: Kind
  package let name: String
  /// The column.
  package var part: String?
  package let reason: String
  /// The remedy; empty if the reason includes it.
  package var remedy = ""

  package init(kind: Kind, name: String, part: String? = nil, reason: String, remedy: String = "") {
    (self.kind, self.name, self.part, self.reason, self.remedy) = (kind, name, part, reason, remedy)
  }

  package static func rules(of table: String) -> SetupNote {
    SetupNote(
      kind: .rules, name: table, reason: "devices only read",
      remedy: "to have each step check them, add them to schema.sql before the first run")
  }

  private var subject: String {
    switch (kind, part) {
    case (.column, let column?), (.type, let column?): "\"\(name)\".\"\(column)\""
    default: "\"\(name)\""
    }
  }

  var text: String { "\(kind.verb) \(subject): \(explanation)" }

  private var explanation: String { remedy.isEmpty ? reason : "\(reason); \(remedy)" }

  /// A line for each note. Notes that differ only in the name share one line.
  package static func lines(_ notes: [SetupNote]) -> [String] { groups(notes).map(line) }

  private static func groups(_ notes: [SetupNote]) -> [[SetupNote]] {
    var groups: [[SetupNote]] = []
    for note in notes {
      let group = groups.firstIndex {
        $0[0].kind == note.kind && $0[0].explanation == note.explanation
      }
      if let group { groups[group].append(note) } else { groups.append([note]) }
    }
    return groups
  }

  private static func line(_ group: [SetupNote]) -> String {
    guard group.count > 1 else { return group[0].text }
    let list = group.map(\.subject).joined(separator: ", ")
    return "\(group[0].kind.verb)\(group[0].kind == .index ? "es" : "s") \(list): \(group[0].explanation)"
  }
}

extension SetupNote {
  init(_ kind: Kind, _ name: String, _ cause: SkipCause) {
    self.init(kind: kind, name: name, reason: cause.reason, remedy: cause.remedy(kind))
  }
}
