package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestLinksBetweenThePagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	found := 0
	for _, p := range pages(t, "*.md", "docs/*.md", "docs/adr/*.md", "deploy/*/*.md", "examples/*.md", "sdk/*/*.md", "integrations/*/*.md") {
		for _, match := range link.FindAllStringSubmatch(p.prose, -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			found++
			if problem := follow(t, p, match[1]); problem != "" {
				t.Errorf("%s: %s: %s", p.name, match[1], problem)
			}
		}
	}
	if found == 0 {
		t.Error("no page has a link")
	}
}

func TestRunbooksOfAlertsExist(t *testing.T) {
	t.Parallel()
	links := regexp.MustCompile(`runbook: (\S+)`).FindAllStringSubmatch(read(t, "deploy/prometheus/earshot.rules.yaml"), -1)
	if len(links) == 0 {
		t.Error("no alert has a runbook")
	}
	for _, link := range links {
		if problem := follow(t, page{}, link[1]); problem != "" {
			t.Errorf("%s: %s", link[1], problem)
		}
	}
}

// follow tells why a link leads nowhere, or "".
func follow(t *testing.T, from page, link string) string {
	t.Helper()
	target, anchor, _ := strings.Cut(link, "#")
	name := from.name
	if target != "" {
		name = path.Join(path.Dir(from.name), target)
	}
	if _, err := os.Stat(filepath.Join(root, name)); err != nil {
		return "there is no such file"
	}
	if anchor == "" {
		return ""
	}
	for line := range strings.SplitSeq(parse(name, read(t, name)).prose, "\n") {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") && slug(title) == anchor {
			return ""
		}
	}
	return "there is no such heading"
}

// slug is the anchor that a heading gets where the pages are shown.
func slug(title string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(title), "")
	return strings.ReplaceAll(kept, " ", "-")
}
