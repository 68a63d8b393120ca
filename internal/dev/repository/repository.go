// Package repository finds the repository that the maintainers' commands work on.
package repository

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Enter makes the root of the repository the current folder. The go command starts a
// program of a nested module in the module's folder.
func Enter() error {
	out, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return fmt.Errorf("git rev-parse --show-toplevel: %w; run the command inside of the repository", err)
	}
	return os.Chdir(strings.TrimSuffix(string(out), "\n"))
}
