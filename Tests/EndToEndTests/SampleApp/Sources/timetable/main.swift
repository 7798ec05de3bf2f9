// A timetable in a terminal. Its data comes with it, and is kept fresh by a server; what its user likes is in a
// database of its own, which no update touches.
//
//   timetable --seed DIR --server URL --data DIR favourite NAME
//   timetable --seed DIR --server URL --data DIR board
//   timetable --seed DIR --server URL --data DIR watch

import Foundation

do {
  let arguments = try Arguments(CommandLine.arguments.dropFirst())
  let timetable = try Timetable(arguments)
  switch arguments.command {
  case .favourite(let name): try await timetable.like(name)
  case .board: try await timetable.board()
  case .watch: try await timetable.watch()
  }
} catch {
  FileHandle.standardError.write(Data("timetable: \(error)\n".utf8))
  exit(1)
}
