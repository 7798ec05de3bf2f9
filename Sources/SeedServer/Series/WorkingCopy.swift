import SeedDatabase
import SeedFormat

/// The publisher's own file of a series, holding its head: the first client of its own deltas.
struct WorkingCopy {
  let connection: Connection
  let schema: DatabaseSchema
  let path: String


  /// Memory for pages while a copy is built: one that is written back too early is read again.
  private static let buildingCacheKibibytes = 32 * 1024
