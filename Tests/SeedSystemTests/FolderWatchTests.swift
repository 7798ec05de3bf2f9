import Foundation
import SeedSystem
import Support
import Testing

@Suite struct FolderWatchTests {
  private let folder: TemporaryFolder
  private let count = Counter()

  init() throws { folder = try TemporaryFolder() }

  private final class Counter: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock(\.self) }
    func add() { number.withLock { $0 += 1 } }
  }

  private func watch() throws -> FolderWatch {
    let watch = FolderWatch(folder.path) { [count] in count.add() }
    return try #require(watch)
  }

  @Test func `a watch reports replaced and new files`() throws {
    let watch = try watch()
    try DurableFile.write([1], to: folder("a"))
    try waitUntil("a new file is told") { count.value > 0 }
    let before = count.value
    try DurableFile.write([2], to: folder("a"))
    try waitUntil("a replaced file is told") { count.value > before }
    #expect(!watch.hasEnded)
  }

  @Test func `a watch of named files reports only their writes`() throws {
    let file = try File(folder("a"), for: .replacing)
    let watch = FolderWatch(folder.path, writtenFiles: ["a", "c"]) { [count] in count.add() }
    try DurableFile.write([1], to: folder("b"))
    try file.write([1, 2, 3])
    try waitUntil("a write is told") { count.value > 0 }
    #expect(count.value == 1)
    try DurableFile.write([2], to: folder("c"))
    try waitUntil("a file that takes a name is told") { count.value > 1 }
    withExtendedLifetime(watch) {}
  }

  @Test func `a watch ends with its folder even if a file in it is open`() throws {
    let file = try File(folder("open"), for: .replacing)
    let watch = try watch()
    try Folder.removeAll(folder.path)
    try waitUntil("the end is told") { count.value > 0 && watch.hasEnded }
    #expect(try !file.isNamed())
  }

  @Test func `a watch needs a folder and ends if it is renamed, whatever letters its path has`() throws {
    let path = folder("jürgen/Daten")
    try Folder.create(path)
    let watch = try #require(FolderWatch(path) {})
    try Folder.rename(path, to: folder("jürgen/old"))
    try waitUntil("the end is reported") { watch.hasEnded }
    #expect(FolderWatch(path) {} == nil, "a missing folder cannot be watched")
  }

  @Test func `nothing is reported after a watch ends`() throws {
    try withExtendedLifetime(watch()) {}
    try DurableFile.write([1], to: folder("a"))
    let other = try watch()
    try DurableFile.write([2], to: folder("a"))
    try waitUntil("the second watch hears") { count.value > 0 }
    withExtendedLifetime(other) {}
  }
}
