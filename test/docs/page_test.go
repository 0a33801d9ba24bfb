package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the module's folder.
const root = "../.."

// page is one Markdown file.
type page struct {
	name   string // relative to the module
	blocks []block
	prose  string // what is outside of blocks
}

// block is a fenced block.
type block struct {
	line int
	info string
	text string
	// above is the line before the fence.
	above string
}

// pages reads the files that match one of the patterns.
func pages(t *testing.T, patterns ...string) []page {
	t.Helper()
	var all []page
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no such page (%v)", pattern, err)
		}
		for _, path := range paths {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, parse(filepath.ToSlash(name), read(t, name)))
		}
	}
	return all
}

// read gives a file of the module.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// parse takes a page apart.
func parse(name, text string) page {
	p := page{name: name}
	var open *block
	above := ""
	for i, line := range strings.Split(text, "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{line: i + 1, info: info, above: above}
		case fence:
			p.blocks = append(p.blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		default:
			p.prose += line + "\n"
		}
		above = line
	}
	return p
}

// table gives the rows of the table whose first column has that title. Code marks
// are taken off cells that are nothing else.
func (p page) table(t *testing.T, title string) [][]string {
	t.Helper()
	lines := strings.Split(p.prose, "\n")
	start := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "| "+title+" |") })
	if start < 0 {
		t.Fatalf("%s has no table of %s", p.name, title)
	}
	var rows [][]string
	for _, line := range lines[start+2:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
			if bare := strings.Trim(cells[i], "`"); !strings.Contains(bare, "`") {
				cells[i] = bare
			}
		}
		rows = append(rows, cells)
	}
	return rows
}

// spans are the pieces of inline code.
func (p page) spans() []string {
	var all []string
	for _, match := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(p.prose, -1) {
		all = append(all, match[1])
	}
	return all
}
