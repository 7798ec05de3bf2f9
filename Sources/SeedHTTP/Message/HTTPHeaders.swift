/// Ordered header fields with case-insensitive lookup.
package struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  package struct Field: Hashable, Sendable {
    package let name: String
    /// The value without surrounding whitespace.
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  package private(set) var fields: [Field]

  package init(_ fields: [Field] = []) { self.fields = fields }

  package init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field($0.0, $0.1) }
  }

  package subscript(name: String) -> String? { fields.first { $0.name.equalsIgnoringCase(name) }?.value }

  package func values(of name: String) -> [String] {
    fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
  }

  package mutating func append(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  package mutating func append(contentsOf others: HTTPHeaders) { fields += others.fields }

  package mutating func set(_ name: String, to value: String) {
    remove([name])
    append(name, value)
  }

  package mutating func remove(_ names: [String]) {
    fields.removeAll { field in names.contains { field.name.equalsIgnoringCase($0) } }
  }
}

extension String {
  func equalsIgnoringCase(_ other: String) -> Bool {
    utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
  }
}

extension BidirectionalCollection where SubSequence == Self {
  func trimmed(_ isBlank: (Element) -> Bool) -> Self {
    var rest = drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }
}

extension UInt8 {
  var asciiLowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
}
