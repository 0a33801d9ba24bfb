package provider

import (
	"fmt"
	"maps"

	"earshot/internal/geo"
)

// Bill counts the items of the price list that a job uses.
type Bill map[string]int

// Items that mean the same to every provider.
const (
	ItemBase  = "base"  // once in every bill, priced by each provider
	ItemState = "state" // the request names a state
	ItemSync  = "sync"  // the job is a synchronous call
)

// surcharges are the items that have one price for all providers, and its
// default.
var surcharges = map[string]int64{ItemState: 0, ItemSync: 0}

// With returns the bill with one more of item.
func (b Bill) With(item string) Bill {
	sum := Bill{}
	maps.Copy(sum, b)
	sum[item]++
	return sum
}

// BaseBill is the bill of a request that costs the base price, and the state's
// if it names one.
func BaseBill(locale geo.Locale) Bill {
	bill := Bill{ItemBase: 1}
	if locale.State != "" {
		bill[ItemState] = 1
	}
	return bill
}

// Price is what one item of a Bill costs, unless the operator says otherwise.
type Price struct {
	Item    string
	Credits int64
	For     string // what it is charged for, in the price list
}

// Prices are credits for one item, by "provider.item" or "surcharge.item".
type Prices map[string]int64

// defaultPrices is the price list that the providers themselves name.
func defaultPrices(providers []Provider) Prices {
	prices := Prices{}
	for item, credits := range surcharges {
		prices["surcharge."+item] = credits
	}
	for _, p := range providers {
		d := p.Definition()
		for _, price := range d.Prices {
			prices[d.Name+"."+price.Item] = price.Credits
		}
	}
	return prices
}

// override replaces prices by those of an operator.
func (p Prices) override(by Prices) error {
	for key, credits := range by {
		if _, known := p[key]; !known {
			return fmt.Errorf("price list: no item is called %q", key)
		}
		if credits < 0 {
			return fmt.Errorf("price list: %s must not be negative", key)
		}
		p[key] = credits
	}
	return nil
}

// cost is what a bill of the named provider comes to.
func (p Prices) cost(name string, bill Bill) int64 {
	var sum int64
	for item, n := range bill {
		key := name + "." + item
		if _, shared := surcharges[item]; shared {
			key = "surcharge." + item
		}
		sum += int64(n) * p[key]
	}
	return sum
}
