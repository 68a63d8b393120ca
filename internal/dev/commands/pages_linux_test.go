package commands

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain lets the program of the tests stand in for a registry, if its name is ghcr.io.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "ghcr.io" {
		handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
		log.Fatal(http.ListenAndServeTLS("127.0.0.1:443", "cert.pem", "key.pem", handler))
	}
	os.Exit(m.Run())
}

// expression matches an expression of a workflow, such as ${{ github.repository }}.
var expression = regexp.MustCompile(`\$\{\{ github\.(\w+) \}\}`)

// ofRepository matches a command for the root of a clone of the repository.
var ofRepository = regexp.MustCompile(`^(\w+=\S+ )?(go (-C|run|test|doc) |\.ci/|cd (examples|internal|promptnats)\b)`)

// TestPages runs the commands of each page by Bash, in their order, in a folder with the files
// that testdata/PAGE.sh writes. A command for the repository runs in its root. There is no
// network but the loopback interface, and the programs of testdata/bin stand in for those that
// need the world.
func TestPages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the programs of all examples")
	}
	list, here, bin := readList(t), abs(t, "."), buildPrompts(t)
	program, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(program, filepath.Join(bin, "ghcr.io")))
	goEnv, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPATH").Output()
	require.NoError(t, err)
	caches := strings.Fields(string(goEnv))
	for page, text := range pages(t) {
		script := scriptOf(page, text, list)
		if script == "" {
			continue
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			home, work := filepath.Join(dir, "home"), filepath.Join(dir, "work")
			require.NoError(t, os.MkdirAll(home, 0o700))
			require.NoError(t, os.MkdirAll(work, 0o700))
			writeFiles(t, work)
			prelude := "testdata/" + strings.TrimSuffix(path.Base(page), path.Ext(page)) + ".sh"
			if _, err := os.Stat(prelude); err != nil {
				prelude = "testdata/common.sh"
			}
			file := filepath.Join(dir, "script.sh")
			require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
			cmd := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "--kill-child",
				"bash", "-c", `set -eo pipefail; ip link set lo up; . "$0"; [ "$1" = "$0" ] || . "$1"; . "$2"`, filepath.Join(here, "testdata/common.sh"), filepath.Join(here, prelude), file)
			cmd.Dir = work
			cmd.Env = append(os.Environ(), "HOME="+home, "PWD="+work, "REPOSITORY="+abs(t, root), "PATH="+bin+":"+filepath.Join(here, "testdata/bin")+":"+os.Getenv("PATH")+":/usr/sbin",
				"GOCACHE="+caches[0], "GOMODCACHE="+caches[1], "GOPATH="+caches[2], "GOPROXY=off", "GIT_CONFIG_GLOBAL="+filepath.Join(home, ".gitconfig"), "NO_COLOR=1")
			out, err := cmd.CombinedOutput()
			assert.NoError(t, err, "%s\n%s", page, out)
		})
	}
}

func abs(t *testing.T, name string) string {
	t.Helper()
	name, err := filepath.Abs(name)
	require.NoError(t, err)
	return name
}

// scriptOf returns the script for a page, or "" if nothing of the page is to be run.
func scriptOf(page, text string, list map[string]listed) string {
	var script strings.Builder
	last, inRepository, isEmpty := 0, false, true
	for _, c := range commandsOf(page, text) {
		how := list[c.key(list)].how
		if how == byFile || how == byPage || how == notRun {
			continue
		}
		quoted := "'" + strings.ReplaceAll(c.text, "'", `'\''`) + "'"
		line := expression.ReplaceAllStringFunc(c.text, func(text string) string {
			return "$GITHUB_" + strings.ToUpper(expression.FindStringSubmatch(text)[1])
		})
		if c.block != last {
			if inRepository {
				script.WriteString("cd \"$back\"\n")
			}
			script.WriteString("before_block " + quoted + "\n")
			if inRepository = ofRepository.MatchString(c.text); inRepository {
				script.WriteString("back=$PWD\ncd \"$REPOSITORY\"\n")
			}
			last = c.block
		}
		isEmpty = isEmpty && strings.HasPrefix(c.text, "cd ")
		fmt.Fprintf(&script, "echo '$' %s\n", quoted)
		switch {
		case how == untilEnded:
			fmt.Fprintf(&script, "until_ready %s\n", quoted)
		case how == flagsOnly:
			// Behind a flag of the test, go test does not read flags of its own.
			script.WriteString(strings.Replace(line, " test ", " test -skip . ", 1) + "\n")
		case strings.HasSuffix(c.text, " &"):
			fmt.Fprintf(&script, "before=$(listening)\n%s\nwait_for_listener\n", line)
		default:
			script.WriteString(line + "\n")
		}
	}
	if isEmpty {
		return ""
	}
	return script.String()
}

// writeFiles writes the certificate, the key and the tokens of the pages.
func writeFiles(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost", "ghcr.io"}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for name, data := range map[string][]byte{
		"cert.pem":   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
		"key.pem":    pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		"tokens.txt": []byte("editor editor-token-of-the-pages\n"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
}
