package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// module is the path of the module and of its root package.
const module = "earshot"

// reading are the packages that every parser may use.
var reading = []string{
	"internal/provider/webtext", "internal/provider/mdtext", "internal/provider/loosejson",
	"internal/provider/jsonpatch", "internal/provider/rawdoc", "internal/provider/markup", "internal/provider/answer",
}

// floors are the layers of internal, from the bottom up. A package may import the packages of
// its own folder and of folders on lower floors. The root package is below all floors, and the
// commands are above them.
var floors = [][]string{
	{"account", "files", "geo", "limits", "stats", "telemetry"},
	{"schema", "store", "upstream"},
	{"provider"},
	{"purchase"},
	{"job", "signin", "track"},
	{"api", "notify"},
	{"app"},
}

// doors are packages that only the commands and these folders and packages may import.
var doors = map[string][]string{
	"internal/store":          {"internal/store", "internal/purchase", "internal/job", "internal/signin", "internal/track", "internal/api", "internal/notify", "internal/app"},
	"internal/store/orgs":     {"internal/store", "internal/job", "internal/signin", "internal/api", "internal/app"},
	"internal/store/people":   {"internal/signin", "internal/api", "internal/app"},
	"internal/store/sharing":  {"internal/job", "internal/api", "internal/app"},
	"internal/store/history":  {"internal/api", "internal/app"},
	"internal/store/outbound": {"internal/store", "internal/purchase", "internal/job", "internal/api", "internal/app"},
	"internal/store/transfer": {"internal/app"},
	"internal/store/latency":  {"internal/store"},
	"internal/store/engine":   {"internal/store"},
}

// providers lists the imports within internal/provider that its packages may have, so that no
// provider depends on another. "*" matches one path element.
var providers = map[string][]string{
	"internal/provider":           nil,
	"internal/provider/*/labsite": nil,

	// The packages that parsers use, from the bottom up.
	"internal/provider/webtext":   nil,
	"internal/provider/mdtext":    {"internal/provider/webtext"},
	"internal/provider/loosejson": {"internal/provider/webtext"},
	"internal/provider/jsonpatch": {"internal/provider/loosejson"},
	"internal/provider/rawdoc":    {"internal/provider/webtext", "internal/provider/loosejson"},
	"internal/provider/markup":    {"internal/provider/webtext", "internal/provider/mdtext"},
	"internal/provider/answer":    {"internal/provider/webtext", "internal/provider/mdtext", "internal/provider/loosejson"},
	"internal/provider/chatpage":  reading,
	"internal/provider/vendorapi": {"internal/provider/webtext", "internal/provider/loosejson", "internal/provider/rawdoc"},

	"internal/provider/vendorapi/*":  append([]string{"internal/provider", "internal/provider/vendorapi"}, reading...),
	"internal/provider/chat":         append([]string{"internal/provider"}, reading...),
	"internal/provider/serp":         append([]string{"internal/provider", "internal/provider/chatpage"}, reading...),
	"internal/provider/*":            append([]string{"internal/provider", "internal/provider/chat", "internal/provider/chatpage", "internal/provider/serp", "internal/provider/vendorapi", "internal/provider/vendorapi/*", "internal/provider/*/labsite"}, reading...),
	"internal/provider/providertest": {"internal/provider", "internal/provider/answer", "internal/provider/chat"},
}

// startsService lists the packages outside of test/ whose tests may start the whole service.
// A unit should be testable without the whole service. All other imports are allowed in tests.
var startsService = []string{"cmd/earshot", "client"}

// Maximum lengths of a file.
const (
	maxLines     = 500
	maxTestLines = 800
)

// tellsNothing are package names that do not say what the package does.
var tellsNothing = []string{"utils", "common", "helpers", "models", "types", "pkg"}

// rules are the checks. Each returns one line for every violation.
var rules = map[string]func([]file) []string{
	"doc":     checkDocs,
	"imports": checkImports,
	"lines":   checkLines,
	"init":    checkInit,
	"names":   checkNames,
	"audit":   checkAudit,
}

// The module follows every rule.
func TestModule(t *testing.T) {
	t.Parallel()

	files, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(files, func(f file) bool { return f.name == "test/arch/arch_test.go" }) {
		t.Fatal("the tests do not find their own file: they read the wrong folder")
	}
	for name, check := range rules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, violation := range check(files) {
				t.Error(violation)
			}
		})
	}
}

