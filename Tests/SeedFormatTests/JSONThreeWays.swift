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
  for cuts in document.indices.map({ [$0] }) + [Array(document.indices)] {
    #expect(JSONReading(tokensOf: document, cuts: cuts) == tokens, "\(text) as tokens, cut at \(cuts)")
    #expect(JSONReading(valueOf: document, cuts: cuts) == value, "\(text) as a value, cut at \(cuts)")
    guard let elements else { continue }
    #expect(JSONReading(elementsOf: document, cuts: cuts) == elements, "\(text) as elements, cut at \(cuts)")
  }
  if let elements { #expect(elements.error == value.error, "\(text)") }
  if let elements, value.error == nil { #expect(elements == value, "\(text)") }
  expectAgreement(tokens, value, text)
  return value
}

/// Tokens and tape may differ in two points. A number beyond integers and doubles is an error only as a token. A
/// duplicate name is found immediately as a token, and at the object's end on the tape.
private func expectAgreement(_ tokens: JSONReading, _ value: JSONReading, _ text: String) {
  let isBeyond = tokens.error?.reason.hasPrefix("a number beyond") == true
  let isDuplicate = [tokens, value].contains { $0.error?.reason.hasPrefix("duplicate") == true }
  if value.error == nil {
    if value.hasNumberBeyond { #expect(isBeyond, "\(text)") } else { #expect(tokens == value, "\(text)") }
  } else {
    #expect(tokens.error != nil, "\(text)")
    if !isBeyond, !isDuplicate { #expect(tokens.error == value.error, "\(text)") }
  }
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
  #expect(error != nil, "\(shown(document))")
  if let offset { #expect(error?.offset == offset, "\(shown(document))") }
  if let reason { #expect(error?.reason == reason, "\(shown(document))") }
}

func expectRefused(_ text: String, at offset: Int? = nil, _ reason: String? = nil) {
  expectRefused(Array(text.utf8), at: offset, reason)
}

private func shown(_ document: [UInt8]) -> String {
  String(decoding: document.prefix(80), as: UTF8.self)
}
