import SeedDatabase

extension SQLText {
  func definition(ofColumn name: String) -> String? { column(name).map { text(place($0)) } }

  /// Appends a column with the layout of the last one; `nil` without columns.
  func adding(lastColumn definition: String) -> String? {
    guard let last = columns.last else { return nil }
    let end = place(last).upperBound
    // A comment on the column's line stays with it.
    let behind = remarkEnd(in: end..<tokens[last.upperBound].range.lowerBound) ?? end
    let added = layout(before: last, isLine: behind > end) + definition
    return replacing(end..<behind, with: ",\(text(end..<behind))\(added)")
  }

  func adding(firstColumn column: String) -> String? {
    entries.first.map(place).map { replacing($0.lowerBound..<$0.lowerBound, with: "\(column), ") }
  }

  func declaring(_ name: String, as type: String) -> String? {
    guard let column = column(name) else { return nil }
    let words = column.lowerBound + 1..<(constraints(in: column).first?.lowerBound ?? column.upperBound)
    return words.isEmpty ? nil : replacing(place(words), with: type)
  }

  /// Replaces PRIMARY KEY with UNIQUE, which allows NULL in the same columns.
  var withUniqueForPrimaryKey: String? {
    tokens.indices.first { keyword($0) == "PRIMARY" && keyword($0 + 1) == "KEY" }.map { primary in
      let isSorted = ["ASC", "DESC"].contains(keyword(primary + 2))
      return replacing(place(primary..<primary + (isSorted ? 3 : 2)), with: "UNIQUE")
    }
  }

  private func column(_ name: String) -> Range<Int>? {
    columns.first { tokens[$0.lowerBound].name(in: bytes).lowercased() == name.lowercased() }
  }

  /// The end of the line with the gap's last comment.
  private func remarkEnd(in gap: Range<Int>) -> Int? {
    text(gap).contains("--") ? bytes[gap].lastIndex(of: UInt8(ascii: "\n")) : nil
  }

  /// The whitespace before a column, starting at the line's end.
  private func layout(before column: Range<Int>, isLine: Bool) -> String {
    let gap = bytes[
      tokens[column.lowerBound - 1].range.upperBound..<tokens[column.lowerBound].range.lowerBound]
    guard let line = gap.lastIndex(of: UInt8(ascii: "\n")) else { return isLine ? "\n  " : " " }
    return String(decoding: gap[line...].filter { $0 <= UInt8(ascii: " ") }, as: UTF8.self)
  }
}
