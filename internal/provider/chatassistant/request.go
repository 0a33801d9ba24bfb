package chatassistant

import (
	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/strictjson"
)

// request is one question to the chat assistant.
type request struct {
	prompt           string
	locale           geo.Locale
	include          include
	legacy           bool
	disableWebSearch bool
}

// include says which parts of the answer are wanted beyond the ordinary ones.
type include struct {
	chat.Include

	searchQueries, ads, shopping bool
}

var _ provider.Request = (*request)(nil)

func decode(in *strictjson.Object) *request {
	r := &request{
		prompt:           provider.DecodePrompt(in),
		locale:           provider.DecodeLocale(in, definition),
		legacy:           in.Flag("legacy"),
		disableWebSearch: in.Flag("disableWebSearch"),
	}
	flags := in.Object("include")
	r.include = include{
		Include:       chat.DecodeInclude(flags),
		searchQueries: flags.Flag("searchQueries"),
		ads:           flags.Flag("ads"),
		shopping:      flags.Flag("shopping"),
	}
	return r
}

// Locale is where it is asked from.
func (r *request) Locale() geo.Locale { return r.locale }

// billFor is what an answer costs. The official API knows neither products nor
// ads, which are not charged then.
func (r *request) billFor(surface earshot.Surface) provider.Bill {
	bill := r.Bill()
	if surface == earshot.SurfaceAPI && !r.include.RawResponse && !r.include.searchQueries {
		delete(bill, itemExtras)
	}
	return bill
}

// Bill is the base price, the paid flags together once, and the state.
func (r *request) Bill() provider.Bill {
	bill := provider.BaseBill(r.locale)
	if i := r.include; i.shopping || i.RawResponse || i.searchQueries || i.ads {
		bill = bill.With(itemExtras)
	}
	return bill
}
