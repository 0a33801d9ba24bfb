package labsite

import (
	"net/http"
	"strings"

	"earshot/internal/upstream/lab"
)

const (
	consentPath   = "/consent/save"
	consentCookie = "lab-consent"
	// scriptHeader is sent by the script of a page that is empty without it.
	scriptHeader = "Lab-Script"
	// paramSteering holds the steering words of a redirect link.
	paramSteering = "lab"
)

// gated calls next once the visitor has done what the steering words in the parameter require:
// refuse consent, or run the page's script.
func gated(parameter string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		steering, _ := lab.Steer(r.URL.Query().Get(parameter))
		_, err := r.Cookie(consentCookie)
		switch {
		case steering.Consent && err != nil:
			serve(w, r, "consent", r.URL.RequestURI())
		case steering.Scripts && r.Header.Get(scriptHeader) == "":
			serve(w, r, "shell", nil)
		case steering.Scripts && r.URL.Path != searchPath:
			// A script cannot read the target of a redirect, so it gets the destination as text.
			destination, _ := destinationOf(r.URL)
			lab.Document{Type: "text/plain; charset=utf-8", Pieces: [][]byte{[]byte(destination)}}.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// takeConsent lets visitors continue who refuse consent. Giving consent is an error.
func takeConsent(w http.ResponseWriter, r *http.Request) {
	next := r.PostFormValue("continue")
	if r.PostFormValue("set_eom") != "true" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") {
		http.Error(w, "the lab wants consent to be refused", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: consentCookie, Value: "refused", Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}) // the lab has no TLS
	http.Redirect(w, r, next, http.StatusSeeOther)                                                                                    // a path of this site
}
