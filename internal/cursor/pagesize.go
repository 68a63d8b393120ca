package cursor

// DefaultPageSize is the default number of entries in one page of a list.
const DefaultPageSize = 1000

// MaxPage is the maximum size of the entries of a page in bytes, unless it is a single
// entry.
const MaxPage = 1 << 20
