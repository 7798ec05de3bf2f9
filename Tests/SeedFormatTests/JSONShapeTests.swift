import SeedFormat
import Support
import Testing

/// Objects with the shape of a previous one are compared instead of scanned, without a visible difference.
@Suite struct JSONShapeTests {
  private func read(_ document: String, pieces: Int = .max) -> [String] {
    var scanner = JSONScanner()
    var tape = JSONTape()
    var rest = Array(document.utf8)[...]
    var (values, isAtEnd) = ([String](), false)
    do throws(JSONError) {
      while !isAtEnd {
        let step = values.isEmpty && scanner.offset == 0 ? JSONStep.starved : try scanner.nextValue(&tape)
        switch step {
        case .value:
          var bytes: [UInt8] = []
          scanner.write(0, of: tape, to: &bytes)
          values.append(String(decoding: bytes, as: UTF8.self))
          continue
        case .end:
          isAtEnd = true
          continue
        case .starved: break
        }
        rest.prefix(pieces).withUnsafeBytes { scanner.feed($0) }
        rest = rest.dropFirst(pieces)
        if rest.isEmpty { scanner.complete() }
        if scanner.offset == 0, try scanner.next() == .starved { continue }
      }
    } catch {
      values.append("\(error)")
    }
    return values
  }

  @Test(arguments: [
    [#"{"a":1,"b":2}"#, #"{"a":3,"b":4}"#], [#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"c":3}"#, #"{"b":1}"#, "{}"],
    [#"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, #"{"a":1,"b":2}"#],
    [#"{"a":{"x":1},"b":[{"y":1},{"y":2}]}"#, #"{"a":{"x":2},"b":[{"y":3},{"z":4}]}"#],
    [#"{"é":1,"":2}"#, #"{"é":1,"":2}"#], [#"{"ab":1,"abc":2}"#, #"{"abc":1}"#, #"{"ab":1}"#],
    ["[]", #"{"a":1}"#, "7", #"{"a":1}"#],
  ])
  func `similar and different objects are read unchanged`(values: [String]) {
    let document = "[\(values.joined(separator: ","))]"
    for pieces in [1, 2, 3, 5, 100] { #expect(read(document, pieces: pieces) == values) }
  }

  @Test(arguments: [
    #"{"a":2,"a":3}"#, #"{"a":2,"b":3,"a":4}"#, #"{"b":3,"a":4,"b":5}"#, #"{"a":2,"b":3,"b":4}"#,
    #"{"a":2,"b":3,"\u0061":4}"#, #"{"a":2,"c":3,"c":4}"#,
  ])
  func `a duplicate name is rejected after any previous object`(object: String) {
    for first in [#"{"a":1,"b":1}"#, #"{"a":1,"b":1,"c":1}"#, #"{"x":1}"#] {
      let read = read("[\(first),\(object)]")
      #expect(read.last?.contains("duplicate member name") == true, "\(read)")
    }
  }

  @Test func `escapes and white space do not change a name`() {
    let read = read(#"[{"a":1,"b":2},{"a" : 3 , "b":4},{"\u0061":5,"b":6},{"a":7,"b":8}]"#)
    #expect(read == [#"{"a":1,"b":2}"#, #"{"a":3,"b":4}"#, #"{"a":5,"b":6}"#, #"{"a":7,"b":8}"#])
  }

  @Test(arguments: Array(1...Stage.pick(quick: 2, full: 4, deep: 4)) as [UInt64])
  func `readers with and without memory read random objects alike`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let values = (0..<150).map { _ in object(&random, depth: 0) }
    let texts = values.map(\.text)
    #expect(
      read(JSONValue.array(values).text, pieces: random.pick([7, 64, 100_000])) == texts, "seed \(seed)")
  }

  private func object(_ random: inout SplitMix, depth: Int) -> JSONValue {
    var members: [JSONMember] = []
    for name in ["a", "bb", "ccc", "a long name of some words", "\n"] where random.chance(80) {
      members.append(JSONMember(name, value(&random, depth)))
    }
    return .object(random.chance(90) ? members : members.shuffled(using: &random))
  }

  private func value(_ random: inout SplitMix, _ depth: Int) -> JSONValue {
    if depth < 2, random.chance(20) { return object(&random, depth: depth + 1) }
    if depth < 2, random.chance(20) {
      return .array([object(&random, depth: depth + 1), object(&random, depth: depth + 1)])
    }
    return random.pick([.null, 5, "text", true])
  }
}
