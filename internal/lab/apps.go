package lab

import (
	_ "embed"
	"net/http"
)

//go:embed app.js
var appScript string

// orApp answers those who ask for nothing yet with the site's app, as a browser
// does that opens the site: a page on which there is nothing without scripts, and
// which asks the site itself. What is typed into it never comes into the page
// here, so that there is nothing to escape.
func orApp(app string, answer http.HandlerFunc) http.HandlerFunc {
	page := []byte("<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>Lab</title>\n</head>\n<body>\n" +
		app + "<script>\n" + appScript + "</script>\n</body>\n</html>\n")
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("q") {
			answer(w, r)
			return
		}
		send(w, r, document{typeHTML, [][]byte{page}}, Steering{})
	}
}
