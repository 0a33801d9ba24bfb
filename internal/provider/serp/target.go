package serp

import (
	"regexp"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/strictjson"
)

// Device is whose result page is asked for.
type Device string

// The devices. Mobile is another name for Android.
const (
	Desktop Device = "desktop"
	Mobile  Device = "mobile"
	IOS     Device = "ios"
	Android Device = "android"
)

// Target is where a search is run from.
type Target struct {
	Locale geo.Locale // its language is that of the interface, "" for the country's own
	Place  string     // a place in the country, encoded as the engine wants it; "" for none
	Device Device
}

// DecodeTarget takes all that says where a web search is run from. A country is
// required.
func DecodeTarget(in *strictjson.Object, def provider.Definition) Target {
	return Target{
		Locale: geo.Locale{Country: DecodeCountry(in, def, CountryRequired), Language: DecodeLanguage(in)},
		Place:  DecodePlace(in),
		Device: DecodeDevice(in, Desktop, Mobile, IOS, Android),
	}
}

// CountryRule says what happens when a request names no country.
type CountryRule int

// The rules.
const (
	CountryRequired CountryRule = iota // it is a mistake
	CountryDefault                     // it means the United States
	CountryGiven                       // it may come from elsewhere: it stays empty
)

// DecodeCountry takes country and gl, which mean the same.
func DecodeCountry(in *strictjson.Object, def provider.Definition, rule CountryRule) string {
	country, hasCountry := in.String("country")
	code, hasCode := in.String("gl")
	code = strings.ToUpper(code)
	if hasCountry {
		checkCountry(in, def, "country", country)
	}
	if hasCode {
		checkCountry(in, def, "gl", code)
	}
	switch {
	case hasCountry && hasCode && country != code:
		in.Reject("gl", "differs from country; send one of them")
		return ""
	case hasCountry:
		return country
	case hasCode:
		return code
	case in.Has("country") || in.Has("gl"): // of the wrong type, noted already
		return ""
	case rule == CountryDefault:
		return "US"
	case rule == CountryRequired:
		in.Reject("gl", "country or gl is required")
	}
	return ""
}

func checkCountry(in *strictjson.Object, def provider.Definition, field, code string) {
	switch {
	case !geo.IsCountry(code):
		in.Reject(field, "must be an ISO 3166-1 alpha-2 code such as US")
	case !def.Serves(code):
		in.Reject(field, "%s is not available in %s", def.Name, code)
	}
}

// language is the form of a language tag: "de", "pt-br", "zh-hant-tw".
var language = regexp.MustCompile(`^[a-z]{2,3}(-[a-z0-9]{2,8})*$`)

const maxLanguage = 16

// DecodeLanguage takes hl, the language of the interface, in lower case.
func DecodeLanguage(in *strictjson.Object) string {
	tag := strings.ToLower(in.Text("hl", maxLanguage))
	if tag != "" && !language.MatchString(tag) {
		in.Reject("hl", "must be a language such as en or pt-BR")
	}
	return tag
}

const (
	maxLocation = 200
	maxUULE     = 400
)

var uule = regexp.MustCompile(`^[A-Za-z0-9+/_=-]+$`)

// DecodePlace takes location or uule and gives the place as the engine wants it.
func DecodePlace(in *strictjson.Object) string {
	location, encoded := in.Text("location", maxLocation), in.Text("uule", maxUULE)
	if encoded != "" && !uule.MatchString(encoded) {
		in.Reject("uule", "must be an encoded location")
	}
	switch {
	case in.Has("location") && in.Has("uule"):
		in.Reject("uule", "cannot be combined with location")
		return ""
	case location != "":
		return geo.EncodeLocation(location)
	default:
		return encoded
	}
}

// DecodeDevice takes device, one of those offered; absent means the desktop.
func DecodeDevice(in *strictjson.Object, offered ...Device) Device {
	names := make([]string, len(offered))
	for i, d := range offered {
		names[i] = string(d)
	}
	if device := Device(in.Enum("device", names...)); device != "" {
		return device
	}
	return Desktop
}

// maxPages is how many result pages one request may have.
const maxPages = 10

// DecodePages takes pages; absent means one.
func DecodePages(in *strictjson.Object) int { return in.Int("pages", 1, maxPages, 1) }

// userAgent names the device to the engine, which decides by it which page to
// serve, and does not hide who asks.
func (d Device) userAgent() string {
	switch d {
	case IOS:
		return "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile Safari earshot"
	case Android, Mobile:
		return "Mozilla/5.0 (Linux; Android 15; Mobile) Chrome earshot"
	default:
		return "Mozilla/5.0 (X11; Linux x86_64) earshot"
	}
}
