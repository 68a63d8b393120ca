package stdio

// GoneErrnos are the errors by which this system says that the other side has
// gone.
var GoneErrnos = goneErrnos
