package markup

import "github.com/PuerkitoBio/goquery"

// challengeMarks are what pages that refuse us are made with, whatever their
// language: captcha widgets, challenge scripts, sign-in forms.
var challengeMarks = goquery.Single(`
	form[id*="challenge"], form[action*="challenge"], script[src*="challenge"], [id^="challenge-"],
	[id*="captcha"], [class*="captcha"], iframe[src*="captcha"], script[src*="captcha"], form[action*="captcha"],
	[class*="turnstile"], form[action*="/sorry/"], form[action*="consent"], form[action*="login"], input[type="password"]`)

// IsChallenge tells whether the page wants something of its visitor before it
// goes on. It is meant for pages on which no answer was found; an ordinary page
// may have a sign-in form too.
func IsChallenge(page *goquery.Document) bool { return page.FindMatcher(challengeMarks).Length() > 0 }
