package lab

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot/internal/upstream/lab/world"
)

// MaxClusters is how many product clusters there can be on a page.
const MaxClusters = 100

// maxPause is the longest that a word can make the lab wait at one point.
const maxPause = 5 * time.Minute

// Steering is what the words in a prompt ask of the lab. The zero value asks
// for nothing.
type Steering struct {
	Delay    time.Duration // before the answer
	Drip     time.Duration // between the pieces of the answer
	Fail     int           // how many attempts of a job are answered with 500
	Status   int           // of every answer; 0 means 200
	Block    bool          // a challenge page instead of the answer
	Garbage  bool          // nonsense instead of the answer
	Empty    bool          // an answer without text
	Hang     bool          // no answer at all
	Cut      bool          // the connection ends in the middle
	Huge     bool          // an answer that does not end
	Spin     bool          // the script of an app page that asks does not end
	Scripts  bool          // a page that its script has to fill; only the search engine
	Consent  bool          // a page that asks for consent first; only the search engine
	Shape    string        // "legacy" or "mobile", whichever was asked for
	Clusters *int          // product clusters on the page; nil leaves it to the world
	Overview string        // "none": the page has no overview
	Results  *int          // results that there are; nil leaves it to the world

	// Sample opts into answers that differ: it tells the samples of a question apart,
	// after the day and a slash where it has one. The others say by which rates.
	Sample string
	Brands []world.BrandRate // in place of the lab's
	Noise  *float64          // between days
	Shifts []world.Shift
}

// word finds what may be a steering word, with its value where it has one.
var word = regexp.MustCompile(`\s*\[\[([a-z]+)(?:=([^\[\]]*))?\]\]`)

// Steer takes the steering words out of a prompt. What looks like one but is
// unknown, or has a value that makes no sense, stays in the prompt.
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

// take does what one word says, and tells whether it is one.
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

// brands reads NAME:RATE,NAME:RATE.
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

// shift reads DAY:BRAND:RATE.
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
