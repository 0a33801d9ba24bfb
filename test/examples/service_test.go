package examples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"earshot/test/harness/program"
	"earshot/test/harness/tool"
)

// root is the module's folder, with an absolute path.
var root, _ = filepath.Abs("../..")

// account is an organization of the service, and how its programs reach the service.
type account struct {
	url, key, secret string
	data             string   // folder of the SQLite database
	programs         string   // folder of earshot and the Go programs of examples/
	extra            []string // variables of the environment
}

// server is the service that all tests of the package share, as the account of the
// organization default.
var server account

func TestMain(m *testing.M) {
	status, err := withService(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}

// withService builds the programs and runs the service while run runs.
func withService(run func() int) (status int, err error) {
	dir, err := os.MkdirTemp("", "earshot-examples-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	server = account{data: filepath.Join(dir, "data")}
	if server.programs, err = program.Build("./cmd/earshot", "./examples/..."); err != nil {
		return 1, err
	}
	node := exec.Command(filepath.Join(server.programs, "earshot"), "serve", "--listen", "127.0.0.1:0", "--allow-private-webhooks", "--log-level", "warn")
	node.Env, node.Stderr = server.env(), os.Stderr
	greeting, err := program.Start(node)
	if err != nil {
		return 1, err
	}
	defer func() {
		if stopped := program.Stop(node); stopped != nil {
			status, err = 1, fmt.Errorf("stop the service: %w", stopped)
		}
	}()
	match := regexp.MustCompile(`export EARSHOT_URL=(\S+) EARSHOT_API_KEY=(\S+)\n(?s:.*) (whsec_\S+)\n`).FindStringSubmatch(greeting)
	if match == nil {
		return 1, fmt.Errorf("the service greets with %s", greeting)
	}
	server.url, server.key, server.secret = match[1], match[2], match[3]
	return run(), nil
}

// env returns the environment in which the account's programs run.
func (a account) env() []string {
	own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "EARSHOT_") })
	return append(append(own, a.extra...),
		"PATH="+a.programs+string(os.PathListSeparator)+os.Getenv("PATH"),
		"NODE_OPTIONS=--experimental-global-webcrypto", // for Node.js 18; later versions ignore it
		"PYTHONPATH="+root+"/sdk/python/src", "PYTHONDONTWRITEBYTECODE=1",
		"EARSHOT_URL="+a.url, "EARSHOT_API_KEY="+a.key, "EARSHOT_DATA="+a.data)
}

// with returns the account with further variables in the environment.
func (a account) with(variables ...string) account {
	a.extra = append(slices.Clone(a.extra), variables...)
	return a
}

// run runs a program in a folder and returns its output. It skips the test if the program is
// not installed, except in CI.
func (a account) run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	output, err := a.try(t, dir, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return output
}

// try is run for a program that may fail.
func (a account) try(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	command := a.command(t, dir, name, args...)
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, problems.String(), output)
	}
	return string(output), err
}

// command returns a command that ends with the test.
func (a account) command(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	if name == "python3" {
		name = tool.Python(t, "httpx") // which the client needs
	}
	path, err := exec.LookPath(filepath.Join(a.programs, name))
	if err != nil {
		path, err = exec.LookPath(name)
	}
	tool.Need(t, err)
	command := program.Command(t, path, args...)
	command.Dir, command.Env = dir, a.env()
	return command
}

// created is what the commands that create organizations and keys print.
type created struct {
	Key           string `json:"key"`
	WebhookSecret string `json:"webhookSecret"`
}

// newAccount creates an organization with a key.
func newAccount(t *testing.T, name string) account {
	t.Helper()
	made := create(t, "org", "create", name)
	a := server
	a.key, a.secret = made.Key, made.WebhookSecret
	return a
}

// create runs a command that creates an organization or a key.
func create(t *testing.T, args ...string) (made created) {
	t.Helper()
	text := server.run(t, root, "earshot", append(args, "--json")...)
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return made
}

// newHistory creates the demo history, in which the visibility of the brand Ollaro falls, and
// returns the day on which it falls. Tests read the demo and do not change it.
func newHistory(t *testing.T) string {
	t.Helper()
	history.Do(func() {
		var made struct{ Shift struct{ Day string } }
		text := server.run(t, root, "earshot", "tracker", "demo", "--name", "history", "--days", "60", "--prompts", "10", "--json")
		if err := json.Unmarshal([]byte(text), &made); err != nil {
			t.Fatal(err)
		}
		shiftDay = made.Shift.Day
	})
	return shiftDay
}

var (
	history  sync.Once
	shiftDay string
)

// compile compiles the TypeScript programs of examples/ and returns their folder.
func compile(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(server.programs, "typescript")
	compiled.Do(func() {
		sources, err := filepath.Glob(root + "/examples/api/*/*.ts")
		if err != nil {
			t.Fatal(err)
		}
		server.run(t, root, "go", append([]string{
			"tool", "-modfile=tools/go.mod", "esbuild", "--bundle", "--platform=node", "--format=esm", "--log-level=warning",
			"--entry-names=[name]", "--out-extension:.js=.mjs", "--outdir=" + dir, "--alias:earshot=./sdk/typescript/src/index.ts",
			"examples/webhooks/receiver.ts",
		}, sources...)...)
	})
	return dir
}

var compiled sync.Once
