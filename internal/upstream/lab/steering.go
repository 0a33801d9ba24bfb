package lab

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot/internal/upstream/lab/world"
)

// MaxClusters is the maximum number of product clusters on a page.
const MaxClusters = 100

// maxPause is the maximum of Delay and Drip.
const maxPause = 5 * time.Minute

// Steering has the values of the steering words in a prompt. The zero value changes
// nothing.
type Steering struct {
	Delay    time.Duration // wait before the answer
	Drip     time.Duration // wait between the pieces of the answer
	Fail     int           // answer this many attempts of a job with status 500
	Status   int           // status of every answer; 0 means 200
	Block    bool          // send a challenge page instead of the answer
	Garbage  bool          // send nonsense instead of the answer
	Empty    bool          // send an answer without text
	Hang     bool          // send no answer at all
	Cut      bool          // drop the connection in the middle of the answer
	Huge     bool          // send an answer that does not end
	Spin     bool          // make the script of the app page loop forever
	Scripts  bool          // send a page that needs its script; only the search engine
	Consent  bool          // ask for consent first; only the search engine
	Shape    string        // layout of the page: ShapeLegacy, ShapeMobile or empty
	Clusters *int          // number of product clusters on the page; nil leaves it to the world
	Overview string        // "none": the page has no overview
	Results  *int          // total number of results; nil leaves it to the world

	// Sample enables sampled answers: "day/seed" or "seed". Different seeds give different
	// answers to the same question. The fields below replace rates of the world.
	Sample string
	Brands []world.BrandRate // replace the brands of the world
	Noise  *float64          // replaces DayNoise
	Shifts []world.Shift     // are added to the shifts of the world
}

// word matches a steering word with its optional value.
var word = regexp.MustCompile(`\s*\[\[([a-z]+)(?:=([^\[\]]*))?\]\]`)

// Steer removes the steering words from a prompt and returns their values. Unknown words
// and words with an invalid value stay in the prompt.
func Steer(prompt string) (s Steering, rest string) {
	rest = word.ReplaceAllStringFunc(prompt, func(found string) string {
		parts := word.FindStringSubmatch(found)
		if s.take(parts[1], parts[2], strings.Contains(found, "=")) {
			return ""
		}
		return found
	})
	return s, strings.TrimSpace(rest)
}

// take sets the field of a steering word, and reports whether name and value are valid.
func (s *Steering) take(name, value string, hasValue bool) bool {
	flags := map[string]*bool{
		"block": &s.Block, "garbage": &s.Garbage, "empty": &s.Empty, "hang": &s.Hang,
		"cut": &s.Cut, "huge": &s.Huge, "spin": &s.Spin, "scripts": &s.Scripts, "consent": &s.Consent,
	}
	if flag, known := flags[name]; known {
		*flag = *flag || !hasValue
		return !hasValue
	}
	switch name {
	case "delay":
		return pause(value, &s.Delay)
	case "drip":
		return pause(value, &s.Drip)
	case "fail":
		return number(value, 0, 1000, &s.Fail)
	case "status":
		return number(value, 200, 599, &s.Status)
	case "shape":
		return choice(value, &s.Shape, ShapeLegacy, ShapeMobile)
	case "overview":
		return choice(value, &s.Overview, "none")
	case "clusters":
		return optional(value, 0, MaxClusters, &s.Clusters)
	case "results":
		return optional(value, 0, 1000, &s.Results)
	case "sample":
		s.Sample = value
		return value != ""
	case "brands":
		return brands(value, &s.Brands)
	case "noise":
		return decimal(value, 5, &s.Noise)
	case "shift":
		return shift(value, &s.Shifts)
	default:
		return false
	}
}

// The values of Steering.Shape.
const (
	ShapeLegacy = "legacy"
	ShapeMobile = "mobile"
)

func pause(value string, to *time.Duration) bool {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		return false
	}
	*to = min(d, maxPause)
	return true
}

func number(value string, low, high int, to *int) bool {
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high {
		return false
	}
	*to = n
	return true
}

func optional(value string, low, high int, to **int) bool {
	var n int
	if !number(value, low, high, &n) {
		return false
	}
	*to = &n
	return true
}

func choice(value string, to *string, values ...string) bool {
	if !slices.Contains(values, value) {
		return false
	}
	*to = value
	return true
}

func decimal(value string, high float64, to **float64) bool {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n >= 0 && n <= high) {
		return false
	}
	*to = &n
	return true
}

// brands parses NAME:RATE,NAME:RATE.
func brands(value string, to *[]world.BrandRate) bool {
	var rates world.Rates
	for item := range strings.SplitSeq(value, ",") {
		name, rate, _ := strings.Cut(item, ":")
		var n *float64
		if !decimal(rate, 1, &n) {
			return false
		}
		rates.Brands = append(rates.Brands, world.BrandRate{Name: strings.TrimSpace(name), Rate: *n})
	}
	if rates.Check() != nil {
		return false
	}
	*to = rates.Brands
	return true
}

// shift parses DAY:BRAND:RATE.
func shift(value string, to *[]world.Shift) bool {
	day, rest, _ := strings.Cut(value, ":")
	brand, rate, _ := strings.Cut(rest, ":")
	var n *float64
	if !world.IsDay(day) || brand == "" || !decimal(rate, 1, &n) {
		return false
	}
	*to = append(*to, world.Shift{Day: day, Brand: brand, Rate: *n})
	return true
}
