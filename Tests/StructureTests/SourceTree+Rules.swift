extension SourceTree {
  /// The files of `module` that name a type of a later folder.
  func backwardUses(in module: String) -> [String] {
    let order = folders[module] ?? []
    let place = Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
    let inside = files.filter { $0.module == module }
    let declaring = inside.reduce(into: [String: [File]]()) { places, file in
      for type in file.declared { places[type, default: []].append(file) }
    }
    return inside.flatMap { file -> [String] in
      guard let own = place[file.folder ?? Self.noFolder] else { return [] }
      return file.words.keys.flatMap { type in
        (declaring[type] ?? []).compactMap { other in
          let folder = other.folder ?? Self.noFolder
          guard let there = place[folder], there > own else { return nil }
          return "\(file.path) names \(type) of the later folder \(folder)"
        }
      }
    }
  }

  /// Files outside the folders that their module declares. The opening file may name every type.
  func outsiders(in module: String) -> [String] {
    let order = folders[module] ?? []
    return files.filter { $0.module == module && $0.path != "\(module)/\(module).swift" }
      .filter { !order.contains($0.folder ?? Self.noFolder) }.map(\.path)
  }

  /// The files of `module` whose code names one of the types or modules.
  func files(in module: String, naming names: Set<String>) -> [String] {
    files.filter { $0.module == module && !names.isDisjoint(with: $0.words.keys) }.map(\.path)
  }

  var openersOfOwnFiles: Set<String> { Set(files.filter(\.opensOwnFiles).map(\.path)) }

  var modules: Set<String> { Set(files.map(\.module)) }

  var modulesWithFolders: Set<String> {
    Set(files.filter { $0.folder != nil }.map(\.module))
  }

  /// The name for the files beside the folders.
  private static var noFolder: String { "API" }

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
