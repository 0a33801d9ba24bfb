package definition

import (
	"encoding/json"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/internal/track/metric"
)

// Question returns the question of a request to a provider, for the analysis of a result that
// came from an origin (analysis.Origin).
func (s *Reader) Question(name string, request []byte, origin string) analysis.Question {
	var fields map[string]any
	_ = json.Unmarshal(request, &fields) // requests were checked when they came
	about := s.Catalogue.Definition(name)
	q := analysis.Question{Reports: newAsker(about, fields).reports(s.Vendors, origin)}
	if about.Name != "" { // it is still a provider of this service
		q.Text, _ = fields[about.TextField()].(string)
	}
	return q
}

// Question returns the question that an answer of the tracker answers.
func (n *PartNames) Question(a *tracking.Answer) analysis.Question {
	return analysis.Question{Text: n.Prompts[a.Prompt], Reports: n.askers[a.Target].reports(n.vendors, a.Surface)}
}

// asker asks a provider with some options.
type asker struct {
	about     provider.Definition
	requested provider.Fields
}

// fields returns the fields that results on a target may have: the requested ones that any
// upstream of the provider offers.
func (s *Reader) fields(target earshot.Target) (offered provider.Fields) {
	asked := s.askerOf(target)
	for _, fields := range asked.about.Fields {
		offered |= fields
	}
	for _, vendor := range s.Vendors {
		offered |= vendor.Definition().Serves[target.Provider].Fields
	}
	return offered & asked.requested
}

// askerOf returns the asker of a target.
func (s *Reader) askerOf(target earshot.Target) asker {
	about := s.Catalogue.Definition(target.Provider)
	var fields map[string]any
	if len(about.Flags) > 0 {
		payload, err := payloadOf(about, earshot.TrackedPrompt{}, target, "")
		if err == nil {
			_ = json.Unmarshal(payload, &fields) // payloadOf encoded it
		}
	}
	return newAsker(about, fields)
}

// newAsker returns the asker of a request.
func newAsker(about provider.Definition, request map[string]any) asker {
	a := asker{about, provider.AllFields}
	for fields, flag := range about.Flags {
		if !isSet(request, flag) {
			a.requested &^= fields
		}
	}
	return a
}

// isSet reports whether an option of a request is true or an object. A dot in the name separates
// an object from its field.
func isSet(request map[string]any, option string) bool {
	name, rest, nested := strings.Cut(option, ".")
	inner, isObject := request[name].(map[string]any)
	if nested {
		return isSet(inner, rest)
	}
	return isObject || request[name] == true
}

// contents are the fields of contents, and the fields of results that they are read from.
var contents = map[metric.Field]provider.Fields{
	metric.FieldSearches: provider.Searches, metric.FieldSources: provider.Retrieved, metric.FieldCited: provider.Cited,
	metric.FieldProducts: provider.Products, metric.FieldAds: provider.Ads, metric.FieldLayout: provider.Layout,
}

// reports returns what results from an origin report.
func (a asker) reports(vendors provider.Vendors, origin string) analysis.Reports {
	surface, via := analysis.SplitOrigin(origin)
	offered := a.about.Reported(vendors, earshot.Surface(surface), via)
	reports := analysis.Reports{Unreported: metric.Unreported{}, Inline: !offered.Has(provider.Pills)}
	_, isWeb := a.about.Result.(earshot.WebSearch)
	_, isNews := a.about.Result.(earshot.NewsSearch)
	for field, from := range contents {
		switch {
		case field == metric.FieldLayout && !isWeb && !isNews: // only search pages have a layout
		case !offered.Has(from):
			reports.Unreported[field] = metric.NotOffered
		case !a.requested.Has(from):
			reports.Unreported[field] = metric.NotRequested
		}
	}
	return reports
}
