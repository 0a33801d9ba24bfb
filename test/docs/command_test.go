package docs

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// run runs the blocks of a page in one shell and gives what they printed.
func (s *service) run(t *testing.T, p page) string {
	t.Helper()
	script, limit := "set -euo pipefail\n", time.Duration(0)
	for _, b := range p.blocks {
		if b.info == "sh" {
			script += fmt.Sprintf("echo '%s:%d' >&2\n%s\n", p.name, b.line, b.text)
			limit += time.Minute
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", script)
	shell.Dir, shell.Env, shell.WaitDelay = s.dir, s.env, time.Second
	var problems strings.Builder
	shell.Stderr = &problems
	output, err := shell.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", p.name, err, problems.String(), output)
	}
	return string(output)
}

func TestCommandsInThePagesRun(t *testing.T) {
	t.Parallel()
	s := start(t) // one for all pages, as somebody has who reads them
	ran := 0
	for _, p := range pages(t, "README.md", "docs/*.md") {
		if !slices.ContainsFunc(p.blocks, func(b block) bool { return b.info == "sh" }) {
			continue
		}
		ran++
		if output := s.run(t, p); strings.Contains(output, `"success":false`) {
			t.Errorf("%s: a command was refused:\n%s", p.name, output)
		}
	}
	if ran == 0 {
		t.Error("no page has a command")
	}
}

func TestABlockThatIsNotRunSaysWhy(t *testing.T) {
	t.Parallel()
	reason := regexp.MustCompile(`^<!-- notest: .+ -->$`)
	for _, p := range pages(t, "README.md", "docs/*.md") {
		for _, b := range p.blocks {
			language, rest, _ := strings.Cut(b.info, " ")
			switch {
			case slices.Contains([]string{"bash", "shell", "console"}, language):
				t.Errorf("%s:%d: commands are marked sh, not %s", p.name, b.line, language)
			case language == "sh" && rest != "" && rest != "notest":
				t.Errorf("%s:%d: a block is sh or sh notest, not %s", p.name, b.line, b.info)
			case rest == "notest" && !reason.MatchString(b.above):
				t.Errorf("%s:%d: the line above must say why it is not run", p.name, b.line)
			}
		}
	}
}

func TestTheAPIGuideShowsTheErrorCodesThatItNames(t *testing.T) {
	t.Parallel()
	p := pages(t, "docs/api-guide.md")[0]
	var want, got []string
	for _, b := range p.blocks {
		for _, match := range regexp.MustCompile(`# ([A-Z_]+)\n`).FindAllStringSubmatch(b.text, -1) {
			want = append(want, match[1])
		}
	}
	for _, match := range regexp.MustCompile(`(?m)^([A-Z]+(?:_[A-Z]+)+)$`).FindAllStringSubmatch(start(t).run(t, p), -1) {
		got = append(got, match[1])
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the commands print %v, but the page says %v", got, want)
	}
}
