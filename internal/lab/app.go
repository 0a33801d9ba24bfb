package lab

import (
	_ "embed"
	"net/http"
)

//go:embed app.js
var appScript string

// App answers a browser that opens a site, and so asks nothing yet, with the
// site's app: a page that shows nothing without scripts, and asks the site
// itself. html is what is particular to the site. What is typed into the app
// never gets into its page here, so there is nothing to escape.
func App(html string, answer http.Handler) http.Handler {
	page := Document{TypeHTML, [][]byte{[]byte("<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>Lab</title>\n</head>\n<body>\n" +
		html + "<script>\n" + appScript + "</script>\n</body>\n</html>\n")}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("q") {
			answer.ServeHTTP(w, r)
			return
		}
		page.ServeHTTP(w, r)
	})
}
