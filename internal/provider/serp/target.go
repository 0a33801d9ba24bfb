package serp

import (
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// Target is where a search is run from.
type Target struct {
	Locale geo.Locale     // its language is that of the interface, "" for the country's own
	Place  string         // a place in the country, encoded as the engine wants it; "" for none
	Device earshot.Device // "" for the desktop
}

// CountryRule says what happens when a request names no country.
type CountryRule int

// The rules.
const (
	CountryRequired CountryRule = iota // it is a mistake
	CountryDefault                     // it means the United States
	CountryGiven                       // it may come from elsewhere: it stays empty
)

// CheckCountry notes what is wrong with country and gl, which mean the same, and
// returns the country.
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
	case in.Has("country") || in.Has("gl"): // of the wrong type, noted already
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

// Place is a place in a country, encoded as the engine wants it.
func Place(location, uule string) string {
	if location != "" {
		return geo.EncodeLocation(location)
	}
	return uule
}

// maxPages is how many result pages one request may have.
const maxPages = 10

// phones are how browsers of phones name them.
var phones = map[earshot.Device]string{
	earshot.IOS:     "iPhone; CPU iPhone OS 18_0 like Mac OS X",
	earshot.Android: "Linux; Android 15",
	earshot.Mobile:  "Linux; Android 15",
}

// userAgent names the device to the engine, which decides by it which page to
// serve, and does not hide who asks.
func userAgent(device earshot.Device) string {
	switch device {
	case earshot.IOS:
		return "Mozilla/5.0 (" + phones[device] + ") Mobile Safari earshot"
	case earshot.Android, earshot.Mobile:
		return "Mozilla/5.0 (Linux; Android 15; Mobile) Chrome earshot"
	default:
		return "Mozilla/5.0 (X11; Linux x86_64) earshot"
	}
}
