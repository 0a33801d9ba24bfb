package provider

import "earshot"

// Fields is a set of the fields of results that metrics count besides the text. If a field of
// a result is empty, it is in the set of its upstream only if that means that there was nothing:
// an empty list of searches says that the assistant did not search.
type Fields uint

// The fields.
const (
	Searches  Fields = 1 << iota // searchQueries, mapSearchQueries
	Retrieved                    // sources, if they include pages that were read but not cited
	Cited                        // the cited pages: as Pills, or as links and numbers in the text
	Pills                        // citationPills; without them, Cited is read from the text
	Products                     // shoppingCards, inlineProducts, productResults
	Ads
	Layout // all blocks of a search page
)

// AllFields contains every field.
const AllFields = Searches | Retrieved | Cited | Pills | Products | Ads | Layout

// Has reports whether the set contains all of the fields.
func (f Fields) Has(fields Fields) bool { return f&fields == fields }

// Reported returns the fields that results can have if they come from the surface, through the
// vendor or aggregator via, which may be "".
func (d Definition) Reported(vendors Vendors, surface earshot.Surface, via string) Fields {
	if vendor := vendors[via]; vendor != nil {
		return vendor.Definition().Serves[d.Name].Fields
	}
	return d.Fields[surface]
}
