package serp

import (
	"earshot/internal/geo"
	"earshot/internal/provider"
)

// Question returns the search in the form that vendors need.
func (q Query) Question(name string) *provider.Question {
	return &provider.Question{
		Provider: name, Text: q.Text, Locale: q.Locale, Location: geo.DecodeLocation(q.Place), UULE: q.Place, Device: q.Device,
		Pages: max(1, q.Pages), First: q.First, Extra: q.Extra,
	}
}
