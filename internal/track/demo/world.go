package demo

import (
	"encoding/json"
	"fmt"

	"earshot"
	"earshot/internal/track/definition"
	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// demoWorld returns the contents of the lab's answers in a demo. From the given day on, the
// lab names the first brand, which is the tracker's own, less often. On the same day a rival
// starts to advertise, and another one lowers its prices.
func demoWorld(shift string) *lab.World {
	rate := func(of float64) *float64 { return &of }
	return &lab.World{
		Brands: []world.BrandRate{
			{Name: "Ollaro", Rate: 0.55, Domains: []string{"ollaro.example"}, Retrieved: rate(0.5), Cited: rate(0.5), Products: 0.35, Price: 120, Ads: 0.2},
			{Name: "Kestrin", Rate: 0.45, Domains: []string{"kestrin.example"}, Position: 0.4, Retrieved: rate(0.45), Products: 0.4, Price: 95, Ads: 0.3},
			{Name: "Nordvale", Rate: 0.3, Domains: []string{"nordvale.example"}, Position: 0.8, Retrieved: rate(0.3), Products: 0.2, Price: 150},
			{Name: "Velquist", Rate: 0.15, Domains: []string{"velquist.example"}, Position: 1, Retrieved: rate(0.15), Products: 0.1, Price: 60},
			{Name: "Tamarek", Rate: 0.05, Domains: []string{"tamarek.example"}, Position: 1.5, Retrieved: rate(0.05)},
		},
		DayNoise: 0.3, PromptNoise: 0.8,
		Shifts: []world.Shift{
			{Day: shift, Brand: "Ollaro", Rate: 0.3},
			{Day: shift, Brand: "Nordvale", Rate: 0.25, Of: "ads"},
			{Day: shift, Brand: "Kestrin", Rate: 0.8, Of: "price"},
		},
		Searches:  &world.Searches{Rate: 0.85, Counts: []float64{0.3, 0.4, 0.2, 0.1}, Branded: 0.3},
		Merchants: []world.Merchant{{Name: "Cartwell", Rate: 0.8}, {Name: "Trolleyport", Rate: 0.5}, {Name: "Parcel Lane", Rate: 0.3}}, PriceNoise: 0.03,
		Overview: rate(0.8), Blocks: map[string]float64{"peopleAlsoAsk": 0.7, "videos": 0.4, "discussions": 0.3, "places": 0.2},
	}
}

// demoTargets are the targets of a demo. Targets whose provider is not available are left
// out. Markdown shows which sentence cites which source.
var demoTargets = []earshot.Target{
	{Provider: "chatassistant", Country: "US", Options: json.RawMessage(`{"include":{"markdown":true,"searchQueries":true,"shopping":true,"ads":true}}`)},
	{Provider: "genassistant", Country: "DE", Options: json.RawMessage(`{"include":{"markdown":true}}`)},
	{Provider: "websearch", Country: "US", Options: json.RawMessage(`{"include":{"searchoverview":{"markdown":true}}}`)},
}

// demoSources are the types of the sites that the lab's answers cite.
var demoSources = []earshot.SourceType{
	{Domain: "gearalmanac.example", Type: "editorial"},
	{Domain: "testbench.example", Type: "editorial"},
	{Domain: "ratingsroom.example", Type: "editorial"},
	{Domain: "secondopinion.example", Type: "editorial"},
	{Domain: "plainverdict.example", Type: "editorial"},
	{Domain: "forumnine.example", Type: "community"},
	{Domain: "wikiofthings.example", Type: "reference"},
	{Domain: "cartwell.example", Type: "shop"},
	{Domain: "parcellane.example", Type: "shop"},
	{Domain: "vidloop.example", Type: "video"},
}

var demoPrompts = []earshot.TrackedPrompt{
	{Text: "best running shoes for beginners", Tags: []string{"beginners"}},
	{Text: "Which trail running shoes last longest?", Tags: []string{"trail"}},
	{Text: "running shoes for wide feet", Tags: []string{"fit"}},
	{Text: "best running shoes for flat feet", Tags: []string{"fit"}},
	{Text: "marathon shoes for a first race", Tags: []string{"race", "beginners"}},
	{Text: "What are the most comfortable running shoes?", Tags: []string{"comfort"}},
	{Text: "cheap running shoes that are worth it", Tags: []string{"price"}},
	{Text: "Which running shoes do physiotherapists recommend?", Tags: []string{"health"}},
	{Text: "running shoes for bad knees", Tags: []string{"health"}},
	{Text: "best waterproof trail running shoes", Tags: []string{"trail"}},
	{Text: "lightest running shoes for races", Tags: []string{"race"}},
	{Text: "running shoes with the best cushioning", Tags: []string{"comfort"}},
	{Text: "Which running shoe brand is best for heavy runners?", Tags: []string{"fit"}},
	{Text: "running shoes under 100 dollars", Tags: []string{"price"}},
	{Text: "best shoes for running on asphalt", Tags: []string{"road"}},
	{Text: "Which running shoes are made sustainably?", Tags: []string{"values"}},
	{Text: "running shoes for the treadmill", Tags: []string{"road"}},
	{Text: "best running shoes for winter", Tags: []string{"season"}},
	{Text: "How often should I replace running shoes, and by which?", Tags: []string{"advice"}},
	{Text: "barefoot running shoes for beginners", Tags: []string{"beginners"}},
}

// demoDefinition returns the definition of a demo with the given number of prompts.
func (s *Maker) demoDefinition(name string, prompts int) (*definition.Definition, error) {
	raw := earshot.TrackerDefinition{
		Name: name, Prompts: demoPrompts[:min(prompts, len(demoPrompts))], Sources: demoSources,
		Schedule: &earshot.Schedule{Every: "day", At: "06:00", Timezone: "Europe/Berlin", Within: "4h"}, Alerts: &earshot.AlertBudget{FalseAlarmsPerYear: 1},
	}
	for i, b := range demoWorld("").Brands {
		raw.Brands = append(raw.Brands, earshot.Brand{Name: b.Name, Own: i == 0, Domains: b.Domains})
	}
	for _, target := range demoTargets {
		if _, err := s.catalogue.Provider(target.Provider); err == nil {
			raw.Targets = append(raw.Targets, target)
		}
	}
	if len(raw.Targets) == 0 {
		return nil, errDemo(name, "cannot be created: no provider of the demo is available in this service")
	}
	text, err := json.Marshal(raw)
	if err != nil {
		return nil, fmt.Errorf("encode the definition: %w", err)
	}
	return s.definitions.Parse(name, text, false)
}
