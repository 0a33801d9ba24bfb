package definition

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/schema"
	"earshot/internal/track/analysis"
	"earshot/internal/track/mention"
	"earshot/internal/track/schedule"
	"earshot/internal/track/source"
)

// Parse decodes and checks a definition in JSON or YAML. Its errors name the field and, in
// YAML, the line.
func (s *Reader) Parse(name string, body []byte, isYAML bool) (*Definition, error) {
	var lines map[string]int
	if isYAML {
		var err error
		if body, lines, err = fromYAML(body, s.canonical); err != nil {
			return nil, err
		}
	}
	in, err := schema.ParseUpTo(body, maxValues)
	if err != nil {
		return nil, err
	}
	d := &Definition{}
	in.Decode(&d.TrackerDefinition)
	s.check(in, name, d)
	if err := in.Err(); err != nil {
		return nil, withLines(err, lines)
	}
	return d, nil
}

// targetPath matches the paths of fields of targets that canonical replaces.
var targetPath = regexp.MustCompile(`^targets\[\d+\]\.(provider|country|state)$`)

// canonical returns the value of a field of a file as the service knows it: for a product its
// provider, for a country in lower case its code.
func (s *Reader) canonical(path, value string) string {
	found := targetPath.FindStringSubmatch(path)
	switch {
	case found == nil:
		return value
	case found[1] != "provider":
		return strings.ToUpper(value)
	}
	for _, p := range s.Catalogue.Providers() {
		if about := p.Definition(); about.IsNamed(value) {
			return about.Name
		}
	}
	return value
}

// withLines sets the line of each problem: the line of its field or of the nearest enclosing
// field.
func withLines(err error, lines map[string]int) error {
	e, ok := errors.AsType[*earshot.Error](err)
	if !ok || lines == nil {
		return err
	}
	problems, ok := e.Details.([]earshot.FieldProblem)
	if !ok {
		return err
	}
	for i := range problems {
		for path := problems[i].Field; path != ""; path = outer(path) {
			if line := lines[path]; line > 0 {
				problems[i].Line = line
				break
			}
		}
	}
	return err
}

