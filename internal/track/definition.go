package track

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/schema"
	"earshot/internal/track/analysis"
	"earshot/internal/track/mention"
	"earshot/internal/track/schedule"
	"earshot/internal/track/source"
)

const (
	// shortestInterval is how much time must lie between two sweeps of a schedule.
	shortestInterval = time.Hour
	// maxCells is how many pairs of a question and a target a tracker may have.
	maxCells = 20_000
	// maxPrompts is how many questions a tracker may have had: those that it no longer has
	// stay as long as it does.
	maxPrompts = 50_000
	// maxValues is what a definition of the largest size needs.
	maxValues = 400_000
	// defaultKeep is how many days answers are kept unless the definition says otherwise.
	defaultKeep = 400
)

// definition is a definition that was read and checked.
type definition struct {
	earshot.TrackerDefinition
	rule     *schedule.Rule // nil when sweeps are only run by hand
	reports  *schedule.Rule // nil when none is sent by itself
	keepDays int
	prices   []int64 // of a task on each target
}

// parse reads a definition in JSON, or in YAML when isYAML is set, and checks it whole.
// Its errors name the field, and the line in YAML.
func (s *Service) parse(name string, body []byte, isYAML bool) (*definition, error) {
	var lines map[string]int
	if isYAML {
		var err error
		if body, lines, err = fromYAML(body); err != nil {
			return nil, err
		}
	}
	in, err := schema.ParseUpTo(body, maxValues)
	if err != nil {
		return nil, err
	}
	d := &definition{}
	in.Decode(&d.TrackerDefinition)
	s.check(in, name, d)
	if err := in.Err(); err != nil {
		return nil, withLines(err, lines)
	}
	return d, nil
}

