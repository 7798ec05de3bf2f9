import Foundation
import Support
import Testing

@testable import SeedSystem

@Suite struct FileTests {
  private static func newFolder() throws -> String {
    let folder = NSTemporaryDirectory() + "seedbank-files-\(UUID())"
    try Folder.create(folder)
    return folder
  }

  private static func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
  }

  private static func pipeEnds() throws -> (reading: FileHandle, writing: FileHandle) {
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    return (
      FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
      FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    )
  }

  @Test func `a lock is held by the process that is listed with the file's device and inode`() throws {
    let folder = try Self.newFolder()
    let file = try #require(try FileStamp(folder)).lockedFile
    let inode = file.split(separator: ":")[2]
    #expect(file.wholeMatch(of: /[0-9a-f]{2,}:[0-9a-f]{2,}:[0-9]+/) != nil)
    let locks = """
      1: FLOCK  ADVISORY  WRITE 11 ffff:ff:\(inode) 0 EOF
      2: POSIX  ADVISORY  WRITE 12 \(file) 0 EOF
      2: -> FLOCK  ADVISORY  WRITE 13 \(file) 0 EOF
      3: FLOCK  ADVISORY  WRITE 14 \(file) 0 EOF
      """
    #expect(LockHolder.process(holding: file, in: locks) == 14)
  }

  @Test func `a pipe is read up to the available bytes and reports whether it is readable`() throws {
    let pipe = try Self.pipeEnds()
    let file = try File("/dev/fd/\(pipe.reading.fileDescriptor)", for: .readingAny)
    #expect(try !file.isReadable(within: 0))
    for text in ["ab", "c"] { try pipe.writing.write(contentsOf: Data(text.utf8)) }
    #expect(try file.isReadable(within: 0))
    #expect(try file.readSome(100) == Array("abc".utf8))
    #expect(try !file.isReadable(within: 0))
    try pipe.writing.close()
    #expect(try file.isReadable(within: 0) && file.readSome(100).isEmpty)
  }

  @Test func `a pipe or a folder in place of a file is rejected at once without a leaked descriptor`() throws
  {
    let folder = try Self.newFolder()
    defer { try? Folder.removeAll(folder) }
    let pipe = "\(folder)/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let attempts = 1000
    #expect(throws: FileError.self) { try DurableFile.read(pipe, limit: 1) }
    for path in [pipe, folder, "/dev/null"] {
      for _ in 0..<attempts {
        let error = #expect(throws: FileError.self) {
          try File(path, for: .readingRegular(followsLinks: true)).sync()
        }
        #expect(error?.description == "cannot open \(path): it is not a regular file")
      }
    }
    // Other tests of this process open files concurrently, but not as many as this one tried.
    let open = try Self.openDescriptors()
    #expect(open < attempts)
  }

  @Test func `a link is followed only on request`() throws {
    let folder = try Self.newFolder()
    defer { try? Folder.removeAll(folder) }
    let (file, link) = ("\(folder)/file", "\(folder)/link")
    try DurableFile.write([1, 2, 3], to: file)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    #expect(try File(link, for: .readingRegular(followsLinks: true)).readAll(limit: 3) == [1, 2, 3])
    let error = #expect(throws: FileError.self) {
      try File(link, for: .readingRegular(followsLinks: false)).sync()
    }
    #expect(error?.isMisplaced == true)
  }

  @Test func `a file or a pipe is read completely or not at all`() throws {
    let folder = try Self.newFolder()
    defer { try? Folder.removeAll(folder) }
    let path = "\(folder)/file"
    try DurableFile.write([UInt8](repeating: 7, count: 1000), to: path)
    #expect(try DurableFile.read(path, limit: 1000).count == 1000)
    #expect(throws: FileError("read", path, EFBIG)) { try DurableFile.read(path, limit: 999) }
    #expect(try DurableFile.readIfPresent("\(folder)/none", limit: 1) == nil)
    let pipe = try Self.pipeEnds()
    try pipe.writing.write(contentsOf: Data(repeating: 8, count: 500))
    try pipe.writing.close()
    let place = "/dev/fd/\(pipe.reading.fileDescriptor)"
    #expect(try File(place, for: .readingAny).readAll(limit: 500) == [UInt8](repeating: 8, count: 500))
  }

  @Test func `a new file never replaces another`() throws {
    let folder = try Self.newFolder()
    defer { try? Folder.removeAll(folder) }
    let path = "\(folder)/file"
    try File(path, for: .creating, mode: 0o600).write([1])
    #expect(try FileStamp(path)?.isOpenToOthers == false)
    #expect(throws: FileError("open", path, EEXIST)) { try File(path, for: .creating).write([2]) }
    #expect(try DurableFile.read(path, limit: 1) == [1])
  }

  @Test func `a stamp detects a modified or replaced file and a lock excludes another`() throws {
    let folder = try Self.newFolder()
    defer { try? Folder.removeAll(folder) }
    let path = "\(folder)/file"
    try DurableFile.write([1], to: path)
    let file = try File(path, for: .updating)
    let stamp = try file.stamp()
    #expect(try FileStamp(path) == stamp)
    #expect(try file.tryLock())
    #expect(try !File(path, for: .updating).tryShare())
    file.unlock()
    #expect(try File(path, for: .updating).tryShare())
    try DurableFile.write([1], to: path)
    #expect(try FileStamp(path) != stamp)
    #expect(try !file.hasItsName() && !file.isNamed())
    #expect(try FileStamp("\(folder)/none") == nil)
  }
}