// outer returns the path of the enclosing field: a for a.b and for a[1].
func outer(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

const (
	// maxCells is the maximum number of prompts × targets.
	maxCells = 20_000
	// shortestInterval is the minimum time between two scheduled sweeps.
	shortestInterval = time.Hour
	// maxValues is the maximum number of JSON values, enough for the largest definition.
	maxValues = 400_000
)

// check checks everything that the schema does not, and sets the derived fields.
func (s *Reader) check(in *schema.Object, name string, d *Definition) {
	if d.Name != "" && d.Name != name {
		in.Reject("name", "must be %q, as in the path", name)
	}
	d.Name = name
	d.setKeep()
	if days := daysOf(d.KeepNumbers); days > 0 && days < d.KeepDays {
		in.Reject("keepNumbers", "must be at least as long as keep, %dd", d.KeepDays)
	}
	seen := map[string]int{}
	for i, p := range d.Prompts {
		if first, twice := seen[promptKey(p)]; twice && p.Text != "" {
			in.Reject(fmt.Sprintf("prompts[%d]", i), "is the same prompt as prompts[%d]", first)
		} else {
			seen[promptKey(p)] = i
		}
		if p.Weight == 0 && p.Text != "" { // the default is 1
			in.Reject(fmt.Sprintf("prompts[%d].weight", i), "must be above 0; remove the prompt if it should not count")
		}
	}
	checkBrands(in, d.Brands)
	checkSources(in, d.Sources)
	s.checkFacts(in, d.Facts, d.Brands)
	if cells := len(d.Prompts) * len(d.Targets); cells > maxCells {
		in.Reject("prompts", "%d prompts × %d targets are %d cells; the maximum is %d", len(d.Prompts), len(d.Targets), cells, maxCells)
	}
	s.checkTargets(in, d)
	s.checkJudge(in, d)
	d.Samples = max(1, d.Samples)
	if d.Schedule != nil {
		var problems []schedule.Problem
		d.Rule, problems = schedule.New(*d.Schedule)
		for _, p := range problems {
			in.Reject("schedule."+p.Field, "%s", p.Message)
		}
		if d.Rule != nil && d.Rule.Shortest < shortestInterval {
			in.Reject("schedule.cron", "must leave at least an hour between two sweeps")
		}
	}
	s.checkScheduled(in, d)
	if d.Webhook != nil && d.Webhook.URL != "" {
		if err := s.CheckWebhook(d.Webhook.URL); err != nil {
			in.Reject("webhook.url", "%s", err)
		}
	}
}

func checkBrands(in *schema.Object, brands []earshot.Brand) {
	seen := map[string]int{}
	for i, b := range brands {
		if first, twice := seen[b.Name]; twice && b.Name != "" {
			in.Reject(fmt.Sprintf("brands[%d].name", i), "is the same as the name of brands[%d]", first)
		} else {
			seen[b.Name] = i
		}
		for j, domain := range b.Domains {
			if strings.ContainsAny(domain, "/: ") || !strings.Contains(domain, ".") {
				in.Reject(fmt.Sprintf("brands[%d].domains[%d]", i, j), "must be a host name such as example.com")
				return
			}
			if host, err := source.BrandDomain(domain); err == nil && source.IsPublicSuffix(host) {
				in.Reject(fmt.Sprintf("brands[%d].domains[%d]", i, j), "%s is a public suffix, which many owners share; use the domain of %s itself", domain, b.Name)
			}
		}
	}
	// If single fields are already rejected, an error of the panel would repeat them.
	panel, err := analysis.NewPanel(brands)
	if err != nil && in.Err() == nil {
		rejectPanel(in, err)
	}
	if err != nil {
		return
	}
	for _, c := range panel.Collisions() {
		rejectShared(in, brands, c.Name, c.Within, c.Equal)
	}
}

// rejectShared rejects a name that two brands have, unless their matching rules tell them
// apart. The error names the alias if the other is a name, and otherwise the later brand.
func rejectShared(in *schema.Object, brands []earshot.Brand, one, other mention.NameRef, equal bool) {
	if !equal || one.Name == 0 && other.Name > 0 || (one.Name == 0) == (other.Name == 0) && one.Brand < other.Brand {
		return // each pair is passed twice, in both orders
	}
	name, match := nameOf(brands, one)
	rival, rivals := nameOf(brands, other)
	if match.Case == "exact" && rivals.Case == "exact" && name != rival || len(match.Near)+len(match.Not)+len(rivals.Near)+len(rivals.Not) > 0 {
		return
	}
	field, what := fmt.Sprintf("brands[%d].name", one.Brand), "the name"
	if one.Name > 0 {
		field = fmt.Sprintf("brands[%d].aliases[%d]", one.Brand, one.Name-1)
	}
	if other.Name > 0 {
		what = "an alias"
	}
	in.Reject(field, "%q of %s is also %s of %s: remove it from one of them, or add match rules that tell them apart", name, brands[one.Brand].Name, what, brands[other.Brand].Name)
}

// nameOf returns the referenced name or alias and its matching rules.
func nameOf(brands []earshot.Brand, ref mention.NameRef) (name string, match earshot.NameMatch) {
	b := brands[ref.Brand]
	name, switches := b.Name, b.Match
	if ref.Name > 0 {
		name, switches = b.Aliases[ref.Name-1].Name, b.Aliases[ref.Name-1].Match
	}
	if switches != nil {
		match = *switches
	}
	return name, match
}

// checkSources rejects invalid and repeated domains.
func checkSources(in *schema.Object, sources []earshot.SourceType) {
	seen := map[string]int{}
	for i, s := range sources {
		path := fmt.Sprintf("sources[%d].domain", i)
		host, err := source.Host(s.Domain)
		first, twice := seen[host]
		switch {
		case s.Domain == "": // already rejected
		case err != nil || !strings.Contains(host, "."):
			in.Reject(path, "must be a host name such as example.com")
		case twice:
			in.Reject(path, "is the same as the domain of sources[%d]", first)
		default:
			seen[host] = i
		}
	}
}

// checkFacts rejects facts of other brands, repeated names, and values that cannot be compared.
func (s *Reader) checkFacts(in *schema.Object, facts []earshot.Fact, brands []earshot.Brand) {
	seen := map[[2]string]int{}
	for i, f := range facts {
		path := fmt.Sprintf("facts[%d].", i)
		first, twice := seen[[2]string{f.Brand, f.Name}]
		seen[[2]string{f.Brand, f.Name}] = i
		switch field, problem := s.CheckFact(f); {
		case f.Brand == "" || f.Name == "" || f.Is == "" || len(f.Near) == 0: // already rejected
		case !slices.ContainsFunc(brands, func(b earshot.Brand) bool { return b.Own && b.Name == f.Brand }):
			in.Reject(path+"brand", "must be the name of a brand with own: true")
		case twice:
			in.Reject(path+"name", "is the same as the name of facts[%d]", first)
		case field != "":
			in.Reject(path+field, "%s", problem)
		}
	}
}

func rejectPanel(in *schema.Object, err error) {
	problems, ok := errors.AsType[mention.Problems](err)
	if !ok {
		in.Reject("brands", "%s", err)
	}
	for _, p := range problems {
		in.Reject(p.Path, "%s", p.Message)
	}
}

// checkTargets checks each target against the rules of its provider, and sets its price.
func (s *Reader) checkTargets(in *schema.Object, d *Definition) {
	seen := map[string]int{}
	d.Prices, d.Fields = make([]int64, len(d.Targets)), make([]provider.Fields, len(d.Targets))
	for i, target := range d.Targets {
		path := fmt.Sprintf("targets[%d]", i)
		if first, twice := seen[targetKey(target)]; twice {
			in.Reject(path, "is the same as targets[%d]", first)
			continue
		}
		seen[targetKey(target)] = i
		if target.Provider == "" {
			continue // already rejected
		}
		price, problems := s.price(target, d.Fallback)
		for _, p := range problems {
			in.Reject(path+"."+p.Field, "%s", p.Message)
		}
		d.Prices[i], d.Fields[i] = price, s.fields(target)
	}
}

// checkJudge checks the model that judges reviews, and sets its price.
func (s *Reader) checkJudge(in *schema.Object, d *Definition) {
	if d.Judge == nil || d.Judge.Provider == "" || d.Judge.Model == "" || len(d.Targets) == 0 {
		return // there is none, or it is already rejected
	}
	var problems []earshot.FieldProblem
	d.JudgePrice, problems = s.price(d.judgeTarget(), d.Fallback)
	for _, p := range problems {
		in.Reject("judge."+strings.TrimPrefix(p.Field, "options."), "%s", p.Message)
	}
}

// checkScheduled checks the settings of reports and exports.
func (s *Reader) checkScheduled(in *schema.Object, d *Definition) {
	switch {
	case d.Exports == nil:
	case len(d.Exports.Tables) == 0 && !d.Exports.SQL:
		in.Reject("exports", "must have tables, sql: true, or both")
	case len(d.Exports.Tables) > 0 && !s.Exports:
		in.Reject("exports", "has tables that are not available: this service has no export destination; its operator can set one with --exports")
	}
	if d.Reports == nil {
		return
	}
	var problems []schedule.Problem
	d.ReportRule, problems = schedule.New(ReportSchedule(&d.TrackerDefinition))
	for _, p := range problems {
		if p.Field != "timezone" || d.Reports.Timezone != "" { // otherwise rejected as schedule.timezone
			in.Reject("reports."+p.Field, "%s", p.Message)
		}
	}
	if len(d.ReportChannels()) == 0 {
		in.Reject("reports.channels", "must name a channel, because alerts.channels is empty")
	}
}
