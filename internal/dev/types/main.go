// Types checks the types of packages, of their tests and of all that they import, for the
// system in GOOS and the processor in GOARCH. It compiles nothing, and so takes seconds
// where go vet for another system takes minutes:
//
//	GOOS=windows GOARCH=386 types ./...
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Tests: true}, os.Args[1:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "types:", err)
		os.Exit(1)
	}
	if packages.PrintErrors(loaded) > 0 || len(loaded) == 0 {
		os.Exit(1)
	}
}
