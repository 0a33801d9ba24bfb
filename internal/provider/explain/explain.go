// Package explain records how a parser came to its result: which line of code found which part of a
// document. Rules need no names, because the line leads to the code to change.
//
//	explain.go   the findings
//	rule.go      functions and source lines
//	path.go      places in pages
package explain

import (
	"cmp"
	"context"
	"slices"
)

// Finding is a part of a document that the parser found.
type Finding struct {
	Kind  string `json:"kind"`
	Title string `json:"title,omitempty"` // the heading, or the first words
	// Rule has the function that read the part and the functions that called it, with their source lines.
	Rule string `json:"rule,omitempty"`
	// Element is the place in the document: a CSS path in a page, or a path in JSON.
	Element string `json:"element,omitempty"`

	At int `json:"-"` // the position in the document
}

// Log collects the findings of one parse.
type Log struct{ findings []Finding }

type contextKey struct{}

// With returns a context in which parsers record their findings, and the log of these.
func With(ctx context.Context) (context.Context, *Log) {
	log := &Log{}
	return context.WithValue(ctx, contextKey{}, log), log
}

// From returns the log of the context, or nil if parsers should record nothing.
func From(ctx context.Context) *Log {
	log, _ := ctx.Value(contextKey{}).(*Log)
	return log
}

// Add records a finding.
func (l *Log) Add(f Finding) { l.findings = append(l.findings, f) }

// Document records that the caller recognised the form of the document. A nil Log ignores it.
func (l *Log) Document(form string) {
	if l != nil {
		l.Add(Finding{Kind: "document", Title: form, Rule: Rule("Document", "Read")})
	}
}

// Findings returns the findings in the order of the document.
func (l *Log) Findings() []Finding {
	return slices.SortedStableFunc(slices.Values(l.findings), func(a, b Finding) int { return cmp.Compare(a.At, b.At) })
}
