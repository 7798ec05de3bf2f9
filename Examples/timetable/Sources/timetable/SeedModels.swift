// Made by 'seedbank config swift'.
import SeedClient

extension SeedModel {
  static let transit = SeedModel(
    dataset: "transit", version: "2.1",
    schema: "d19a709feba10ba639b3d8240fc4188f736bff9e4c12d82d2e75234435bc1816")
}
