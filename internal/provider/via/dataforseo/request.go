package dataforseo

import (
	"cmp"
	"strings"

	"golang.org/x/text/language"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// defaultModel is the model that answerengine asks.
const defaultModel = "sonar"

// task returns the task of a question, without its tag.
func task(up *upstream.Session, q *provider.Question) map[string]any {
	if q.Provider == "answerengine" {
		return map[string]any{
			"user_prompt": prompt(q), "model_name": cmp.Or(up.Option("model"), defaultModel), "web_search_country_iso_code": q.Locale.Country,
		}
	}
	body := map[string]any{"keyword": prompt(q), "language_code": languageCode(q.Locale)}
	switch {
	case q.Location != "":
		body["location_name"] = q.Location
	case q.Locale.State != "":
		body["location_name"] = vendorapi.StateName(q.Locale.State) + ",United States"
	default:
		body["location_code"] = countryCode(q.Locale.Country)
	}
	switch q.Provider {
	case "chatassistant":
		body["force_web_search"] = !q.NoSearch
	case "searchaimode":
		addDevice(body, q.Device)
	case "websearch":
		addDevice(body, q.Device)
		addPages(body, q.Pages)
		if q.Overview {
			body["load_async_ai_overview"] = true
		}
	case "websearch/news":
		addPages(body, q.Pages)
	}
	return body
}

// addPages asks for a number of result pages. The vendor charges for each page.
func addPages(body map[string]any, pages int) {
	body["depth"], body["max_crawl_pages"] = max(1, pages)*serp.PageSize, max(1, pages)
}

func addDevice(body map[string]any, device earshot.Device) {
	switch device {
	case earshot.IOS:
		body["device"], body["os"] = "mobile", "ios"
	case earshot.Android, earshot.Mobile:
		body["device"], body["os"] = "mobile", "android"
	default:
		body["device"] = "desktop"
	}
}

// escapes protect the characters that the vendor decodes in keywords.
var escapes = strings.NewReplacer("%", "%25", "+", "%2B")

// prompt returns the text of a question as it is sent.
func prompt(q *provider.Question) string {
	if q.Provider == "answerengine" {
		return q.Text
	}
	return escapes.Replace(q.Text)
}

// exceptCountries are the countries without a location code: Google's advertisers cannot choose them,
// or ISO 3166-1 has no number for them.
const exceptCountries = "CU IR KP SY XK"

// countryCode returns the location code of a country, which is 2000 and its number in ISO 3166-1.
func countryCode(country string) int {
	region, _ := language.ParseRegion(country)
	return 2000 + region.M49()
}

// languageCode returns the code of the request's language, or of the country's language. A code is
// required.
func languageCode(locale geo.Locale) string {
	base, region, _ := strings.Cut(cmp.Or(via.GoogleLanguage(locale), "en"), "-")
	if region == "" {
		return base
	}
	return base + "-" + strings.ToUpper(region)
}
