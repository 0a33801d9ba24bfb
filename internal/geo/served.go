package geo

import "strings"

// notServed lists, for each thing that can be asked, the countries in which it
// is not offered. Whatever is not in the table is not a model.
var notServed = map[string]string{
	"answerengine":    "CN",
	"chatassistant":   "CN HK IR MO RU VE",
	"genassistant":    "BY CN RU",
	"officeassistant": "BY CN RU SY VE",
	"searchaimode":    "CN CU IR KP",
	"searchoverview":  "BL BV CN CU ET GF GP IR IS LK MF MQ NC PF PM RE TF WF YT",
	"socialassistant": "BY CN HK RU VE",
	"websearch":       "",
}

// Models are the names that Served knows, in alphabetical order.
func Models() []string {
	return []string{
		"answerengine", "chatassistant", "genassistant", "officeassistant",
		"searchaimode", "searchoverview", "socialassistant", "websearch",
	}
}

// Served tells whether the model is offered in the country. Both must be known.
func Served(model, country string) bool {
	gaps, ok := notServed[model]
	return ok && IsCountry(country) && !strings.Contains(gaps, country)
}