// Every rule reports violations, and accepts correct code.
func TestRules(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("\n", maxLines)
	tests := []struct {
		rule, file, code string
		want             string // part of the violation; empty for correct code
	}{
		{"doc", "internal/geo/geo.go", "package geo", "internal/geo: no package comment"},
		{"doc", "internal/geo/geo.go", "// Geography.\npackage geo", `must start with "Package geo "`},
		{"doc", "internal/geo/geo.go", "// Package geo knows places.\npackage geo", ""},
		{"doc", "cmd/earshot/main.go", "// Command earshot is the service.\npackage main", ""},

		{"imports", "earshot.go", `package earshot; import "golang.org/x/text/language"`, "only the standard library"},
		{"imports", "internal/geo/geo.go", `package geo; import "earshot/internal/store"`, "internal/geo may not import earshot/internal/store"},
		{"imports", "internal/geo/geo.go", `package geo; import "earshot/internal/account"`, "may not import"},
		{"imports", "internal/job/job.go", `package job; import "earshot/internal/store"`, ""},
		{"imports", "internal/job/job.go", `package job; import "earshot/internal/store/engine"`, "may not import"},
		{"imports", "internal/store/job.go", `package store; import "earshot/internal/store/engine"`, ""},
		{"imports", "client/client.go", `package client; import "earshot/internal/geo"`, "may not import"},
		{"imports", "internal/upstream/lab/lab.go", `package lab; import "earshot/internal/geo"`, ""},
		{"imports", "internal/upstream/lab/lab.go", `package lab; import "earshot/internal/provider/news"`, "may not import"},
		{"imports", "cmd/earshot/main.go", `package main; import "earshot/internal/app"`, ""},
		{"imports", "internal/provider/news/labsite/labsite.go", `package labsite; import "earshot/internal/upstream/lab"`, ""},
		{"imports", "internal/provider/news/labsite/labsite.go", `package labsite; import "earshot/internal/provider/news"`, "may not import"},
		{"imports", "internal/api/tool/main.go", `package main; import "earshot/internal/app"`, "may not import"},
		{"imports", "internal/tool/tool.go", `package tool; import "fmt"`, "is on no floor"},
		{"imports", "internal/provider/news/news.go", `package news; import "earshot/internal/provider/answer"`, ""},
		{"imports", "internal/provider/news/news.go", `package news; import "earshot/internal/provider/websearch"`, "may not import"},
		{"imports", "internal/provider/news/news.go", `package news; import "earshot/internal/store"`, "may not import"},
		{"imports", "internal/provider/news/news.go", `package news; import "earshot/internal/store/outbound"`, "may not import"},
		{"imports", "internal/app/app.go", `package app; import "earshot/internal/provider/news"`, ""},
		{"imports", "internal/app/app.go", `package app; import "earshot/internal/provider/providertest"`, "may not import"},
		{"imports", "internal/app/app.go", `package app; import "earshot/cmd/earshot"`, "may not import"},
		{"imports", "internal/geo/geo_test.go", `package geo_test; import "earshot/internal/store"`, ""},
		{"imports", "internal/api/api_test.go", `package api_test; import "earshot/internal/app"`, "may not import earshot/internal/app"},
		{"imports", "internal/api/api_test.go", `package api_test; import "earshot/test/harness"`, "may not import earshot/test/harness"},
		{"imports", "test/bench/bench_test.go", `package bench; import "earshot/internal/app"`, ""},

		{"lines", "internal/geo/geo.go", "package geo" + long, "501 lines"},
		{"lines", "internal/geo/geo_gen.go", "// Code generated by geography. DO NOT EDIT.\n\npackage geo" + long, ""},
		{"lines", "internal/geo/geo_gen.go", "// Code generated by us. DO NOT EDIT.\n\npackage geo" + long, ""},
		{"lines", "internal/geo/geo_test.go", "package geo" + long, ""},
		{"lines", "internal/geo/geo_test.go", "package geo" + long + long, "1001 lines"},

		{"init", "internal/geo/geo.go", "package geo; func init() {}", "init()"},
		{"init", "internal/geo/geo.go", "package geo; type T int; func (T) init() {}", ""},
		{"init", "internal/geo/geo_test.go", "package geo; func init() {}", ""},

		{"names", "internal/utils/x.go", "package strings", "utils"},
		{"names", "internal/geo/x.go", "package types", "types"},
		{"names", "internal/geo/x.go", "package geo", ""},

		{"audit", "internal/store/x.go", "package store; const x = `\n\tUPDATE audit_log SET at = 1`", "append-only"},
		{"audit", "internal/store/x.go", "package store; const x = `DELETE FROM audit_log`", "append-only"},
		{"audit", "internal/store/auditlog.go", "package store; const x = `UPDATE audit_log SET after = $3 WHERE id = $2`", ""},
		{"audit", "internal/store/auditlog.go", "package store; const x = `UPDATE audit_log`", "append-only"},

		// These files are not part of the module.
		{"init", "internal/geo/testdata/x.go", "package x; func init() {}", ""},
		{"init", "tools/x.go", "package x; func init() {}", ""},
		{"init", ".cache/x.go", "package x; func init() {}", ""},
	}
	for _, tt := range tests {
		files, err := load(fstest.MapFS{
			tt.file:        {Data: []byte(tt.code + "\n")},
			"go.mod":       {},
			"tools/go.mod": {},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := rules[tt.rule](files)
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%s: %s: %.80q: unexpected: %q", tt.rule, tt.file, tt.code, got)
		case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
			t.Errorf("%s: %s: %.80q: got %q, want one with %q", tt.rule, tt.file, tt.code, got, tt.want)
		}
	}
}

// file is one Go file of the module.
type file struct {
	name  string // slash-separated, relative to the module
	lines int
	ast   *ast.File
	fset  *token.FileSet // has the positions in ast
}

// dir returns the path of the file's package.
func (f file) dir() string { return path.Dir(f.name) }

func (f file) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// imports returns the import paths of the file, unquoted.
func (f file) imports() []string {
	paths := make([]string, len(f.ast.Imports))
	for i, spec := range f.ast.Imports {
		paths[i], _ = strconv.Unquote(spec.Path.Value) // the parser has accepted it
	}
	return paths
}

// load parses the Go files of the module at the root of tree. Like the go command,
// it skips testdata, hidden folders and nested modules.
func load(tree fs.FS) ([]file, error) {
	var files []file
	fset := token.NewFileSet()
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && !inModule(tree, name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file{name, bytes.Count(source, []byte("\n")), syntax, fset})
		return nil
	})
	return files, err
}

