// A timetable in a terminal. The app ships with data and updates it from a server. The user's favourites are in a
// separate database that no update changes.
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
