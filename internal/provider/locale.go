package provider

import (
	"earshot/internal/geo"
	"earshot/internal/schema"
)

// CheckLocale reports problems with the country and the state of a request to in, and returns the
// locale.
func CheckLocale(in *schema.Object, def Definition, country, state string) geo.Locale {
	if in.IsString("country") {
		switch {
		case !geo.IsCountry(country):
			in.Reject("country", "must be an upper-case ISO 3166-1 alpha-2 code such as US")
		case !def.Serves(country):
			in.Reject("country", "%s is not available in %s", def.Name, country)
		}
	}
	if in.IsString("state") {
		switch {
		case country != "US":
			in.Reject("state", "is only valid with country US")
		case !geo.IsState(state):
			in.Reject("state", "must be the upper-case two-letter code of a US state, see /v1/states")
		}
	}
	return geo.Locale{Country: country, State: state}
}
