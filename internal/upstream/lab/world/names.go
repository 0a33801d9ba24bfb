package world

// Invented names.
var (
	brands = []string{
		"Nordvale", "Kestrin", "Ollaro", "Brightfen", "Tamarek", "Velquist",
		"Pellowin", "Quorvida", "Harrowmere", "Lumettra", "Sorvane", "Dunmarrow",
		"Fenwicket", "Castellune", "Mirabrook", "Tolvane", "Wexholt", "Aurelith",
		"Bramblox", "Corvanta", "Grenfold", "Jovanne", "Zephrane", "Isolde & Finch",
	}
	models = []string{
		"Arc 2", "Vela X", "Solo 5", "Terra", "Lumen Pro", "Drift", "Core 8",
		"Halo Mini", "Summit", "Pulse", "Element S", "Studio", "Flux 3", "Origin",
	}
	magazines = []outlet{
		{"The Test Bench", "testbench"},
		{"Ratings Room", "ratingsroom"},
		{"Buyer's Lantern", "buyerslantern"},
		{"Plain Verdict", "plainverdict"},
		{"Daily Compass", "dailycompass"},
		{"Gear Almanac", "gearalmanac"},
		{"Second Opinion Weekly", "secondopinion"},
		{"Market Lens", "marketlens"},
		{"Wiki of Things", "wikiofthings"},
		{"Forum Nine", "forumnine"},
	}
	shops = []outlet{
		{"Cartwell", "cartwell"},
		{"Trolleyport", "trolleyport"},
		{"Basket & Bell", "basketandbell"},
		{"Lagerhalle 7", "lagerhalle7"},
		{"Kiosko Norte", "kioskonorte"},
		{"Maison Panier", "maisonpanier"},
		{"Parcel Lane", "parcellane"},
	}
	channels = []string{"Bench Talk", "Two Minute Verdict", "Workshop Diaries", "Unboxed Twice"}
	streets  = []string{"Lantern Street", "Mill Lane", "Harbour Row", "Elm Court", "Station Square"}
)

// outlet is a site with a name. Its host consists of word and the country.
type outlet struct{ name, word string }
