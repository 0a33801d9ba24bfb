// Package captures finds the recorded documents and the lists of hostile input, which are
// in a folder next to the repository. Tests that need them are skipped if the folder is
// absent.
package captures

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// variable is the environment variable for the folder of captures. A relative path starts
// at the root of the module. The default is ../shared/corpora.
const variable = "EARSHOT_CORPORA"

// Find returns the captured documents that match the pattern, relative to the folder of
// captures.
func Find(tb testing.TB, pattern string) []string {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(folder(tb), pattern))
	if err != nil {
		tb.Fatal(err)
	}
	if len(paths) == 0 && os.Getenv("CI") == "true" {
		tb.Fatalf("no capture in %s matches %s", folder(tb), pattern)
	}
	if len(paths) == 0 {
		tb.Skipf("no capture in %s matches %s", folder(tb), pattern)
	}
	return paths
}

// Sample reads a file from the folder samples, which is next to the folder of captures.
func Sample(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(folder(tb)), "samples", name))
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
		tb.Skipf("there are captures, but no samples: %v", err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// Samples returns the files that match the pattern, relative to the folder of samples.
func Samples(tb testing.TB, pattern string) []string {
	tb.Helper()
	return Find(tb, filepath.Join("..", "samples", pattern))
}

// folder returns the folder of captures. It skips the test if there is none.
func folder(tb testing.TB) string {
	tb.Helper()
	found, tried := locate(tb.Context(), moduleRoot(tb), os.Getenv(variable))
	if found == "" {
		tb.Skipf("there are no captures at %s: they are not part of the repository", strings.Join(tried, ", "))
	}
	return found
}

// locate looks for the folder of captures at the path named. If named is empty, it looks
// next to the repository, next to its main worktree, and next to the repository that it
// was cloned from, if that is on this machine.
func locate(ctx context.Context, root, named string) (found string, tried []string) {
	if named != "" {
		if !filepath.IsAbs(named) {
			named = filepath.Join(root, named)
		}
		if isFolder(named) {
			return named, nil
		}
		return "", []string{named}
	}
	repositories := []string{root}
	for i := 0; i < len(repositories); i++ {
		candidate := filepath.Join(filepath.Dir(repositories[i]), "shared", "corpora")
		if isFolder(candidate) {
			return candidate, nil
		}
		tried = append(tried, candidate)
		common := git(ctx, repositories[i], "rev-parse", "--path-format=absolute", "--git-common-dir")
		origin := git(ctx, repositories[i], "config", "--get", "remote.origin.url")
		for _, other := range []string{strings.TrimSuffix(common, "/.git"), strings.TrimPrefix(origin, "file://")} {
			if filepath.IsAbs(other) && !slices.Contains(repositories, other) {
				repositories = append(repositories, other)
			}
		}
	}
	return "", tried
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// git runs git in a folder and returns its output, or "" if it fails.
func git(ctx context.Context, dir string, args ...string) string {
	text, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// moduleRoot returns the folder with go.mod above the package under test.
func moduleRoot(tb testing.TB) string {
	tb.Helper()
	folder, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		if filepath.Dir(folder) == folder {
			tb.Fatal("there is no go.mod above the test")
		}
		folder = filepath.Dir(folder)
	}
}
