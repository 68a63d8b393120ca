package prompttest

import "flag"

const updateFlag = "update"

func init() {
	if flag.Lookup(updateFlag) == nil {
		flag.Bool(updateFlag, false, "write golden files and the tables of prompts in documents anew")
	}
}

// Updating reports whether the test is run with -update, for golden files of
// the author's own.
//
// The flag is this package's, unless there is one of that name by the time
// that this package is initialised: then that one counts. A test package that
// imports this one is initialised later, so it must not define a flag -update
// itself; it calls this function instead.
func Updating() bool { return flag.Lookup(updateFlag).Value.String() == "true" }