// inModule reports whether a folder can contain packages of the module.
func inModule(tree fs.FS, name string) bool {
	base := path.Base(name)
	if base == "testdata" || base == "vendor" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return false
	}
	_, err := fs.Stat(tree, path.Join(name, "go.mod"))
	return err != nil
}

// checkDocs checks that every package has one comment, which starts with "Package" or
// "Command". A folder that contains only tests needs no comment.
func checkDocs(files []file) []string {
	docs := map[string]string{}
	for _, f := range files {
		if f.isTest() {
			continue
		}
		docs[f.dir()] += f.ast.Doc.Text()
	}
	var violations []string
	for _, f := range files {
		doc, pending := docs[f.dir()]
		if f.isTest() || !pending {
			continue
		}
		delete(docs, f.dir()) // one line for each package
		start := "Package " + f.ast.Name.Name + " "
		if f.ast.Name.Name == "main" {
			start = "Command " + path.Base(f.dir()) + " "
		}
		switch {
		case doc == "":
			violations = append(violations, f.dir()+": no package comment")
		case !strings.HasPrefix(doc, start):
			violations = append(violations, fmt.Sprintf("%s: the package comment must start with %q", f.dir(), start))
		}
	}
	return violations
}

// checkImports checks imports against floors, doors and providers.
func checkImports(files []file) []string {
	var violations []string
	for _, f := range files {
		if f.isTest() {
			violations = append(violations, checkTestImports(f)...)
			continue
		}
		if _, known := floorOf(f); !known {
			violations = append(violations, fmt.Sprintf("%s: the folder of package %s is on no floor", f.name, f.dir()))
			continue
		}
		for _, imported := range f.imports() {
			target, ours := relative(imported)
			switch {
			case !ours && f.dir() == "." && strings.Contains(imported, "."):
				violations = append(violations, fmt.Sprintf("%s: the root package imports only the standard library, not %s", f.name, imported))
			case ours && !mayImport(f, target):
				violations = append(violations, fmt.Sprintf("%s: %s may not import %s", f.name, f.dir(), imported))
			}
		}
	}
	return violations
}

// mayImport reports whether a file, not a test, may import a package of the module.
func mayImport(f file, target string) bool {
	if supportsTests(f.dir()) {
		return true
	}
	own, _ := floorOf(f)
	other, known := floorOfDir(target)
	if !known || supportsTests(target) {
		return false
	}
	if may, ok := doors[target]; ok && f.ast.Name.Name != "main" && !slices.Contains(may, folderOf(f.dir())) && !slices.Contains(may, f.dir()) {
		return false
	}
	if folderOf(f.dir()) != folderOf(target) {
		return other < own
	}
	may, limited := lookup(f.dir())
	return !limited || slices.ContainsFunc(may, func(pattern string) bool { return matches(pattern, target) })
}

