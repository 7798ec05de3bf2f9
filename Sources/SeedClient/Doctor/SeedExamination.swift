import SeedDatabase
import SeedFormat

extension StoreReport {
  /// Verifies a seed that a client of another make keeps; it has no signatures. The file is only read.
  package init(ofSeed path: String) throws(SeedError) {
    self.init()
    generations = 1
    do { try examine(seed: path) } catch { throw SeedError(error) }
  }

  private mutating func examine(seed path: String) throws {
    do {
      let connection = try Connection(path, .received)
      guard try LeftOutIndexes.entries(of: connection).isEmpty else {
        throw NotASeed("its indexes are not built: the client must build those that seedbank_index names")
      }
      let (meta, rows) = try GenerationProof.run(connection)
      data = Data(meta: meta, file: path, rows: rows)
    } catch let error as DatabaseError where error.saysFull {
      throw error
    } catch {
      add(.error, path, SeedError(error).message, StoreRemedy.otherClient)
    }
  }
}
