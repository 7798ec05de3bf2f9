// SeedPublication: published files and facts about their publisher, written by the publisher and read by the front.
//
// Folders, lowest first: Words, Store, Mirror, Follow, Status.
//
// Rules of this module:
// - It has no access to private keys: it copies and verifies signatures, and SeedPublisher makes them.
// - Mirror/ copies publications to other places. It writes the timestamp after all files that it names, and never
//   over another publisher's.
// - Follow/ copies a publication from any source, and verifies it like a client before it becomes part of the copy.
