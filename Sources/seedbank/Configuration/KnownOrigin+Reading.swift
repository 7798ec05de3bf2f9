import SeedFormat
import SeedPublisher
import SeedSystem

extension KnownOrigin {
  static func read(inDataset folder: String) throws(ConfigurationError) -> OriginOutline? {
    let path = path(inDataset: folder)
    guard Folder.exists(path) else { return nil }
    let bytes = try TextFile.bytes(path)
    do throws(MalformedJSON) {
      return try OriginOutline(parsed(bytes))
    } catch { throw ConfigurationError(error, in: path, bytes) }
  }

  private static func parsed(_ bytes: [UInt8]) throws(MalformedJSON) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: bytes)
    } catch { throw .syntax(error) }
  }
}
