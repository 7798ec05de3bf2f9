/// Things served by their names: the current ones, and for a while those that went.
///
/// A client in the middle of a refresh, or on the way to an object, asks for what metadata of a moment ago
/// named. What the last catalog held always stays for one more.
struct CatalogShelf<Item: Sendable>: Sendable {
  private struct Place: Sendable {
    let item: Item
    let retired: ContinuousClock.Instant?
  }

  private let places: [String: Place]

  init(
    _ current: [String: Item], after previous: CatalogShelf?, at now: ContinuousClock.Instant,
    graceSeconds: Int
  ) {
    var places = current.mapValues { Place(item: $0, retired: nil) }
    for (name, place) in previous?.places ?? [:] where places[name] == nil {
      let retired = place.retired ?? now
      guard now - retired <= .seconds(graceSeconds) else { continue }
      places[name] = Place(item: place.item, retired: retired)
    }
    self.places = places
  }

  subscript(name: String) -> Item? { places[name]?.item }

  /// Whether nothing current has that name.
  func isRetired(_ name: String) -> Bool { places[name].map { $0.retired != nil } ?? true }

  /// All names, the retired ones too.
  var names: [String] { places.keys.sorted() }
}
