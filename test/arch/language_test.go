package arch

import (
	"fmt"
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// checkedFolders are the folders whose comments TestLanguage checks, in tests and generated
// files, too. "." is the root package.
var checkedFolders = []string{".", "client", "cmd", "internal"}

// habit is wording that a reader has to read twice.
type habit struct {
	pattern string // regular expression for the text of a comment on one line
	instead string // the wording to use
	bad     string // a comment that the pattern must match
	good    string // a comment that the pattern must not match
}

// habits lists the wording that comments must not have. Patterns are narrow, so that they have
// few false positives. If a match is correct English, narrow the pattern and add the text as
// good.
var habits = []habit{
	{`\btells? whether\b`, "reports whether", "isOpen tells whether a port is open.", "isOpen reports whether a port is open."},
	{`\btells? (what|how|which|where|when|why|who|that|of)\b`, "returns, reports or describes", "check tells what is wrong with rates.", "It tells the caller to stop."},
	{`^\w+ gives (the|a|an|all|one|its|what)\b`, "returns", "Open gives the store at a location.", "Give gives back n units."},
	{`\b[Hh]as (a|an|the|its|all|every|each) (\w+ ){1,5}made\b`, "the verb itself, such as creates or sends", "has the tallies of rules made soon", "The client has made a request."},
	{`(\bwhere there|[^e]|[^r]e|[^e]re) (is|are|was|were) none\b`, "does not exist, has no, or is not a", "a call that is none", "It returns nil if there is none."},
	{`\b[Tt](hat|hose) of\b`, "the noun again", "the name of the site and that of its host", "the names of the site and of its host"},
	{`\b(is|are) the ones? (that|which|who|whose)\b`, "the noun again", "The first is the one that counts.", "The first route counts."},
	{`\bof which (the|at|there|only|it|one|each)\b`, "a second sentence with the noun", "a list, of which the first counts", "a label such as \"5 points of which 4.5\""},
	{`(^|[.:;] )What [^.?]+[.:;]`, "a noun as the subject", "What is none matches nothing.", "What does it match?"},
	{`\b[Ww]h(o|om)ever\b`, "caller, client, user or reader", "whoever takes the field knows more", "the caller checks the field"},
	{`\bhow-manieth\b`, "which one (1, 2, …)", "and the how-manieth time", "and the number of the sample"},
	{`\blets on\b`, "reports or reveals", "more than it lets on", "it lets one request pass"},
	{`\b[Oo]nce more\b`, "again", "asks once more", "asks once or more often"},
	{`\banew\b`, "again", "compiles it anew", "compiles a new one"},
	{`\bbeside\b`, "next to, in addition to or besides", "a file beside it", "besides the file"},
	{`\b(stand|stands|lie|lies) (in|at|on|beside|below|above|before|under|between|among)\b`, "is", "where the pages lie in a folder", "lies about its age"},
	{`\b(is|are|was|were) to be\b`, "must be, should be or will be", "what is to be taken", "It has to be closed."},
	{`\bas it (is|was)([.,;:)]| now\b| then\b| there\b|$)`, "unchanged, current or original", "sends the document as it is.", "as it is read"},
	{`\b(is|are|was|were|be|been) gone( already)?([.,;:)]| and\b| by\b|$)`, "deleted, closed, ended or unavailable", "a page that is gone.", "gone reports whether it has ended"},
	{`\b(is|are|was|were|be|been) told\b`, "reported, sent or configured", "what a user is told", "the caller is notified"},
	{`\bheeded?\b`, "honoured", "the longest wish that is heeded", "caps the Retry-After that we honour"},
	{`\bpass(es|ed) over\b`, "skips or ignores", "passes over hidden folders", "Sweep is one pass over all prompts."},
	{`\bin the place of\b`, "instead of", "in the place of the answer", "at the place of the answer"},
	{`\b(come|comes|came|coming) to rest\b`, "stops or settles", "a page that comes to rest", "a page that stops changing"},
	{`\bfor granted\b`, "assumes", "takes a lock for granted", "assumes a lock"},
	{`\bthe like\b`, "the other items, or such as", "brands, shops and the like", "names such as brands"},
}

// Comments avoid the wording in habits.
func TestLanguage(t *testing.T) {
	t.Parallel()
	files, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]int{}
	for _, f := range files {
		folder, _, _ := strings.Cut(f.dir(), "/")
		if !slices.Contains(checkedFolders, folder) {
			continue
		}
		checked[folder]++
		for _, violation := range checkLanguage(f) {
			t.Error(violation)
		}
	}
	for _, folder := range checkedFolders {
		if checked[folder] == 0 {
			t.Errorf("no Go file of %s was checked", folder)
		}
	}
}

// Each pattern matches its bad example and not its good one.
func TestHabits(t *testing.T) {
	t.Parallel()
	for _, h := range habits {
		pattern := regexp.MustCompile(h.pattern)
		if !pattern.MatchString(h.bad) || pattern.MatchString(h.good) {
			t.Errorf("%s: it must match %q and not %q", h.pattern, h.bad, h.good)
		}
	}
}

// A phrase that continues on the next line is reported with the line where it starts.
func TestLanguageReportsTheLine(t *testing.T) {
	t.Parallel()
	files, err := load(fstest.MapFS{"geo.go": {Data: []byte("package geo\n\n// IsCountry tells\n// whether code exists.\nfunc IsCountry() {\n\tprintln(\"once more\") // and\n\t/* as\n\tonce more */\n}\n")}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`geo.go:3: "tells whether": use reports whether`, `geo.go:8: "once more": use again`}
	if got := checkLanguage(files[0]); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// patterns are the compiled patterns of habits.
var patterns = func() []*regexp.Regexp {
	compiled := make([]*regexp.Regexp, len(habits))
	for i, h := range habits {
		compiled[i] = regexp.MustCompile(h.pattern)
	}
	return compiled
}()

// checkLanguage returns one line for every match of a pattern in the comments of a file.
func checkLanguage(f file) []string {
	var violations []string
	for _, group := range f.ast.Comments {
		text, lines := oneLine(f, group)
		for i, pattern := range patterns {
			for _, match := range pattern.FindAllStringIndex(text, -1) {
				violations = append(violations, fmt.Sprintf("%s:%d: %q: use %s", f.name, lines[match[0]], text[match[0]:match[1]], habits[i].instead))
			}
		}
	}
	return violations
}

// oneLine joins the lines of a comment with spaces, since a phrase may continue on the next line.
// It also returns the line number of each byte of the text.
func oneLine(f file, group *ast.CommentGroup) (text string, lines []int) {
	for _, comment := range group.List {
		first := f.fset.Position(comment.Slash).Line
		body := strings.TrimSuffix(strings.TrimPrefix(comment.Text, "/*"), "*/")
		for i, line := range strings.Split(body, "\n") {
			line = strings.TrimSpace(strings.TrimPrefix(line, "//"))
			if line == "" {
				continue
			}
			if text != "" {
				line = " " + line
			}
			text += line
			for range len(line) {
				lines = append(lines, first+i)
			}
		}
	}
	return text, lines
}
