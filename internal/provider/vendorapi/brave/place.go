package brave

import (
	"net/http"
	"slices"
	"strings"

	"earshot/internal/geo"
)

// countries lists the countries that the API has results for. It rejects any other.
var countries = strings.Fields(`
AR AT AU BE BR CA CH CL CN DE DK ES FI FR GB HK ID IN IT JP
KR MX MY NL NO NZ PH PL PT RU SA SE TR TW US ZA
`)

// Located reports whether the API supports the country of the locale. A search from any other country
// is refused, because the API would answer as for the United States.
func Located(locale geo.Locale) bool { return slices.Contains(countries, locale.Country) }

// locate sets the headers that describe the user's location. The API accepts any ISO 3166 country
// in them, and only for web searches.
func (q Query) locate(header http.Header) {
	country, state := q.Locale.Country, q.Locale.State
	if country != "" && country != "XK" { // Kosovo's code is not in ISO 3166
		header.Set("X-Loc-Country", country)
	}
	city, region := q.cityAndRegion()
	for _, s := range geo.States() {
		if country == "US" && (s.Code == state || state == "" && s.Name == region) {
			header.Set("X-Loc-State", s.Code)
			header.Set("X-Loc-State-Name", s.Name)
		}
	}
	if city != "" {
		header.Set("X-Loc-City", city)
	}
}

// cityAndRegion returns the first and the second-to-last part of a place such as
// "Austin,Texas,United States". Of two parts, the first is the region. A city with non-ASCII
// characters is omitted, because headers cannot carry it reliably.
func (q Query) cityAndRegion() (city, region string) {
	parts := strings.Split(geo.DecodeLocation(q.Place), ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	switch {
	case len(parts) < 2:
		return "", ""
	case len(parts) == 2 || !isPlain(parts[0]):
		return "", parts[len(parts)-2]
	default:
		return parts[0], parts[len(parts)-2]
	}
}

func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