// withLines adds to each problem the line of its field, or of the nearest that holds it.
func withLines(err error, lines map[string]int) error {
	var e *earshot.Error
	if !errors.As(err, &e) || lines == nil {
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

// outer is the path of what holds a field: a for a.b and for a[1].
func outer(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

// check tells what only a look at the whole shows, and completes the definition.
func (s *Service) check(in *schema.Object, name string, d *definition) {
	if d.Name != "" && d.Name != name {
		in.Reject("name", "must be %q, as in the path", name)
	}
	d.Name = name
	d.keepDays = cmp.Or(daysOf(d.Keep), defaultKeep)
	seen := map[string]int{}
	for i, p := range d.Prompts {
		if first, twice := seen[promptKey(p)]; twice && p.Text != "" {
			in.Reject(fmt.Sprintf("prompts[%d]", i), "is the same question as prompts[%d]", first)
		} else {
			seen[promptKey(p)] = i
		}
		if p.Weight == 0 && p.Text != "" { // one that is not given is 1
			in.Reject(fmt.Sprintf("prompts[%d].weight", i), "must be above 0; leave the question out where it is not to count")
		}
	}
	checkBrands(in, d.Brands)
	checkSources(in, d.Sources)
	if cells := len(d.Prompts) * len(d.Targets); cells > maxCells {
		in.Reject("prompts", "%d prompts on %d targets make %d cells; at most %d are possible", len(d.Prompts), len(d.Targets), cells, maxCells)
	}
	s.checkTargets(in, d)
	d.Samples = max(1, d.Samples)
	if d.Schedule != nil {
		var problems []schedule.Problem
		d.rule, problems = schedule.New(*d.Schedule)
		for _, p := range problems {
			in.Reject("schedule."+p.Field, "%s", p.Message)
		}
		if d.rule != nil && d.rule.Shortest < shortestInterval {
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
			in.Reject(fmt.Sprintf("brands[%d].name", i), "is the same as that of brands[%d]", first)
		} else {
			seen[b.Name] = i
		}
		for j, domain := range b.Domains {
			if strings.ContainsAny(domain, "/: ") || !strings.Contains(domain, ".") {
				in.Reject(fmt.Sprintf("brands[%d].domains[%d]", i, j), "must be a host name such as example.com")
				return
			}
			if host, err := source.BrandDomain(domain); err == nil && source.IsPublicSuffix(host) {
				in.Reject(fmt.Sprintf("brands[%d].domains[%d]", i, j), "%s is a public suffix, below which everybody has domains; name the domain of %s itself", domain, b.Name)
			}
		}
	}
	// What the panel's fields tell each by itself was told already.
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

// rejectShared refuses a name that two brands have, unless switches tell them apart. Of
// two such names it is told of an alias, and of the later one.
func rejectShared(in *schema.Object, brands []earshot.Brand, one, other mention.NameRef, equal bool) {
	if !equal || one.Name == 0 && other.Name > 0 || (one.Name == 0) == (other.Name == 0) && one.Brand < other.Brand {
		return // each pair comes twice
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
	in.Reject(field, "%q of %s is %s of %s, too: remove it from one of them, or tell them apart with match", name, brands[one.Brand].Name, what, brands[other.Brand].Name)
}

// nameOf is the name or alias that a reference leads to, with its switches.
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

// checkSources tells which domains are none, and which are there twice.
func checkSources(in *schema.Object, sources []earshot.SourceType) {
	seen := map[string]int{}
	for i, s := range sources {
		path := fmt.Sprintf("sources[%d].domain", i)
		host, err := source.Host(s.Domain)
		first, twice := seen[host]
		switch {
		case s.Domain == "": // which was told already
		case err != nil || !strings.Contains(host, "."):
			in.Reject(path, "must be a host name such as example.com")
		case twice:
			in.Reject(path, "is the same as that of sources[%d]", first)
		default:
			seen[host] = i
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

// checkTargets holds each target against the rules of its provider, and finds its price.
func (s *Service) checkTargets(in *schema.Object, d *definition) {
	seen := map[string]int{}
	sample := earshot.TrackedPrompt{Text: "x"}
	d.prices = make([]int64, len(d.Targets))
	for i, target := range d.Targets {
		path := fmt.Sprintf("targets[%d]", i)
		if first, twice := seen[targetKey(target)]; twice {
			in.Reject(path, "is the same as targets[%d]", first)
			continue
		}
		seen[targetKey(target)] = i
		asked, err := s.Catalogue.Provider(target.Provider)
		if err != nil {
			if target.Provider != "" {
				in.Reject(path+".provider", "must be one of %s", strings.Join(s.Catalogue.Names(), ", "))
			}
			continue
		}
		if target.Country != "" && !geo.IsCountry(target.Country) {
			in.Reject(path+".country", "must be an upper-case ISO 3166-1 alpha-2 code such as US")
			continue
		}
		payload, err := payloadOf(asked.Definition(), sample, target)
		if err != nil {
			in.Reject(path+".options", "%s", err)
			continue
		}
		request, problems := decode(asked, payload)
		for _, p := range problems {
			in.Reject(path+"."+fieldOfTarget(p.Field), "%s", p.Message)
		}
		if problems == nil {
			d.prices[i] = s.Jobs.Price(asked.Definition(), request)
		}
	}
}

// decode reads a payload by the rules of a provider.
func decode(asked provider.Provider, payload []byte) (provider.Request, []earshot.FieldProblem) {
	in, err := schema.Parse(payload)
	if err == nil {
		request := asked.Decode(in)
		if err = in.Err(); err == nil {
			return request, nil
		}
	}
	var e *earshot.Error
	if errors.As(err, &e) {
		if problems, ok := e.Details.([]earshot.FieldProblem); ok {
			return nil, problems
		}
	}
	return nil, []earshot.FieldProblem{{Field: schema.BodyField, Message: err.Error()}}
}

// fieldOfTarget is where a definition has a field of the provider's request.
func fieldOfTarget(field string) string {
	switch field {
	case "country", "state", "device":
		return field
	case "hl":
		return "language"
	default:
		return "options." + field
	}
}

// payloadOf is the request that asks a question on a target.
func payloadOf(about provider.Definition, prompt earshot.TrackedPrompt, target earshot.Target) ([]byte, error) {
	payload := map[string]any{about.TextField(): prompt.Text, "country": target.Country}
	if target.State != "" {
		payload["state"] = target.State
	}
	if target.Device != "" {
		payload["device"] = target.Device
	}
	if target.Language != "" {
		payload["hl"] = target.Language
	}
	if target.Options != nil {
		var options map[string]json.RawMessage
		if err := json.Unmarshal(target.Options, &options); err != nil {
			return nil, fmt.Errorf("must be an object: %w", err)
		}
		for name, value := range options {
			if _, taken := payload[name]; taken || slices.Contains([]string{"prompt", "query", "url", "country", "gl", "state", "device", "hl"}, name) {
				return nil, fmt.Errorf("must not have %s, which the tracker sets", name)
			}
			payload[name] = value
		}
	}
	spellOut(payload, reflect.TypeOf(about.Request))
	return json.Marshal(payload)
}

// spellOut writes {} where a request takes an object and the options say true, and leaves
// out what they say false to. It asks for Markdown wherever the request can, because
// analysis reads it and it costs nothing. The options of the definition stay as they are,
// so that a target keeps its number.
func spellOut(options map[string]any, request reflect.Type) {
	for i := range request.NumField() {
		field := request.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		text, given := options[name].(json.RawMessage)
		if name == "markdown" && (!given || string(text) == "false") {
			options[name] = true
			continue
		}
		kind, optional := field.Type, field.Type.Kind() == reflect.Pointer
		if optional {
			kind = kind.Elem()
		}
		if kind.Kind() != reflect.Struct || !given && optional {
			continue
		}
		var inner map[string]json.RawMessage
		switch {
		case string(text) == "false":
			delete(options, name)
			if optional {
				continue
			}
		case given && string(text) != "true":
			if json.Unmarshal(text, &inner) != nil || inner == nil {
				continue // the provider will say what is wrong with it
			}
		}
		fields := make(map[string]any, len(inner))
		for name, value := range inner {
			fields[name] = value
		}
		spellOut(fields, kind)
		if given && string(text) != "false" || len(fields) > 0 {
			options[name] = fields
		}
	}
}

// promptKey is what makes a question the same as another.
func promptKey(p earshot.TrackedPrompt) string { return p.Language + "\x00" + p.Text }

// targetKey is what makes a target the same as another: the order of options does not.
func targetKey(t earshot.Target) string {
	var options any
	if t.Options != nil {
		_ = json.Unmarshal(t.Options, &options) // it was parsed before
	}
	sorted, _ := json.Marshal(options) // a map's names are sorted
	return strings.Join([]string{t.Provider, t.Country, t.State, string(t.Device), t.Language, string(sorted)}, "\x00")
}

// targetName is what a target is called, unless another one is called so already.
func targetName(t earshot.Target) string {
	name := t.Provider + "/" + t.Country
	for _, part := range []string{t.State, string(t.Device), t.Language} {
		if part != "" {
			name += "/" + part
		}
	}
	return name
}

// sweepCost is the most that a sweep can cost.
func (d *definition) sweepCost() (credits int64) {
	for _, price := range d.prices {
		credits += price
	}
	return credits * int64(len(d.Prompts)) * int64(d.Samples)
}

// sweepsIn is how many sweeps are due in a number of days from a moment on.
func (d *definition) sweepsIn(days int, from time.Time) (n int) {
	if d.rule == nil {
		return 0
	}
	end := from.AddDate(0, 0, days)
	slot, ok := d.rule.After(from)
	for ; ok && d.rule.At(slot).Before(end); n++ {
		slot, ok = d.rule.Next(slot)
	}
	return n
}

// ceiling is how many credits a month may cost, nil for any number.
func (d *definition) ceiling() *int64 {
	if d.Ceiling == nil {
		return nil
	}
	return new(int64(d.Ceiling.CreditsPerMonth))
}

// webhook is where sweeps are told of, nil for nowhere.
func (d *definition) webhook() *string {
	if d.Webhook == nil {
		return nil
	}
	return &d.Webhook.URL
}
