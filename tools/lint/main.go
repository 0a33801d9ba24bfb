// Command lint runs the analyzers of go vet, staticcheck and a few others on packages of the
// module in the current folder, with their tests.
//
// It takes the types of dependencies from their source, so that nothing needs to be compiled.
// A comment //nolint:name // reason suppresses the findings of the analyzer name in its line.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"honnef.co/go/tools/unused"
)

func main() {
	findings, err := check(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(2)
	}
	for _, finding := range findings {
		fmt.Println(finding)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

// check returns what the analyzers find in the packages that match the patterns.
func check(patterns []string) ([]string, error) {
	run, err := analyzers()
	if err != nil {
		return nil, err
	}
	all, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule | packages.NeedForTest,
		Tests: true,
		Env:   append(os.Environ(), "CGO_ENABLED=0"),
	}, patterns...)
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(all) > 0 {
		return nil, fmt.Errorf("some packages have errors")
	}
	// Facts about other modules cost more than they are worth.
	packages.Visit(all, func(p *packages.Package) bool {
		for path, imported := range p.Imports {
			if imported.Module != nil && !imported.Module.Main {
				delete(p.Imports, path)
			}
		}
		return true
	}, nil)
	all = withTests(all)
	graph, err := checker.Analyze(run, all, nil)
	if err != nil {
		return nil, err
	}
	r, err := newReport(all)
	if err != nil {
		return nil, err
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			return nil, fmt.Errorf("%s: %w", action, action.Err)
		}
		for _, d := range action.Diagnostics {
			r.add(action.Package.Fset.Position(d.Pos), action.Analyzer.Name, d.Message)
		}
		if result, ok := action.Result.(unused.Result); ok {
			for _, o := range result.Unused {
				r.add(o.DisplayPosition, action.Analyzer.Name, o.Kind+" "+o.Name+" is unused")
			}
		}
	}
	return r.findings(), nil
}

// withTests drops the packages that are also there together with the tests inside them, and
// the programs that run tests.
func withTests(all []*packages.Package) []*packages.Package {
	tested := map[string]bool{}
	for _, p := range all {
		if p.ForTest == p.PkgPath {
			tested[p.PkgPath] = true
		}
	}
	return slices.DeleteFunc(all, func(p *packages.Package) bool {
		return p.ForTest == "" && tested[p.PkgPath] || strings.HasSuffix(p.ID, ".test")
	})
}
