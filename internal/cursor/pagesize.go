package cursor

// DefaultPageSize is the default number of entries in one page of a list.
const DefaultPageSize = 1000
