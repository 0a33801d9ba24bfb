package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestOnlySettingsHaveVariables(t *testing.T) {
	t.Parallel()
	var program kong.Node
	settings := map[string]bool{}
	all := commands(t)
	program = *all["earshot"]
	for _, flag := range slices.Concat(program.Flags, all["earshot serve"].Flags) {
		settings[flag.Name] = true
	}
	for path, command := range all {
		for _, flag := range command.Flags {
			_, isRemote := map[string]bool{"url": true, "api-key": true}[flag.Name]
			switch {
			case flag.Name == "help" || flag.Name == "version":
			case path == "earshot user invite" && flag.Name == "role" && len(flag.Envs) == 0: // of the person, not of the node
			case isRemote && path != "earshot parse", settings[flag.Name]:
				want := "EARSHOT_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
				if !slices.Equal(flag.Envs, []string{want}) {
					t.Errorf("%s --%s is set by %v, want %s", path, flag.Name, flag.Envs, want)
				}
			case len(flag.Envs) > 0:
				t.Errorf("%s --%s is set by %v", path, flag.Name, flag.Envs)
			}
		}
	}
}

func TestParseIgnoresServerVariables(t *testing.T) {
	t.Setenv("EARSHOT_URL", "http://127.0.0.1:8080")
	t.Setenv("EARSHOT_COUNTRY", "nowhere")
	t.Setenv("EARSHOT_CONFIG", "nowhere.yaml")
	wants(t, mustRun(t, "parse", "websearch", fixture("websearch", "desktop.html")), `"organicResults"`)
}

func TestCommandsNeedAService(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "wrong", "folder")
	for _, args := range [][]string{
		{"audit"},
		{"audit-log"},
		{"org", "list"},
		{"org", "create", "acme"},
		{"org", "set", "acme"},
		{"key", "list"},
		{"key", "create", "--org", "acme"},
		{"key", "revoke", "x"},
		{"user", "invite", "ana@example.com", "--org", "acme"},
		{"user", "list"},
		{"user", "reset", "ana@example.com"},
		{"credits", "grant", "--org", "acme", "5"},
		{"webhook", "rotate", "--org", "acme"},
	} {
		out, err := earshotCommand(t, append([]string{"--data", data}, args...)...)
		if err == nil || out != "" {
			t.Fatalf("earshot %v: %v, %s", args, err, out)
		}
		if want := "no service is running on " + data + "; start 'earshot serve', or give --url and an operator key"; err.Error() != want {
			t.Errorf("earshot %v: %v, want %s", args, err, want)
		}
	}
	if _, err := os.Stat(filepath.Dir(data)); err == nil {
		t.Error("a folder was created")
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	out := mustRun(t, "version")
	if !regexp.MustCompile(`^earshot \S.*, go1\.\S+ \w+/\w+\n$`).MatchString(out) || mustRun(t, "--version") != out {
		t.Errorf("it is %q, and with the flag %q", out, mustRun(t, "--version"))
	}
	for want, build := range map[string]debug.BuildInfo{
		"development": {Main: debug.Module{Version: "(devel)"}},
		"v1.2.3":      {Main: debug.Module{Version: "v1.2.3"}},
		"v1.2.3 (revision 8bf46a2a1b2c of 2026-11-15T10:00:00Z, modified)": {Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "8bf46a2a1b2c3d4e5f"}, {Key: "vcs.time", Value: "2026-11-15T10:00:00Z"}, {Key: "vcs.modified", Value: "true"},
		}},
	} {
		if got := described(&build); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestHelpListsOnlySettingsOfTheCommand(t *testing.T) {
	t.Parallel()
	short, long := mustRun(t), mustRun(t, "--help")
	wants(t, short, "earshot serve\n", "\n  org ", "\n  version ", "--version")
	wants(t, long, "\n  org create ", "\n  key list ")
	if strings.Contains(short, "org create") || strings.Contains(short+long, "--data") {
		t.Errorf("the help of the program is long:\n%s\n%s", short, long)
	}
	for path := range commands(t) {
		words := strings.Fields(path)[1:]
		if len(words) == 0 {
			continue
		}
		help := mustRun(t, append(words, "--help")...)
		before, settings, has := strings.Cut(help, "\nSettings of the server:\n")
		isServers := slices.Contains([]string{"serve", "config", "org", "key", "user", "credits", "webhook", "audit", "audit-log"}, words[0]) && path != "earshot credits show"
		if strings.Contains(before, "--data=") || strings.Contains(help, "--version ") || strings.Contains(settings, "--data=") != isServers || (has && !isServers && !slices.Contains([]string{"mcp", "check", "migrate"}, words[0])) {
			t.Errorf("%s has the wrong settings in its help:\n%s", path, help)
		}
	}
	_, err := earshotCommand(t, "ask", "websearch", "x", "--data", "somewhere")
	if err == nil || !strings.Contains(err.Error(), "'earshot ask' does not use it") {
		t.Errorf("a setting that does not matter: %v", err)
	}
}

func TestKeysAreListedByName(t *testing.T) {
	t.Parallel()
	data := newData(t)
	on := func(args ...string) string {
		t.Helper()
		return mustRun(t, append([]string{"--data", data}, args...)...)
	}
	serving(t, "--data", data)
	on("org", "create", "acme")
	on("org", "create", "other")
	made := decoded(t, on("key", "create", "--org", "acme", "--name", "laptop of Ann", "--scopes", "read", "--expires", "1h", "--json"))
	id := strings.Split(made.Key, "_")[2]
	list := on("key", "list", "--org", "acme")
	wants(t, list, "ORGANIZATION  ID  ", id+"  laptop of Ann  read  ", "  valid until ", "  first  ")
	if strings.Contains(list, "other") || strings.Contains(list, strings.Split(made.Key, "_")[3]) {
		t.Errorf("it lists\n%s", list)
	}
	on("key", "revoke", id)
	wants(t, on("key", "list"), "  revoked ", "other  ")
	wants(t, on("key", "list", "--json"), `"name": "laptop of Ann"`, `"organization": "other"`)
}
