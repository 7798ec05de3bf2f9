// SeedMirror: a bucket of an object store as a mirror, through libcurl. A build can do without it.
//
// Rules of this module:
// - BucketConnection.swift alone calls libcurl, which also signs each request (AWS Signature Version 4).
// - Each request names the SHA-256 of its body: without one libcurl signs what no store expects.
// - No redirect is followed, for a signature is for one host. Query parameters are sorted, and names in a bucket have unreserved
//   characters and slashes only, so that both sides sign the same.
// - A credential comes from the environment or a file, and is in no message, argument or log.
