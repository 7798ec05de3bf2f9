import SeedDatabase
import SeedFormat

/// A value that a mapping gives a column: it has to fit as a document's values have to.
struct PlainValue {
  private let column: ColumnSchema

  init(_ column: ColumnSchema) { self.column = column }

  /// The value as the column takes it; `nil` where it does not.
  func fit(_ value: SeedValue) -> SeedValue? {
    switch (value, column.affinity) {
    case (.text(var text), .integer):
      guard case .integer(let whole)? = text.withUTF8({ spelledNumber($0) }) else { return nil }
      return .integer(whole)
    case (.text(var text), .real): return text.withUTF8 { spelledNumber($0) }.flatMap { number($0.owned) }
    case (.text, .blob): return column.declaredType.uppercased().contains("BLOB") ? nil : value
    case (.integer, _), (.real, _): return number(value)
    case (.blob, .integer), (.blob, .real): return nil
    case (.null, _), (.text, _), (.blob, _): return value
    }
  }

  private func number(_ value: SeedValue) -> SeedValue? {
    switch (value, column.affinity) {
    case (.real(let real), .integer): Int64(exactly: real).map { .integer($0) }
    case (.integer(let integer), .real): .real(Double(integer))
    default: value
    }
  }
}
