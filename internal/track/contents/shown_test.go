package contents_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/store/storetest"
	"earshot/internal/track/metric"
)

func TestAds(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address)
		sale := metric.Ad{Position: 1, Title: "Kestrin sale", Brand: "Kestrin", URL: "https://kestrin.example/sale", Domain: "kestrin.example", Text: "20 % off.", Block: "top", Named: []string{"Kestrin"}}
		below, other := sale, metric.Ad{Position: 2, Title: "Shoes", URL: "https://shop.example/", Domain: "shop.example", Named: []string{}}
		below.Title, below.Block, below.Named = "KESTRIN  sale", "bottom", []string{}
		last := sale
		last.URL = "https://kestrin.example/sale?last"
		w.add(1, running, us, "x", contents(metric.Contents{Ads: []metric.Ad{sale, below}}))
		w.add(2, trail, de, "x", contents(metric.Contents{Ads: []metric.Ad{last, other}}))
		w.add(2, trail, us, "x", contents(metric.Contents{Ads: []metric.Ad{}}))
		w.add(2, trail, us, "x", contents(metric.Contents{Unreported: metric.Unreported{metric.FieldAds: metric.NotRequested}}))
		w.add(2, trail, us, "x", contents(metric.Contents{}))
		w.save()
		query := &earshot.ContentQuery{Limit: 100}
		found, err := w.Ads(t.Context(), w.organization, trackerName, query)
		if err != nil {
			t.Fatal(err)
		}
		want := &earshot.AdReport{
			ContentHead: earshot.ContentHead{Tracker: trackerName, Rules: "r1", Sweeps: 2, SweepsInPeriod: 2, Answers: 3, NotRequested: 1, NotOffered: 1, Total: 2},
			Rows: []earshot.AdRow{
				{
					Advertiser: "Kestrin", Domain: "kestrin.example", Title: "Kestrin sale", Text: "20 % off.", URL: "https://kestrin.example/sale?last", Brands: []string{"Kestrin"},
					Blocks: []string{"bottom", "top"}, Shown: 3, Share: 2.0 / 3,
					Seen: earshot.Seen{
						Answers: 2, Prompts: 2, Targets: []string{"chatassistant/DE", "chatassistant/US"}, FirstSeen: stamp(1, 1), LastSeen: stamp(2, 1), Newest: w.answers[1].ID,
					},
				},
				{
					Domain: "shop.example", Title: "Shoes", URL: "https://shop.example/", Shown: 1, Share: 1.0 / 3,
					Seen: earshot.Seen{Answers: 1, Prompts: 1, Targets: []string{"chatassistant/DE"}, FirstSeen: stamp(2, 1), LastSeen: stamp(2, 1), Newest: w.answers[1].ID},
				},
			},
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		for text, total := range map[string]int{"OFF": 1, "shop.example": 1, "sho": 1, "none": 0} {
			query.Text = text
			if found, err := w.Ads(t.Context(), w.organization, trackerName, query); err != nil || found.Total != total {
				t.Errorf("%q has %d rows, %v", text, found.Total, err)
			}
		}
		if found, err := w.Ads(t.Context(), w.organization, trackerName, &earshot.ContentQuery{Limit: 9, Brand: "Kestrin"}); err != nil || found.Total != 1 || found.Rows[0].Domain != "kestrin.example" {
			t.Errorf("the ads of a brand are %+v, %v", found, err)
		}
	})
}

