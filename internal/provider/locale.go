package provider

import (
	"earshot/internal/geo"
	"earshot/internal/strictjson"
)

// MaxPrompt is how many characters a prompt or a query may have.
const MaxPrompt = 10_000

// DecodePrompt takes prompt, which is required.
func DecodePrompt(in *strictjson.Object) string {
	in.Require("prompt")
	return in.Text("prompt", MaxPrompt)
}

// DecodeLocale takes country, which is required, and state.
func DecodeLocale(in *strictjson.Object, def Definition) geo.Locale {
	in.Require("country")
	country, hasCountry := in.String("country")
	switch {
	case !hasCountry: // noted already
	case !geo.IsCountry(country):
		in.Reject("country", "must be an upper-case ISO 3166-1 alpha-2 code such as US")
	case !def.Serves(country):
		in.Reject("country", "%s is not available in %s", def.Name, country)
	}
	state, hasState := in.String("state")
	switch {
	case !hasState:
	case country != "US":
		in.Reject("state", "is only valid with country US")
	case !geo.IsState(state):
		in.Reject("state", "must be the upper-case two-letter code of a US state, see /v1/states")
	}
	return geo.Locale{Country: country, State: state}
}
