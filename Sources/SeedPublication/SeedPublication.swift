// SeedPublication: published files and facts about their publisher. The publisher writes them, the front reads them.
//
// Folders, lowest first: Words, Store, Mirror, Follow, Status.
//
// Rules of this module:
// - It reaches no private key: signatures are copied and verified here, and made in SeedPublisher.
// - Mirror/ copies publications to other places: the timestamp last, and never over another publisher's.
// - Follow/ takes a publication over from any source, as a client does: nothing unverified becomes part of the copy.