// floorOf returns the floor of a file's package. Commands outside internal are above all floors.
func floorOf(f file) (floor int, known bool) {
	if f.ast.Name.Name == "main" && !strings.HasPrefix(f.dir(), "internal/") {
		return len(floors) + 1, true
	}
	return floorOfDir(f.dir())
}

func floorOfDir(dir string) (floor int, known bool) {
	switch {
	case dir == ".":
		return 0, true
	case dir == "client" || supportsTests(dir):
		return 1, true
	}
	for i, folders := range floors {
		if slices.Contains(folders, strings.TrimPrefix(folderOf(dir), "internal/")) {
			return i + 1, true
		}
	}
	return 0, false
}

// folderOf returns the folder of internal that contains a package, or the package itself.
func folderOf(dir string) string {
	parts := strings.Split(dir, "/")
	if parts[0] != "internal" {
		return dir
	}
	return strings.Join(parts[:2], "/")
}

// supportsTests reports whether only tests use a package.
func supportsTests(dir string) bool {
	return strings.HasSuffix(dir, "test") || strings.HasPrefix(dir, "test/")
}

// checkTestImports checks that tests of single packages do not start the whole service.
func checkTestImports(f file) []string {
	var violations []string
	for _, imported := range f.imports() {
		target, ours := relative(imported)
		whole := ours && (target == "internal/app" || target == "test/harness" || strings.HasPrefix(target, "cmd/"))
		if whole && !strings.HasPrefix(f.dir(), "test/") && !slices.Contains(startsService, f.dir()) {
			violations = append(violations, fmt.Sprintf("%s: a test of %s may not import %s", f.name, f.dir(), imported))
		}
	}
	return violations
}

// lookup returns a package's entry in providers: its own, or else the one whose pattern matches.
func lookup(dir string) (may []string, known bool) {
	if may, known = providers[dir]; known {
		return may, true
	}
	for pattern, may := range providers {
		if matches(pattern, dir) {
			return may, true
		}
	}
	return nil, false
}

// matches reports whether a package matches a pattern of providers.
func matches(pattern, dir string) bool {
	ok, _ := path.Match(pattern, dir) // the patterns are valid
	return ok
}

// relative returns the path of a package within the module. It returns false for packages of
// other modules.
func relative(imported string) (target string, ours bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// checkLines checks the length of files, except for generated ones.
func checkLines(files []file) []string {
	var violations []string
	for _, f := range files {
		if ast.IsGenerated(f.ast) {
			continue
		}
		limit := maxLines
		if f.isTest() {
			limit = maxTestLines
		}
		if f.lines > limit {
			violations = append(violations, fmt.Sprintf("%s: %d lines, the limit is %d", f.name, f.lines, limit))
		}
	}
	return violations
}

func checkInit(files []file) []string {
	var violations []string
	for _, f := range files {
		if f.isTest() {
			continue
		}
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				violations = append(violations, f.name+": init() is hidden work: do it in New, or in main")
			}
		}
	}
	return violations
}

// changesAudit matches SQL that changes or deletes entries of the audit log.
var changesAudit = regexp.MustCompile(`(?i)\b(update|delete\s+from|truncate(\s+table)?)\s+audit_log\b`)

// auditChanges are the only changes of the audit log: its retention, the number of repeated refused
// sign-ins, and the erasure of people.
var auditChanges = map[string][]string{
	"internal/store/auditlog.go":     {"DELETE FROM audit_log WHERE (organization, id) IN (SELECT organization, id FROM audit_log WHERE at < $1", "UPDATE audit_log SET after = $3 WHERE"},
	"internal/store/people/erase.go": {"UPDATE audit_log SET `"},
}

// checkAudit allows only auditChanges to change or delete entries of the audit log.
func checkAudit(files []file) []string {
	var violations []string
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if !ok || f.isTest() {
				return true
			}
			found := changesAudit.FindString(text.Value)
			allowed := func(statement string) bool { return strings.HasPrefix(strings.TrimPrefix(text.Value, "`"), statement) }
			if found != "" && !slices.ContainsFunc(auditChanges[f.name], allowed) {
				violations = append(violations, fmt.Sprintf("%s: %s: the audit log is append-only", f.name, found))
			}
			return true
		})
	}
	return violations
}

func checkNames(files []file) []string {
	var violations []string
	for _, f := range files {
		for _, name := range []string{path.Base(f.dir()), strings.TrimSuffix(f.ast.Name.Name, "_test")} {
			if slices.Contains(tellsNothing, name) {
				violations = append(violations, fmt.Sprintf("%s: the name %s does not say what the package does", f.name, name))
				break
			}
		}
	}
	return violations
}
