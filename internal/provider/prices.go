package provider

import (
	"fmt"
	"maps"

	"earshot/internal/geo"
)

// Bill counts the price list items that a job uses.
type Bill map[string]int

// Items that mean the same for every provider.
const (
	ItemBase  = "base"  // once in every bill; each provider sets its price
	ItemState = "state" // the request names a state
	ItemSync  = "sync"  // the job is a synchronous call
)

// surcharges holds the default prices of the items that cost the same for all providers.
var surcharges = map[string]int64{ItemState: 0, ItemSync: 0}

// With returns a copy of the bill with one more of item.
func (b Bill) With(item string) Bill {
	sum := Bill{}
	maps.Copy(sum, b)
	sum[item]++
	return sum
}

// BaseBill returns the bill of a request that costs the base price, plus the state surcharge if the
// locale has a state.
func BaseBill(locale geo.Locale) Bill {
	bill := Bill{ItemBase: 1}
	if locale.State != "" {
		bill[ItemState] = 1
	}
	return bill
}

// Price is the default price of one item of a Bill.
type Price struct {
	Item    string
	Credits int64
	For     string // what the item is charged for, as the price list says
}

// Prices holds the credits for one item, by "provider.item" or "surcharge.item".
type Prices map[string]int64

// override replaces prices with the operator's.
func (p Prices) override(by Prices) error {
	for key, credits := range by {
		if _, known := p[key]; !known {
			return fmt.Errorf("price list: there is no item %q", key)
		}
		if credits < 0 {
			return fmt.Errorf("price list: %s must not be negative", key)
		}
		p[key] = credits
	}
	return nil
}
