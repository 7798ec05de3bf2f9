extension House {
  /// A file that names a type of a later room.
  struct Arrow: Hashable, CustomStringConvertible {
    let file: String
    let type: String
    let room: String

    var description: String { "\(file) names \(type) of the later room \(room)" }
  }

  /// The arrows against the order of rooms that `module` declares.
  func backwardArrows(in module: String) -> [Arrow] {
    let order = rooms[module] ?? []
    let place = Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
    let inside = files.filter { $0.module == module }
    let declaring = inside.reduce(into: [String: [File]]()) { places, file in
      for type in file.declared { places[type, default: []].append(file) }
    }
    return inside.flatMap { file -> [Arrow] in
      guard let own = place[file.room ?? Self.facade] else { return [] }
      return file.words.keys.flatMap { type in
        (declaring[type] ?? []).compactMap { other in
          let room = other.room ?? Self.facade
          guard let there = place[room], there > own else { return nil }
          return Arrow(file: file.path, type: type, room: room)
        }
      }
    }
  }

  /// Files outside the rooms that their module declares. The opening file may name every room.
  func outsiders(in module: String) -> [String] {
    let order = rooms[module] ?? []
    return files.filter { $0.module == module && $0.path != "\(module)/\(module).swift" }
      .filter { !order.contains($0.room ?? Self.facade) }.map(\.path)
  }

  /// The files of `module` whose code names one of the types or modules.
  func files(in module: String, naming names: Set<String>) -> [String] {
    files.filter { $0.module == module && !names.isDisjoint(with: $0.words.keys) }.map(\.path)
  }

  var modulesWithRooms: Set<String> {
    Set(files.filter { $0.room != nil }.map(\.module))
  }

  /// The room of files in the module's own folder.
  private static var facade: String { "API" }

  /// Types that are named exactly once outside their own file.
  var typesNamedOnce: [String] {
    let declaring = files.reduce(into: [String: [File]]()) { places, file in
      for type in file.declared { places[type, default: []].append(file) }
    }
    let counts = files.reduce(into: [String: Int]()) { counts, file in
      counts.merge(file.words, uniquingKeysWith: +)
    }
    return declaring.filter { type, places in
      places.count == 1 && counts[type]! - places[0].words[type]! == 1
    }.keys.sorted()
  }
}
