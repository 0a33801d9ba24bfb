package main

import (
	"slices"

	"codeberg.org/polyfloyd/go-errorlint/errorlint"
	"github.com/gordonklaus/ineffassign/pkg/ineffassign"
	"github.com/gostaticanalysis/nilerr"
	"github.com/kisielk/errcheck/errcheck"
	sqlclosecheck "github.com/ryanrolds/sqlclosecheck/pkg/analyzer"
	"github.com/sonatard/noctx"
	"github.com/timakin/bodyclose/passes/bodyclose"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/deepequalerrors"
	"golang.org/x/tools/go/analysis/passes/nilness"
	"golang.org/x/tools/go/analysis/passes/reflectvaluecompare"
	"golang.org/x/tools/go/analysis/passes/sortslice"
	"golang.org/x/tools/go/analysis/passes/unusedwrite"
	"golang.org/x/tools/go/analysis/suite/vet"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

// disabled are the checks of staticcheck that do not run.
var disabled = []string{
	"SA4017", "SA4018", "SA4023", "SA5012", "S1011", // they need the SSA form of all imported packages
}

// analyzers returns all analyzers that run.
func analyzers() ([]*analysis.Analyzer, error) {
	all := slices.Concat(vet.Suite, []*analysis.Analyzer{
		bodyclose.Analyzer,
		deepequalerrors.Analyzer,
		errcheck.Analyzer,
		errorlint.NewAnalyzer(),
		ineffassign.Analyzer,
		nilerr.Analyzer,
		nilness.Analyzer,
		noctx.Analyzer,
		reflectvaluecompare.Analyzer,
		sortslice.Analyzer,
		sqlclosecheck.NewAnalyzer(),
		unused.Analyzer.Analyzer,
		unusedwrite.Analyzer,
	})
	for _, a := range slices.Concat(staticcheck.Analyzers, simple.Analyzers, stylecheck.Analyzers) {
		if !slices.Contains(disabled, a.Analyzer.Name) {
			all = append(all, a.Analyzer)
		}
	}
	for name, value := range map[string]string{"assert": "true", "exclude": "tools/lint/errcheck.txt"} {
		if err := errcheck.Analyzer.Flags.Set(name, value); err != nil {
			return nil, err
		}
	}
	return all, nil
}
