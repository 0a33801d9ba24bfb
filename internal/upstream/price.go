package upstream

import "math"

// USD is an amount in units of 1e-9 US dollars.
type USD int64

// Dollars returns an amount in units of 1e-9 US dollars.
func Dollars(usd float64) USD { return USD(math.Round(usd * 1e9)) }

// Float returns the amount in US dollars.
func (u USD) Float() float64 { return float64(u) / 1e9 }

// Price is what an upstream charges for the parts of an answer.
type Price struct {
	Request  USD // an answer, or the first result page
	Page     USD // each further result page
	Overview USD // the AI overview of a result page
	Extras   USD // all optional parts of an assistant's answer together, such as products and ads
}

// Parts counts the parts of an answer.
type Parts struct{ Requests, Pages, Overviews, Extras int }

// Of returns the price of parts.
func (p Price) Of(n Parts) USD {
	return USD(n.Requests)*p.Request + USD(n.Pages)*p.Page + USD(n.Overviews)*p.Overview + USD(n.Extras)*p.Extras
}

// OneRequest is what a request buys unless it says otherwise.
var oneRequest = Parts{Requests: 1}
