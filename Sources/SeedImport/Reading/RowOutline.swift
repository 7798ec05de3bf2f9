import SeedFormat

/// A long row's short form: the row without the nested rows that can be read one by one, and where these are.
struct RowOutline {
  struct Part {
    /// The relation's number in the row's plan.
    let relation: Int
    /// Where the document has its array or object.
    let range: Range<Int>
  }

  let json: [UInt8]
  var parts: [Part] = []
  /// Where values of the short form begin, and where the document has them; rising.
  var places: [(short: Int, document: Int)] = []

  /// Where the document has a byte of the short form.
  func place(of offset: Int) -> Int? {
    places.last { $0.short <= offset }.map { $0.document + offset - $0.short }
  }
}
