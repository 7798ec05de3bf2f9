// Support: what tests of several modules share.
//
// Rules of this module:
// - Nothing here is shipped. A reference implementation is slow and obviously right.
// - Randomness comes from SplitMix with a seed that the test prints.

// Whoever imports this has the folders and the publication that an app's tests use as well.
@_exported public import SeedClientTesting
