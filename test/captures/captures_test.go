package captures

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLocate looks for captures beside a repository from every place that its tests
// may run in.
func TestLocate(t *testing.T) {
	t.Parallel()
	home, elsewhere := t.TempDir(), t.TempDir()
	want := filepath.Join(home, "shared", "corpora")
	original, worktree := filepath.Join(home, "original"), filepath.Join(elsewhere, "a", "worktree")
	clone, again := filepath.Join(elsewhere, "b", "clone"), filepath.Join(elsewhere, "c", "again")
	stranger := filepath.Join(elsewhere, "d", "stranger")
	for _, dir := range []string{want, original, stranger} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git(t.Context(), home, "init", "-q", original)
	git(t.Context(), original, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "--allow-empty", "-m", "x")
	git(t.Context(), original, "worktree", "add", "-q", "--detach", worktree)
	git(t.Context(), home, "clone", "-q", worktree, clone)
	git(t.Context(), home, "clone", "-q", "file://"+clone, again)
	for name, test := range map[string]struct{ root, named, want string }{
		"beside the repository":      {original, "", want},
		"from a worktree":            {worktree, "", want},
		"from a clone of a worktree": {clone, "", want},
		"from a clone of a clone":    {again, "", want},
		"from another repository":    {stranger, "", ""},
		"named":                      {stranger, want, want},
		"named from the root":        {original, "../shared/corpora", want},
		"named and absent":           {original, "../corpora", ""},
	} {
		got, tried := locate(t.Context(), test.root, test.named)
		if got != test.want || (got == "") == (len(tried) == 0) {
			t.Errorf("%s: found %q, tried %q", name, got, tried)
		}
	}
}
