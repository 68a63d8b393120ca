package prompttest

import "flag"

const updateFlag = "update"

func init() {
	if flag.Lookup(updateFlag) == nil {
		flag.Bool(updateFlag, false, "update golden files and the tables of prompts in documents")
	}
}

// Updating reports whether the test runs with -update, for your own golden files.
//
// This package defines the flag unless the flag exists when the package is
// initialized. A test package that imports this package is initialized later, so it
// must not define a flag -update. Call Updating instead.
func Updating() bool { return flag.Lookup(updateFlag).Value.String() == "true" }
