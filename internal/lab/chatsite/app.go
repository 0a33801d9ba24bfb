package chatsite

import _ "embed"

// App is what is particular to the site's app page.
//
//go:embed app.html
var App string
