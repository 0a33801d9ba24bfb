package world

import (
	"fmt"
	"math"
	"strings"
)

// town finds businesses nearby, for some questions, where a search is allowed.
func (c *composer) town(a *Answer) {
	if !c.q.Search || !c.chance(60) {
		return
	}
	a.MapQueries = c.several(c.book.nearby, c.between(1, 2))
	latitude, longitude := 20+c.Float64()*35, -100+c.Float64()*150
	for _, shop := range draw(c.dice, shops, c.between(2, 3)) {
		a.Places = append(a.Places, Place{
			Name:       shop.name,
			Address:    fmt.Sprintf("%d %s, %s", c.between(1, 180), pick(c.dice, streets), c.q.Country),
			Category:   pick(c.dice, c.book.trade),
			Phone:      fmt.Sprintf("+00 555 %04d", c.between(0, 9999)),
			Website:    "https://" + c.host(shop.word) + "/",
			Hours:      pick(c.dice, c.book.hours),
			PriceLevel: strings.Repeat("$", c.between(1, 3)),
			Rating:     c.rating(900),
			Latitude:   math.Round((latitude+c.Float64()*0.1)*1e4) / 1e4,
			Longitude:  math.Round((longitude+c.Float64()*0.1)*1e4) / 1e4,
		})
	}
}
