package docs

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/client"
)

// The page on webhooks shows this function.
func receive(secret string, handle func(*earshot.TaskRecord)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 32<<20))
		if err != nil {
			http.Error(w, "the body could not be read", http.StatusBadRequest)
			return
		}
		record, err := client.VerifyWebhook(r.Header, body, secret)
		if err != nil {
			http.Error(w, "the signature is not valid", http.StatusUnauthorized)
			return
		}
		handle(record)
		w.WriteHeader(http.StatusNoContent)
	}
}

func TestTheGoReceiverIsTheOneThatIsTested(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("webhook_test.go")
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Name.Name == "receive" {
			tested := string(source[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset]) + "\n"
			if shown := pages(t, "docs/webhooks.md")[0].in(t, "go"); shown != tested {
				t.Errorf("the page shows:\n%s\nbut tested is:\n%s", shown, tested)
			}
		}
	}
}

// verification is a question to one of the page's snippets.
type verification struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Now     int64             `json:"now"`
}

func TestTheSnippetsVerifyWhatTheServiceSends(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := pages(t, "docs/webhooks.md")[0]
	s.run(t, p)
	// One announces the task, the other is the test; they come in any order.
	messages := []delivery{<-s.received, <-s.received}
	snippets := map[string]func(*testing.T, verification) bool{
		"go": inGo, "python": snippet(p, "python", "python3", pythonHarness), "js": snippet(p, "js", "node", nodeHarness),
	}
	other := s.account(t, "org", "create", "other").WebhookSecret
	for language, verify := range snippets {
		t.Run(language, func(t *testing.T) {
			for _, m := range messages {
				good := verification{Secret: s.secret, Headers: map[string]string{}, Body: string(m.body), Now: time.Now().Unix()}
				for name, values := range m.header {
					good.Headers[strings.ToLower(name)] = values[0]
				}
				stranger, changed := good, good
				stranger.Secret = other
				changed.Body += " "
				if !verify(t, good) {
					t.Errorf("a webhook was refused: %+v", good)
				}
				if verify(t, stranger) || verify(t, changed) {
					t.Error("a webhook was accepted that is not the service's")
				}
				for name := range good.Headers {
					without := good
					without.Headers = maps.Clone(good.Headers)
					delete(without.Headers, name)
					if strings.HasPrefix(name, "webhook-") && verify(t, without) {
						t.Errorf("a webhook without %s was accepted", name)
					}
				}
				for _, sent := range []string{"", "soon", "nan", "1e400"} {
					undated := good
					undated.Headers = maps.Clone(good.Headers)
					undated.Headers["webhook-timestamp"] = sent
					if verify(t, undated) {
						t.Errorf("a webhook of the time %q was accepted", sent)
					}
				}
				old := good
				old.Now += 301
				if language != "go" && verify(t, old) { // whose clock cannot be set
					t.Error("an old webhook was accepted")
				}
			}
		})
	}
}

func inGo(t *testing.T, v verification) bool {
	t.Helper()
	handled := false
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(v.Body))
	for name, value := range v.Headers {
		request.Header.Set(name, value)
	}
	answer := httptest.NewRecorder()
	receive(v.Secret, func(*earshot.TaskRecord) { handled = true })(answer, request)
	return handled && answer.Code == http.StatusNoContent
}

const pythonHarness = `
import json, sys
v = json.load(sys.stdin)
print(verify(v["secret"], v["headers"], v["body"].encode(), v["now"]))
`

const nodeHarness = `
import { readFileSync } from "node:fs";
const v = JSON.parse(readFileSync(0));
console.log(verify(v.secret, v.headers, Buffer.from(v.body), v.now));
`

// snippet asks the page's function in another language.
func snippet(p page, language, program, harness string) func(*testing.T, verification) bool {
	return func(t *testing.T, v verification) bool {
		t.Helper()
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skipf("there is no %s here", program)
		}
		args := []string{"-c"}
		if program == "node" {
			args = []string{"--input-type=module", "--eval"}
		}
		input, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), program, append(args, p.in(t, language)+harness)...)
		command.Stdin = bytes.NewReader(input)
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", program, err, output)
		}
		return strings.EqualFold(strings.TrimSpace(string(output)), "true")
	}
}
