package schema

// Kind is how the string of an argument is read. Package argument converts by the kind, and this
// package checks which schemas fit the kind.
type Kind uint8

// The kinds, by how a string becomes a value.
const (
	String   Kind = iota // unchanged
	Bool                 // true or false
	Int                  // a signed integer
	Uint                 // an unsigned integer
	Float                // a number
	Text                 // by the type's UnmarshalText
	Duration             // by time.ParseDuration
	URL                  // by url.Parse
	Bytes                // base64
	List                 // a JSON array, or comma-separated
	JSON                 // JSON
	Any                  // by the type in the schema; not in a compiled value
)

// IsString reports whether the schema validates a value of this kind as the string that was sent.
// So the pattern of a duration applies to the text 1h30m, and not to nanoseconds.
func (k Kind) IsString() bool {
	switch k {
	case String, Text, Duration, URL, Bytes:
		return true
	}
	return false
}

func (k Kind) IsNumber() bool { return k == Int || k == Uint || k == Float }

// InstanceType returns the JSON type of the value that the schema validates; "" for any. A JSON
// value has the type that its text says.
func (k Kind) InstanceType() string {
	switch {
	case k.IsString():
		return "string"
	case k == Bool:
		return "boolean"
	case k == Float:
		return "number"
	case k.IsNumber():
		return "integer"
	case k == List:
		return "array"
	}
	return ""
}
