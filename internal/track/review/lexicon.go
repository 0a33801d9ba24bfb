package review

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"earshot"
)

//go:embed data
var data embed.FS

// language has the word lists of a language. A file has one phrase per line in the notation of
// pattern, in five sections:
//
//	[warning], [negation]  reason: phrase
//	[except]  phrases that hide the warnings and negations that they overlap: "not only"
//	[cancel]  phrases that hide a warning if they end at most three words before it: "no"
//	[bound]   phrases that make the value after them a limit: "under"
type language map[string]*table

// The sections without a kind.
const (
	exceptions = "except"
	cancels    = "cancel"
	bounds     = "bound"
)

// flaggingKinds are the kinds that word lists find.
var flaggingKinds = []earshot.ReviewKind{earshot.ReviewWarning, earshot.ReviewNegation}

// lexicon returns the word lists of all languages. All of them apply to each sentence, because
// the language of an answer is unknown.
var lexicon = sync.OnceValue(func() (all []language) {
	files, err := data.ReadDir("data")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	for _, file := range files {
		if file.Name() == unitsFile {
			continue
		}
		l, err := parseLanguage(lines(file.Name()))
		if err != nil {
			panic(fmt.Sprintf("%s: %v", file.Name(), err)) // a test reads all files
		}
		all = append(all, l)
	}
	return all
})

// lines returns the lines of a data file without comments.
func lines(file string) (all []string) {
	text, err := data.ReadFile("data/" + file)
	if err != nil {
		panic(err) // the file is part of the program
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

func parseLanguage(lines []string) (language, error) {
	l := language{exceptions: newTable(), cancels: newTable(), bounds: newTable()}
	for _, kind := range flaggingKinds {
		l[string(kind)] = newTable()
	}
	section := ""
	for _, line := range lines {
		if strings.HasPrefix(line, "[") {
			if section = strings.Trim(line, "[]"); l[section] == nil {
				return nil, fmt.Errorf("there is no section %s", line)
			}
			continue
		}
		p, text := &pattern{}, line
		if slices.Contains(flaggingKinds, earshot.ReviewKind(section)) {
			p.reason, text, _ = strings.Cut(line, ": ")
		}
		var err error
		if p.items, err = parsePattern(text); err == nil {
			err = l[section].add(p)
		}
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// flagged returns the hits of a kind in all languages, in the order of the sentence. Hits do
// not overlap. A hit that any language hides is left out: "sans fraude" is not a warning in
// French, though "fraude" is one in Dutch.
func flagged(kind earshot.ReviewKind, words []word) (kept []hit) {
	var all []hit
	hidden := map[[2]int]bool{}
	for _, l := range lexicon() {
		found := l[string(kind)].find(words)
		if len(found) == 0 {
			continue
		}
		slices.SortStableFunc(found, func(a, b hit) int { return a.from - b.from })
		excepted := l[exceptions].find(words)
		var canceling []hit
		if kind == earshot.ReviewWarning {
			canceling = l[cancels].find(words)
		}
		before := -1 // the end of the last canceled hit
		for _, h := range found {
			canceled := slices.ContainsFunc(canceling, func(c hit) bool { return cancelsHit(words, c.to, h.from, maxGap) }) ||
				before >= 0 && h.from >= before && h.from-before <= 2 // "no recalls, complaints or lawsuits"
			if canceled {
				before = h.to
			}
			if canceled || slices.ContainsFunc(excepted, func(e hit) bool { return e.from < h.to && e.to > h.from }) {
				hidden[[2]int{h.from, h.to}] = true
			}
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b hit) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	for _, h := range all {
		if last := len(kept) - 1; !hidden[[2]int{h.from, h.to}] && (last < 0 || h.from >= kept[last].to) {
			kept = append(kept, h)
		}
	}
	return kept
}

// cancelsHit reports whether at most gap words, and no punctuation, are between the end of a
// canceling phrase and the start of a hit.
func cancelsHit(words []word, end, start, gap int) bool {
	if end > start || start-end > gap {
		return false
	}
	return !slices.ContainsFunc(words[end:start+1], func(w word) bool { return w.cut })
}

// isBound reports whether a phrase that makes a value a limit ends before the byte at.
func isBound(words []word, text string, at int) bool {
	for _, l := range lexicon() {
		for _, b := range l[bounds].find(words) {
			if end := words[b.to-1].end; end <= at && strings.Trim(text[end:at], " \u00a0*_") == "" {
				return true
			}
		}
	}
	return false
}
