package bench

import "time"

// Limit is how long one operation may take: a library that needs longer for a
// size is not measured at it.
const Limit = 10 * time.Second
