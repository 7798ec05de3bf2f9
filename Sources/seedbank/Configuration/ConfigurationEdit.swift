import SeedFormat
import SeedSystem

/// Changes single keys of a configuration file; comments and other keys stay in order.
struct ConfigurationEdit {
  private let file: String
  private var json: JSONValue

  init(_ file: String) throws {
    self.file = file
    let bytes = try TextFile.bytes(file)
    do {
      json = try JSONValue(parsing: bytes)
    } catch { throw ConfigurationError(.syntax(error), in: file, bytes) }
  }

  subscript(path: String...) -> JSONValue? {
    get { path.reduce(json as JSONValue?) { $0?[$1] } }
    set { json = json.setting(path[...], to: newValue ?? .null) }
  }

  func save() throws { try DurableFile.write(Array(json.prettyText.utf8), to: file) }
}

extension JSONValue {
  fileprivate func setting(_ path: ArraySlice<String>, to value: JSONValue) -> JSONValue {
    guard let name = path.first else { return value }
    var members = members ?? []
    let inner = (self[name] ?? [:]).setting(path.dropFirst(), to: value)
    if let place = members.firstIndex(where: { $0.name == name }) {
      members[place] = JSONMember(name, inner)
    } else {
      members.append(JSONMember(name, inner))
    }
    return .object(members)
  }
}
