// Support: helpers shared by the tests of several modules.
//
// Rules of this module:
// - Nothing here is shipped. A reference implementation may be slow but must be obviously correct.
// - Randomness comes from SplitMix with a seed that the test prints.

// An importer also gets the folders and the publication for apps' tests.
@_exported public import SeedClientTesting
