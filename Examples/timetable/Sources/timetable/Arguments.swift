import Foundation

/// The command line: a command and paths.
struct Arguments {
  enum Command {
    case favourite(String)
    case board
    case watch
  }

  struct Unusable: Error, CustomStringConvertible {
    let description = "usage: timetable --seed DIR --server URL --data DIR favourite NAME | board | watch"
  }

  /// The folder made by `seedbank pull --bundle`; an app has it among its bundle's resources.
  let seed: URL
  let server: URL
  let data: URL
  let command: Command

  init(_ words: some Sequence<String>) throws {
    var rest = Array(words)[...]
    var paths: [String: String] = [:]
    while let word = rest.first, word.hasPrefix("--") {
      paths[word] = rest.dropFirst().first
      rest = rest.dropFirst(2)
    }
    guard let seed = paths["--seed"], let server = paths["--server"].flatMap({ URL(string: $0) }),
      let data = paths["--data"]
    else { throw Unusable() }
    self.seed = URL(fileURLWithPath: seed)
    self.server = server
    self.data = URL(fileURLWithPath: data)
    switch (rest.first, rest.dropFirst().first) {
    case ("favourite", let name?): command = .favourite(name)
    case ("board", nil): command = .board
    case ("watch", nil): command = .watch
    default: throw Unusable()
    }
  }
}
