package serp

import (
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// Target says where a search is run from.
type Target struct {
	Locale geo.Locale     // its language is the interface language; "" means the country's language
	Place  string         // a place in the country, encoded for the engine, or ""
	Device earshot.Device // "" means desktop
}

// CountryRule says what a request without a country means.
type CountryRule int

// The rules.
const (
	CountryRequired CountryRule = iota // an error
	CountryDefault                     // the United States
	CountryGiven                       // the country is given elsewhere and stays empty here
)

// CheckCountry returns the country of a request and rejects an invalid one. country and gl are two
// names for the same field.
func CheckCountry(in *schema.Object, def provider.Definition, country, gl string, rule CountryRule) string {
	gl = strings.ToUpper(gl)
	hasCountry, hasGL := in.IsString("country"), in.IsString("gl")
	if hasCountry {
		checkCountry(in, def, "country", country)
	}
	if hasGL {
		checkCountry(in, def, "gl", gl)
	}
	switch {
	case hasCountry && hasGL && country != gl:
		in.Reject("gl", "differs from country; send one of them")
		return ""
	case hasCountry:
		return country
	case hasGL:
		return gl
	case in.Has("country") || in.Has("gl"): // of the wrong type, already rejected
		return ""
	case rule == CountryDefault:
		return "US"
	case rule == CountryRequired:
		in.Reject("country", "is required, unless gl is given")
	}
	return ""
}

func checkCountry(in *schema.Object, def provider.Definition, field, code string) {
	switch {
	case !geo.IsCountry(code):
		in.Reject(field, "must be an ISO 3166-1 alpha-2 code such as US")
	case !def.Serves(code):
		in.Reject(field, "%s is not available in %s", def.Name, code)
	}
}

// Place returns a place in a country, encoded for the engine.
func Place(location, uule string) string {
	if location != "" {
		return geo.EncodeLocation(location)
	}
	return uule
}

// maxPages is the maximum number of result pages of one request.
const maxPages = 10

// phones are the names of phones in the user agents of their browsers.
var phones = map[earshot.Device]string{
	earshot.IOS:     "iPhone; CPU iPhone OS 18_0 like Mac OS X",
	earshot.Android: "Linux; Android 15",
	earshot.Mobile:  "Linux; Android 15",
}

// UserAgent returns the User-Agent header. It names the device, which decides the page that the
// engine serves, and does not hide that earshot asks.
func (t Target) UserAgent() string {
	switch t.Device {
	case earshot.IOS:
		return "Mozilla/5.0 (" + phones[t.Device] + ") Mobile Safari earshot"
	case earshot.Android, earshot.Mobile:
		return "Mozilla/5.0 (Linux; Android 15; Mobile) Chrome earshot"
	default:
		return "Mozilla/5.0 (X11; Linux x86_64) earshot"
	}
}
