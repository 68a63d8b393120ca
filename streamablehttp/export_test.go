package streamablehttp

// Serve is ListenAndServe with a listener and without signals.
var Serve = serve
