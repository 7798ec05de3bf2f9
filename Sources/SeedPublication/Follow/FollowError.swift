import SeedFormat

package enum FollowError: Error, Hashable, Sendable, CustomStringConvertible {
  case otherPublication(path: String)
  case otherRoot(path: String, file: String)
  case locked(path: String)
  case noRoom(path: String, needed: Int, free: Int)

  package var description: String {
    switch self {
    case .otherPublication(let path):
      "\(path) holds a publication that no follower made: name another folder, or this one is overwritten"
    case .otherRoot(let path, let file):
      "\(path) was made under another root: its \(file) differs. Give the root.json that it began with, or name "
        + "another folder"
    case .locked(let path): "another process follows into \(path): end it first, or name another folder"
    case .noRoom(let path, let needed, let free):
      "the publication needs \(ByteCount(bytes: needed)) more in \(path), and \(ByteCount(bytes: free)) are free: make "
        + "room, or name a folder on another disk"
    }
  }
}
