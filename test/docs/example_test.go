package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEveryCallOfTheAPIIsAnExample(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(root + "/examples/api/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("there are no examples (%v)", err)
	}
	names := map[string]string{} // by the text of the shell script
	for _, folder := range folders {
		name := filepath.Base(folder)
		names[read(t, "examples/api/"+name+"/"+name+".sh")] = name
		for _, file := range []string{"main.go", name + ".py", name + ".ts"} {
			if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
				t.Error(err)
			}
		}
	}
	shown := 0
	for _, p := range pages(t, "README.md", "docs/*.md") {
		for _, b := range p.blocks {
			if !strings.Contains(b.text, `"$EARSHOT_URL/v1/`) {
				continue
			}
			shown++
			switch name := names[b.text]; {
			case name == "":
				t.Errorf("%s:%d: the block is not one of examples/api/NAME/NAME.sh", p.name, b.line)
			case !strings.Contains(p.prose, "examples/api/"+name+")"):
				t.Errorf("%s:%d: there is no link to examples/api/%s", p.name, b.line, name)
			}
		}
	}
	if shown == 0 {
		t.Error("no page calls the API")
	}
}

// The examples run against the service in test/examples.
func TestWebhooksAreVerifiedAsInTheExamples(t *testing.T) {
	t.Parallel()
	spans := pages(t, "docs/webhooks.md")[0].spans()
	for file, call := range map[string]string{"main.go": "VerifyWebhook(", "receiver.py": "verify_webhook(", "receiver.ts": "verifyWebhook("} {
		source := read(t, "examples/webhooks/"+file)
		if !slices.ContainsFunc(spans, func(s string) bool { return strings.Contains(s, call) && strings.Contains(source, s) }) {
			t.Errorf("docs/webhooks.md does not show how %s calls %s)", file, call)
		}
	}
}
