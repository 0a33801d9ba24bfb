package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/app"
)

func TestCheckPrintsWhichUpstreamsWork(t *testing.T) {
	out, err := earshotCommand(t, "check")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 1+len(app.Providers()) || !strings.HasPrefix(lines[0], "PROVIDER") {
		t.Errorf("printed\n%s", out)
	}
	for _, line := range lines[1:] {
		if !strings.Contains(line, "  lab ") || !strings.Contains(line, "  works ") || !strings.Contains(line, "for US") {
			t.Errorf("got %q", line)
		}
	}

	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error": {"code": "invalid_api_key", "message": "Incorrect API key provided: sk-nobodys"}}`))
	}))
	t.Cleanup(refusing.Close)
	t.Setenv("EARSHOT_OPENAI_API_KEY", "sk-nobodys")
	t.Setenv("EARSHOT_OPENAI_URL", refusing.URL)
	out, err = earshotCommand(t, "check", "chatassistant", "officeassistant")
	if !errors.Is(err, errCheck) || !strings.Contains(out, "api:openai  blocked") || !strings.Contains(out, "lab         works") || strings.Contains(out, "sk-nobodys") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err = earshotCommand(t, "check", "chatassistant", "--upstream", "lab", "--json"); err != nil || !strings.HasPrefix(out, `{"provider":"chatassistant","upstream":"lab","works":true`) {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err = earshotCommand(t, "check", "nobody"); err == nil || !strings.Contains(err.Error(), "there is no provider") {
		t.Errorf("got %v", err)
	}
}

func TestUnreadableKeyFileIsAnError(t *testing.T) {
	empty, missing := writeFile(t, "empty", " \n"), filepath.Join(t.TempDir(), "missing")
	inFile := func(path string) string {
		return writeFile(t, "earshot.yaml", "apis: {openai: {key-file: "+path+"}}\n")
	}
	for _, test := range []struct{ variable, config, setting, file, reason string }{
		{variable: missing, setting: "EARSHOT_OPENAI_API_KEY_FILE", file: missing, reason: "no such file"},
		{variable: empty, setting: "EARSHOT_OPENAI_API_KEY_FILE", file: empty, reason: "is empty"},
		{variable: filepath.Dir(empty), setting: "EARSHOT_OPENAI_API_KEY_FILE", file: filepath.Dir(empty), reason: "is a directory"},
		{config: inFile(missing), setting: "apis.openai.key-file", file: missing, reason: "no such file"},
		{config: inFile(empty), setting: "apis.openai.key-file", file: empty, reason: "is empty"},
	} {
		t.Setenv("EARSHOT_OPENAI_API_KEY_FILE", test.variable)
		t.Setenv("EARSHOT_CONFIG", test.config)
		// config --check starts a server as serve does.
		for _, command := range [][]string{{"check", "chatassistant"}, {"config", "--check"}} {
			out, err := earshotCommand(t, command...)
			if err == nil || !strings.Contains(err.Error(), test.setting) || !strings.Contains(err.Error(), test.file) || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("%v: %v\n%s", test, err, out)
			}
		}
	}
}
