package chatassistant

import (
	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// request is one question to the chat assistant.
type request struct {
	earshot.ChatAssistantRequest

	locale geo.Locale
}

var _ provider.Request = (*request)(nil)

func decode(in *schema.Object) *request {
	r := &request{}
	in.Decode(&r.ChatAssistantRequest)
	r.locale = provider.CheckLocale(in, definition, r.Country, r.State)
	return r
}

func (r *request) Locale() geo.Locale { return r.locale }

// billFor returns the bill of an answer. The official API returns neither products nor ads, so they
// are not charged.
func (r *request) billFor(surface earshot.Surface) provider.Bill {
	bill := r.Bill()
	if surface == earshot.SurfaceAPI && !r.Include.RawResponse && !r.Include.SearchQueries {
		delete(bill, itemExtras)
	}
	return bill
}

// Bill returns the base price, the extras once if any paid flag is set, and the state surcharge.
func (r *request) Bill() provider.Bill {
	bill := provider.BaseBill(r.locale)
	if i := r.Include; i.Shopping || i.RawResponse || i.SearchQueries || i.Ads {
		bill = bill.With(itemExtras)
	}
	return bill
}
