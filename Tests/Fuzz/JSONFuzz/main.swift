// Reads any bytes as JSON: in one piece and in many, as tokens and onto a tape. All must agree.
import CFuzzer
import SeedFormat
import Support

@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let document = Array(UnsafeBufferPointer(start: data, count: size))
  let tokens = JSONReading(tokensOf: document)
  let value = JSONReading(valueOf: document)
  let cuts = randomCuts(document)
  require(JSONReading(tokensOf: document, cuts: cuts) == tokens, "tokens differ in pieces at \(cuts)")
  require(JSONReading(valueOf: document, cuts: cuts) == value, "the value differs in pieces at \(cuts)")
  compareElements(document, cuts, tokens, value)
  if tokens.error == nil { require(tokens == value, "tokens and value differ") }
  if value.error == nil {
    require(tokens.error == nil || value.hasNumberBeyond, "only the tokens are refused")
  }
  roundTrip(document, tokens)
  return 0
}

private func compareElements(_ document: [UInt8], _ cuts: [Int], _ tokens: JSONReading, _ value: JSONReading)
{
  guard tokens.events.first == .token(.beginArray) else { return }
  let elements = JSONReading(elementsOf: document)
  require(JSONReading(elementsOf: document, cuts: cuts) == elements, "elements differ in pieces at \(cuts)")
  require(elements.error == value.error, "elements and value are refused differently")
  if value.error == nil { require(elements == value, "elements and value differ") }
}

private func roundTrip(_ document: [UInt8], _ tokens: JSONReading) {
  guard tokens.error == nil, let tree = try? JSONValue(parsing: document) else { return }
  require(JSONReading(tokensOf: tree.bytes) == tokens, "what was written reads back differently")
}

/// Cuts that depend only on the document, so that a finding is reproducible.
private func randomCuts(_ document: [UInt8]) -> [Int] {
  let seed = document.reduce(UInt64(document.count)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  var random = SplitMix(seed: seed)
  let percent = Int.random(in: 1...100, using: &random)
  return document.indices.filter { _ in random.chance(percent) }
}

private func require(_ condition: Bool, _ finding: @autoclosure () -> String) {
  precondition(condition, finding())
}

var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
var count = CommandLine.argc
_ = LLVMFuzzerRunDriver(&count, &arguments) { fuzzOneInput($0, $1) }
