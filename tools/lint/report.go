package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// source is a file with the comments that suppress findings in it.
type source struct {
	name      string // relative to the current folder
	lines     [][]byte
	generated bool
	nolint    map[int]*nolint // by line
}

type nolint struct {
	analyzers []string
	explained bool
	used      bool
}

// A report collects findings that are neither suppressed nor excluded.
type report struct {
	root    string
	sources map[string]*source // by absolute name
	found   map[string]bool
}

var (
	comment = regexp.MustCompile(`^//\s*nolint(?::([\w,]+))?( // .+)?`)
	tests   = regexp.MustCompile(`_test\.go$|^test/`)
	effects = regexp.MustCompile(`^\s*(for .*range |.*<-|(defer )?[A-Za-z.]+\.(Close|Write|WriteString)\()`)
)

func newReport(all []*packages.Package) (*report, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	r := &report{root: root, sources: map[string]*source{}, found: map[string]bool{}}
	for _, p := range all {
		for _, file := range p.Syntax {
			if err := r.read(p.Fset, file); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// read adds a file to those with findings.
func (r *report) read(fset *token.FileSet, file *ast.File) error {
	path := fset.File(file.FileStart).Name()
	name, err := filepath.Rel(r.root, path)
	if err != nil || r.sources[path] != nil {
		return err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s := &source{name: name, lines: bytes.Split(content, []byte("\n")), generated: ast.IsGenerated(file), nolint: map[int]*nolint{}}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if m := comment.FindStringSubmatch(c.Text); m != nil {
				s.nolint[fset.Position(c.Pos()).Line] = &nolint{analyzers: strings.Split(m[1], ","), explained: m[2] != ""}
			}
		}
	}
	r.sources[path] = s
	return nil
}

// add adds a finding, unless it is in a generated file, suppressed or excluded.
func (r *report) add(at token.Position, analyzer, message string) {
	s := r.sources[at.Filename]
	if s == nil || s.generated || excluded(analyzer, s, at.Line) {
		return
	}
	if n := s.nolint[at.Line]; n != nil && slices.Contains(n.analyzers, analyzer) {
		n.used = true
		return
	}
	r.found[fmt.Sprintf("%s:%d:%d: %s (%s)", s.name, at.Line, at.Column, message, analyzer)] = true
}

// excluded reports whether the analyzer is not meant for a line.
func excluded(analyzer string, s *source, line int) bool {
	switch analyzer {
	case "bodyclose", "scannererr": // recorded responses have nothing to close, and no errors
		return tests.MatchString(s.name)
	case "noctx": // tests use t.Context() if it matters; examples listen until they are stopped
		return tests.MatchString(s.name) || strings.HasPrefix(s.name, "examples/")
	case "errcheck": // tests that ignore these errors check the effect instead
		return tests.MatchString(s.name) && effects.Match(s.lines[line-1])
	}
	return false
}

// findings returns what was found, and the comments that suppress nothing or give no reason.
func (r *report) findings() []string {
	for _, s := range r.sources {
		for line, n := range s.nolint {
			if !n.used || !n.explained {
				r.found[fmt.Sprintf("%s:%d: this comment suppresses nothing, or has no reason: write //nolint:name // reason (nolint)", s.name, line)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(r.found))
}
