// Support: what tests of several modules share.
//
// Rules of this module:
// - Nothing here is shipped. A reference implementation is slow and obviously right.
// - Randomness comes from SplitMix with a seed that the test prints.
