/// Options with one value each in any order, and the words between them.
struct Arguments {
  private(set) var words: [String] = []
  private var options: [(name: String, value: String)] = []

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument.hasPrefix("--") {
        guard let value = rest.popFirst() else { throw UsageError("\(argument) needs a value") }
        options.append((argument, value))
      } else {
        words.append(argument)
      }
    }
  }

  func all(_ name: String) -> [String] { options.filter { $0.name == name }.map(\.value) }

  func one(_ name: String) throws -> String {
    guard let value = all(name).last else { throw UsageError("\(name) is missing") }
    return value
  }

  func word(_ index: Int) throws -> String {
    guard words.indices.contains(index) else { throw UsageError("\(words.joined()) needs an argument") }
    return words[index]
  }
}

struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
