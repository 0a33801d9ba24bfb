package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/test/harness/program"
)

func TestConfigPrintsSources(t *testing.T) {
	file := writeFile(t, "earshot.yaml", `workers: 7
retention: 2h
role: api
trusted-proxies: [10.0.0.0/8, "2001:db8::1"]
providers: {searchaimode: {released: false, upstreams: [lab]}}
web: {proxies: {US: "http://me:hush@proxy.test:8080"}}
`)
	t.Setenv("EARSHOT_RETENTION", "3h")
	t.Setenv("EARSHOT_OPENAI_API_KEY", "hush")
	t.Setenv("EARSHOT_API_KEY", "hush")
	out := mustRun(t, "--config", file, "--database", "postgres://me:hush@db.test/earshot", "config", "--role", "worker", "--json")
	got := map[string]setting{}
	for decoder := json.NewDecoder(strings.NewReader(out)); decoder.More(); {
		var one setting
		if err := decoder.Decode(&one); err != nil {
			t.Fatal(err)
		}
		got[one.Name] = one
	}
	for _, want := range []setting{
		{"config", file, "flag"},
		{"database", "postgres://me:" + mask + "@db.test/earshot", "flag"},
		{"role", "worker", "flag"},
		{"retention", "3h0m0s", "variable EARSHOT_RETENTION"},
		{"workers", "7", "file"},
		{"listen", "127.0.0.1:8080", "default"},
		{"trusted-proxies", "[10.0.0.0/8 2001:db8::1/128]", "file"},
		{"data", "data", "default"},
		{"api-key", mask, "variable EARSHOT_API_KEY"},
		{"EARSHOT_OPENAI_API_KEY", mask, "variable"},
		{"providers.searchaimode.released", "false", "file"},
		{"providers.searchaimode.upstreams[0]", "lab", "file"},
		{"web.proxies.US", "http://me:" + mask + "@proxy.test:8080", "file"},
	} {
		if got[want.Name] != want {
			t.Errorf("%s: got %v, want %v", want.Name, got[want.Name], want)
		}
	}
	table := mustRun(t, "--config", file, "config")
	wants(t, table, "base-url", "providers.searchaimode.released")
	if strings.Contains(out+table, "hush") {
		t.Errorf("a secret is printed:\n%s\n%s", out, table)
	}
}

// TestConfigReadsUpstreamsInBraces checks the form that the documentation shows.
func TestConfigReadsUpstreamsInBraces(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"providers: {chatassistant: {upstreams: [replay:/nowhere, lab]}}\n",
		"providers:\n  chatassistant: {upstreams: [replay:/nowhere, lab]}\n",
		"providers:\n  chatassistant:\n    upstreams: [replay:/nowhere, lab]\n",
		"providers:\n  chatassistant:\n    upstreams:\n      - replay:/nowhere\n      - lab\n",
	} {
		out := mustRun(t, "--config", writeFile(t, "earshot.yaml", text), "config", "--json")
		if !strings.Contains(out, "replay:/nowhere") {
			t.Errorf("%s is read as\n%s", text, out)
		}
	}
	_, err := earshotCommand(t, "--config", writeFile(t, "earshot.yaml", "providers: {chatassistant: {upstreams: [3]}}\n"), "config", "--check")
	if err == nil || !strings.Contains(err.Error(), "must be a text such as api:openai") {
		t.Errorf("a number as an upstream: %v", err)
	}
}

