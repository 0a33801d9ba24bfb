package serp

import (
	"net/url"
	"strings"

	"earshot/internal/upstream"
)

// partPath is where the engine serves pieces of pages.
const partPath = "/async/"

// PartOf is the request for a piece of a page, as Target.Part, at an address
// that the page told. ok is false when that is not one of the engine's: a page
// must not choose what else is asked.
func (e Engine) PartOf(t Target, address string, further url.Values) (request upstream.Request, ok bool) {
	u, ok := e.absolute(address)
	if !ok || !e.isMain(u.Hostname()) || !strings.HasPrefix(u.Path, partPath) || strings.Contains(u.Path, "..") {
		return upstream.Request{}, false
	}
	params := u.Query()
	for name, values := range further {
		params[name] = values
	}
	return t.Part(u.Path, params), true
}
