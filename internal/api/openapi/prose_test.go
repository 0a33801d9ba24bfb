package openapi

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"earshot/internal/api"
)

// Generation fails if the prose describes something that does not exist, and names it.
func TestProseMismatch(t *testing.T) {
	t.Parallel()
	const taken = "  GET /v1/async/task/{taskId}:\n"
	general, err := fs.ReadFile(prose, "prose/general.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := fs.ReadFile(prose, "prose/task.yaml")
	if err != nil {
		t.Fatal(err)
	}
	before, operation, found := strings.Cut(string(tasks), taken)
	if !found {
		t.Fatalf("task.yaml lacks %q", taken)
	}
	for name, c := range map[string]struct{ old, replacement, want string }{
		"unchanged":             {"", "", ""},
		"an unknown parameter":  {"      taskId:", "      nothing: Nothing.\n      taskId:", "GET /v1/async/task/{taskId}: prose describes the parameter nothing, which is not in the path"},
		"a missing parameter":   {"      taskId:", "      taskID:", "GET /v1/async/task/{taskId}: prose does not describe the parameter taskId"},
		"an unknown field":      {"    answer:", "    answers:", `unknown field "answers"`},
		"an unknown operation":  {"", taken[:len(taken)-3] + "s}:\n    id: x\n" + taken, "the prose describes GET /v1/async/task/{taskIds}, which is not an operation"},
		"an unknown failure":    {"    answer:", "    errors: [Nowhere]\n    answer:", "Nowhere"},
		"a duplicate parameter": {"      taskId:", "      taskId: A.\n      taskId:", `"taskId" already defined`},
	} {
		text := before + taken + strings.Replace(operation, c.old, c.replacement, 1)
		if c.old == "" && c.replacement != "" {
			text = before + c.replacement + operation
		}
		files := fstest.MapFS{"general.yaml": {Data: general}, "task.yaml": {Data: []byte(text)}}
		_, err := Sources{Operations: api.Operations(nil), Prose: files}.Describe()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}
