import SeedFormat
import Support
import Testing

/// Reads a document as tokens, as a value and, if it is an array, by element; each in one piece, cut at every byte,
/// and byte by byte. Expects that all agree, and returns the tape's result.
@discardableResult
func readThreeWays(_ document: [UInt8]) -> JSONReading {
  let tokens = JSONReading(tokensOf: document)
  let value = JSONReading(valueOf: document)
  let elements = tokens.events.first == .token(.beginArray) ? JSONReading(elementsOf: document) : nil
  let text = shown(document)
  let cutting = (document.indices.map { [$0] } + [Array(document.indices)]).first { cuts in
    JSONReading(tokensOf: document, cuts: cuts) != tokens
      || JSONReading(valueOf: document, cuts: cuts) != value
      || elements.map { JSONReading(elementsOf: document, cuts: cuts) != $0 } == true
  }
  #expect(cutting == nil, "\(text) is read otherwise in pieces")
  if let elements {
    #expect(value.error == nil ? elements == value : elements.error == value.error, "\(text)")
  }
  expectAgreement(tokens, value, text)
  return value
}

/// Tokens and tape may differ in two points. A number beyond integers and doubles is an error only as a token. A
/// duplicate name is found immediately as a token, and at the object's end on the tape.
private func expectAgreement(_ tokens: JSONReading, _ value: JSONReading, _ text: String) {
  let isBeyond = tokens.error?.reason.hasPrefix("a number beyond") == true
  let isDuplicate = [tokens, value].contains { $0.error?.reason.hasPrefix("duplicate") == true }
  let agree =
    value.error == nil
    ? value.hasNumberBeyond ? isBeyond : tokens == value
    : tokens.error != nil && (isBeyond || isDuplicate || tokens.error == value.error)
  #expect(agree, "\(text) as tokens: \(tokens), as a value: \(value)")
}

@discardableResult
func expectRead(_ document: [UInt8]) -> [JSONEvent] {
  let reading = readThreeWays(document)
  #expect(reading.error == nil, "\(shown(document))")
  return reading.events
}

@discardableResult
func expectRead(_ text: String) -> [JSONEvent] { expectRead(Array(text.utf8)) }

func expectRefused(_ document: [UInt8], at offset: Int? = nil, _ reason: String? = nil) {
  let error = readThreeWays(document).error
  let isExpected = error.map { $0.offset == offset ?? $0.offset && $0.reason == reason ?? $0.reason }
  #expect(isExpected == true, "\(shown(document)): \(error.map { "\($0)" } ?? "accepted")")
}

func expectRefused(_ text: String, at offset: Int? = nil, _ reason: String? = nil) {
  expectRefused(Array(text.utf8), at: offset, reason)
}

private func shown(_ document: [UInt8]) -> String {
  String(decoding: document.prefix(80), as: UTF8.self)
}