func TestProducts(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address)
		usd := func(value float64) *metric.Price { return &metric.Price{Value: value, Currency: "USD"} }
		w.add(1, running, us, "x", contents(metric.Contents{Products: []metric.Product{
			{Position: 3, ID: "7", Title: "Glide 3", URL: "https://ollaro.example/glide", Named: []string{}, Price: usd(90), Offers: []metric.Offer{
				{Merchant: "Shop", Domain: "Shop.example", Price: usd(100)},
				{Domain: "shop.example", Price: usd(95)},
				{Merchant: "Café", Price: usd(90)},
				{Merchant: "cafe", Price: &metric.Price{Value: 80, Currency: "EUR"}},
				{Merchant: "Gone", Price: usd(1), Available: new(false)},
				{Price: usd(0)},
			}},
			{Position: 2, Title: "Kestrin Fly", Named: []string{"Kestrin"}, Merchant: "Shop", Domain: "shop.example"},
			{Position: 1, ID: "7", Title: "Glide  3", Named: []string{}},
		}}))
		w.add(2, trail, us, "x", contents(metric.Contents{Products: []metric.Product{{Position: 1, Title: "KESTRIN fly", Named: []string{"Kestrin"}}, {Position: 2, ID: "7", Title: "Glide Three", Price: usd(110), Named: []string{}}}}))
		w.add(2, trail, us, "x", contents(metric.Contents{Products: []metric.Product{}}))
		w.add(2, trail, us, "x", contents(metric.Contents{Unreported: metric.Unreported{metric.FieldProducts: metric.NotRequested}}))
		w.save()
		found, err := w.Products(t.Context(), w.organization, trackerName, &earshot.ContentQuery{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		seen := earshot.Seen{Answers: 2, Prompts: 2, Targets: []string{"chatassistant/US"}, FirstSeen: stamp(1, 1), LastSeen: stamp(2, 1), Newest: w.answers[1].ID}
		point := func(day int, lowest, median float64, offers int) earshot.PricePoint {
			return earshot.PricePoint{Sweep: w.sweeps[day].ID, At: stamp(day, 0), PriceRange: earshot.PriceRange{Lowest: lowest, Median: median, Offers: offers}}
		}
		want := &earshot.ProductReport{
			ContentHead: earshot.ContentHead{Tracker: trackerName, Rules: "r1", Sweeps: 2, SweepsInPeriod: 2, Answers: 3, NotRequested: 1, Total: 2},
			Rows: []earshot.ProductRow{
				{
					Product: "id:7", Title: "Glide 3", URL: "https://ollaro.example/glide", Brands: []string{"Ollaro"}, Seen: seen, Share: 2.0 / 3, MedianRank: 1.5,
					Merchants: []earshot.MerchantOffers{
						{Merchant: "domain:shop.example", Name: "Shop", Domain: "shop.example", Offers: 1, Share: 1.0 / 3},
						{Merchant: "name:cafe", Name: "Café", Offers: 1, Share: 1.0 / 3},
						{Merchant: "name:gone", Name: "Gone", Offers: 1, Share: 1.0 / 3},
					},
					Prices: []earshot.ProductPrice{
						{Currency: "EUR", PriceRange: earshot.PriceRange{Lowest: 80, Median: 80, Offers: 1}, Answers: 1, Points: []earshot.PricePoint{point(1, 80, 80, 1)}},
						// The headline of 90 is the café's price.
						{Currency: "USD", PriceRange: earshot.PriceRange{Lowest: 90, Median: 95, Offers: 3}, Answers: 2, Points: []earshot.PricePoint{point(1, 90, 92.5, 2), point(2, 110, 110, 1)}},
					},
				},
				{
					Product: "title:kestrin fly", Title: "KESTRIN fly", Brands: []string{"Kestrin"}, Seen: seen, Share: 2.0 / 3, MedianRank: 1.5,
					Merchants: []earshot.MerchantOffers{{Merchant: "domain:shop.example", Name: "Shop", Domain: "shop.example", Offers: 1, Share: 1}},
				},
			},
			Merchants: []earshot.MerchantOffers{
				{Merchant: "domain:shop.example", Name: "Shop", Domain: "shop.example", Offers: 2, Share: 0.5},
				{Merchant: "name:cafe", Name: "Café", Offers: 1, Share: 0.25},
				{Merchant: "name:gone", Name: "Gone", Offers: 1, Share: 0.25},
			},
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		for _, query := range []earshot.ContentQuery{{Limit: 9, Brand: "Kestrin"}, {Limit: 9, Text: "FLY"}} {
			if found, err := w.Products(t.Context(), w.organization, trackerName, &query); err != nil || found.Total != 1 || found.Rows[0].Product != "title:kestrin fly" || len(found.Merchants) != 1 {
				t.Errorf("%+v: %+v, %v", query, found, err)
			}
		}
	})
}
