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

// Locale is where it is asked from.
func (r *request) Locale() geo.Locale { return r.locale }

// billFor is what an answer costs. The official API knows neither products nor
// ads, which are not charged then.
func (r *request) billFor(surface earshot.Surface) provider.Bill {
	bill := r.Bill()
	if surface == earshot.SurfaceAPI && !r.Include.RawResponse && !r.Include.SearchQueries {
		delete(bill, itemExtras)
	}
	return bill
}

// Bill is the base price, the paid flags together once, and the state.
func (r *request) Bill() provider.Bill {
	bill := provider.BaseBill(r.locale)
	if i := r.Include; i.Shopping || i.RawResponse || i.SearchQueries || i.Ads {
		bill = bill.With(itemExtras)
	}
	return bill
}