func TestConfigChecksTheSettings(t *testing.T) {
	t.Parallel()
	if out := mustRun(t, "config", "--check", "--data", "/nowhere/at/all", "--listen", "192.0.2.1:1"); out != "" {
		t.Errorf("it printed %s", out)
	}
	for text, want := range map[string]string{
		"workres: 7\n":                                                          `line 1: there is no setting "workres", did you mean "workers"?`,
		"role: api\nworkers: many\n":                                            "line 2: ",
		"# who\nrole: wroker\n":                                                 "line 2: must be one of all, api, worker",
		"workers: 0\n":                                                          "--workers",
		"upstream: [nothing]\n":                                                 `"nothing"`,
		"apis:\n  nothing: {url: \"\"}\n":                                       `line 2: there is no setting "apis.nothing"`,
		"apis:\n  openai: {key_file: x}\n":                                      `line 2: there is no setting "apis.openai.key_file", did you mean "key-file"?`,
		"providers:\n  chatasistant: {}\n":                                      `line 2: there is no setting "providers.chatasistant", did you mean "chatassistant"?`,
		"vendors: {clorro: {calls: 1}}\n":                                       `line 1: there is no setting "vendors.clorro", did you mean "cloro"?`,
		"plans:\n  - name: x\n    slot: 3\n":                                    `line 3: there is no setting "plans[0].slot", did you mean "slots"?`,
		"plans:\n  - name: x\n    slots: y\n":                                   "line 3: cannot unmarshal",
		"web: {proxies: [}\n":                                                   "line 1: ",
		"shadow: {wiht: web, share: 1}\n":                                       `line 1: there is no setting "shadow.wiht", did you mean "with"?`,
		"shadow:\n  - {with: web, shar: 1}\n":                                   `line 2: there is no setting "shadow[0].shar", did you mean "share"?`,
		"shadow:\n- {with: x, share: a}\n":                                      "line 2: cannot unmarshal",
		"shadow: {with: lab, share: 0.1}\n":                                     `shadow[0]: with must be web, api:NAME or via:NAME, it is "lab"`,
		"shadow: [{with: web, share: 2}]\n":                                     "shadow[0]: share must be above 0 and at most 1, it is 2",
		"shadow: {with: 'via:cloro', share: 0.1, providers: [chatassistant]}\n": "via:cloro needs a key",
		"shadow: {with: 'api:openai', share: 0.1, providers: [websearch]}\n":    "websearch cannot be asked through api:openai",
		"shadow: {with: 'api:openai', share: 0.1, providers: [nothing]}\n":      `there is no provider "nothing"`,
		"shadow: {with: 'via:nobody', share: 0.1}\n":                            "no provider can be asked through via:nobody",
		"role: api\nweb: {proxies: [}\n":                                        "line 2: ",
		"workers: 3\nworkers: 4\n":                                              "line 2: ",
	} {
		_, err := earshotCommand(t, "--config", writeFile(t, "earshot.yaml", text), "config", "--check")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestCommandsFlagsAndValuesAreCompleted(t *testing.T) {
	t.Parallel()
	path := program.Earshot(t)
	for line, want := range map[string][]string{
		"earshot ta":                        {"tasks"},
		"earshot tasks s":                   {"show"},
		"earshot tasks --st":                {"--status"},
		"earshot --log-level ":              {"debug", "error", "info", "warn"},
		"earshot --data x org create --p":   {"--plan"},
		"earshot org create --da":           {"--data", "--database"},
		"earshot ask --da":                  nil, // a setting that it does not read
		"earshot completion ":               {"bash", "fish", "zsh"},
		"earshot serve --role w":            {"worker"},
		"earshot ask ":                      providerNames(),
		"earshot batch x --providers web":   {"websearch", "websearch/news"},
		"earshot parse websearch x --cou":   {"--country"},
		"earshot ask websearch --country D": {"DE", "DJ", "DK", "DM", "DO", "DZ"},
		"earshot ask websearch x --state C": {"CA", "CO", "CT"},
	} {
		command := program.Command(t, path)
		command.Env = append(os.Environ(), "COMP_LINE="+line)
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Fields(string(out))
		if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
}

func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	script := writeFile(t, "earshot.bash", mustRun(t, "completion", "bash"))
	out, err := program.Command(t, "bash", "-c", `source "$1"; complete -p earshot`, "bash", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	wants(t, string(out), "-o default", "-C ", " earshot")
	wants(t, mustRun(t, "completion", "zsh"), "bashcompinit", "complete -o default", " earshot")
	wants(t, mustRun(t, "completion", "fish"), "set -lx COMP_LINE", "complete -f -c earshot", "complete -c earshot -n")
}
