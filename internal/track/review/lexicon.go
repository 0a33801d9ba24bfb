package review

import (
	"cmp"
	"embed"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"earshot"
)

//go:embed data
var data embed.FS

// lexicon returns the word lists of all languages. All of them apply to each sentence, because the
// language of an answer is unknown. A file of data/ has one phrase per line in the notation of
// pattern, in five sections:
//
//	[warning], [negation]  reason: phrase
//	[except]  phrases that hide the warnings and negations that they overlap: "not only"
//	[cancel]  phrases that hide a warning if they end at most three words before it: "no"
//	[bound]   phrases that make the value after them a limit: "under"
var lexicon = sync.OnceValue(func() map[string]table {
	all := map[string]table{string(earshot.ReviewWarning): {}, string(earshot.ReviewNegation): {}, exceptions: {}, cancels: {}, bounds: {}}
	files, err := fs.Glob(data, "data/??.txt")
	for language, file := range files {
		section := ""
		for _, line := range lines(file) {
			if strings.HasPrefix(line, "[") {
				section = strings.Trim(line, "[]")
				continue
			}
			reason, phrase, found := strings.Cut(line, ": ")
			if !found {
				phrase = line
			}
			err = errors.Join(err, all[section].add(language, reason, phrase))
		}
	}
	if err != nil {
		panic(err) // every test of the rules reads all files
	}
	return all
})

// The sections without a kind.
const (
	exceptions = "except"
	cancels    = "cancel"
	bounds     = "bound"
)

// lines returns the lines of a data file without comments.
func lines(file string) (all []string) {
	text, err := data.ReadFile(file)
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

// flagged returns the hits of a kind in all languages, in the order of the sentence. Hits do
// not overlap. A hit that the lists of its language hide is left out, also if another language
// has the same hit: "sans fraude" is not a warning in French, though "fraude" is one in Dutch.
func flagged(kind earshot.ReviewKind, words []word) (kept []hit) {
	found := lexicon()[string(kind)].find(words)
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b hit) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	excepted := lexicon()[exceptions].find(words)
	var canceling []hit
	if kind == earshot.ReviewWarning {
		canceling = lexicon()[cancels].find(words)
	}
	hidden := map[[2]int]bool{}
	canceledTo := map[int]int{} // the end of the last canceled hit of each language
	for _, h := range found {
		before, follows := canceledTo[h.language]
		canceled := follows && h.from >= before && h.from-before <= 2 || // "no recalls, complaints or lawsuits"
			slices.ContainsFunc(canceling, func(c hit) bool { return c.language == h.language && cancelsHit(words, c.to, h.from) })
		if canceled {
			canceledTo[h.language] = h.to
		}
		if canceled || slices.ContainsFunc(excepted, func(e hit) bool { return e.language == h.language && e.from < h.to && e.to > h.from }) {
			hidden[[2]int{h.from, h.to}] = true
		}
	}
	for _, h := range found {
		if last := len(kept) - 1; !hidden[[2]int{h.from, h.to}] && (last < 0 || h.from >= kept[last].to) {
			kept = append(kept, h)
		}
	}
	return kept
}

// cancelsHit reports whether at most maxGap words, and no punctuation, are between the end of a
// canceling phrase and the start of a hit.
func cancelsHit(words []word, end, start int) bool {
	if end > start || start-end > maxGap {
		return false
	}
	return !slices.ContainsFunc(words[end:start+1], func(w word) bool { return w.cut })
}

// isBound reports whether one of the bounds, which make a value a limit, ends before the byte at.
func isBound(found []hit, words []word, text string, at int) bool {
	return slices.ContainsFunc(found, func(b hit) bool {
		end := words[b.to-1].end
		return end <= at && strings.Trim(text[end:at], " \u00a0*_") == ""
	})
}
