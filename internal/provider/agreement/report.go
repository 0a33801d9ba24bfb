package agreement

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"earshot"
)

// Pair is how much an answer agrees with the answer to the same request that a second
// upstream gave. A figure is nil if there was nothing to compare.
type Pair struct {
	Provider, Country string
	First, Second     string         // upstreams; they are the same if the first was asked twice
	Reason            earshot.Reason // why the second request failed; "" if it was answered
	Figures
	Brands *float64 // Jaccard index of the brands that are named

	FirstMs, SecondMs             int64
	FirstMicroUSD, SecondMicroUSD int64
}

// group identifies the pairs that are summarized together.
type group struct{ provider, country, first, second string }

// Report summarizes pairs by provider, country and upstreams.
func Report(pairs []*Pair) []earshot.AgreementGroup {
	groups := map[group][]*Pair{}
	for _, p := range pairs {
		key := group{p.Provider, p.Country, p.First, p.Second}
		groups[key] = append(groups[key], p)
	}
	var report []earshot.AgreementGroup
	for _, key := range slices.SortedFunc(maps.Keys(groups), func(a, b group) int {
		return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.country, b.country), cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second))
	}) {
		one := earshot.AgreementGroup{Provider: key.provider, Country: key.country, First: key.first, Second: key.second}
		within := key
		within.second = key.first
		if key == within {
			// Shown with the upstreams that it is compared with, or else alone.
			if slices.ContainsFunc(slices.Collect(maps.Keys(groups)), func(other group) bool {
				return other != key && other.provider == key.provider && other.country == key.country && other.first == key.first
			}) {
				continue
			}
		} else {
			one.Between = figures(groups[key])
		}
		one.Within = figures(groups[within])
		report = append(report, one)
	}
	return report
}

// figures summarizes the pairs of a group. It returns nil without pairs.
func figures(pairs []*Pair) *earshot.AgreementFigures {
	if len(pairs) == 0 {
		return nil
	}
	f := &earshot.AgreementFigures{Pairs: len(pairs)}
	failed := 0
	var firstMs, secondMs []int64
	var firstUSD, secondUSD int64
	for _, p := range pairs {
		if p.Reason != "" {
			failed++
		}
		firstMs, secondMs = append(firstMs, p.FirstMs), append(secondMs, p.SecondMs)
		firstUSD, secondUSD = firstUSD+p.FirstMicroUSD, secondUSD+p.SecondMicroUSD
	}
	n := float64(len(pairs))
	f.FailedShare = float64(failed) / n
	f.FirstP50Ms, f.SecondP50Ms = median(firstMs), median(secondMs)
	f.FirstUSD, f.SecondUSD = rounded(float64(firstUSD)/n/1e6), rounded(float64(secondUSD)/n/1e6)
	f.Domains = mean(pairs, func(p *Pair) *float64 { return p.Domains })
	f.Brands = mean(pairs, func(p *Pair) *float64 { return p.Brands })
	f.Organic = mean(pairs, func(p *Pair) *float64 { return p.Organic })
	f.Fields = mean(pairs, func(p *Pair) *float64 { return p.Fields })
	return f
}

// median returns the lower median.
func median(values []int64) int64 {
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// rounded returns an amount in whole micro-USD.
func rounded(usd float64) float64 { return math.Round(usd*1e6) / 1e6 }

// mean returns the mean of a figure with its confidence interval, or nil if no pair has the
// figure. The interval is Student's for a mean: values of a group are independent, since
// each belongs to another request.
func mean(pairs []*Pair, of func(*Pair) *float64) *earshot.AgreementMean {
	var values []float64
	sum := 0.0
	for _, p := range pairs {
		if v := of(p); v != nil {
			values = append(values, *v)
			sum += *v
		}
	}
	if len(values) == 0 {
		return nil
	}
	n := float64(len(values))
	m := &earshot.AgreementMean{Pairs: len(values), Mean: sum / n}
	if len(values) < 2 {
		return m
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - m.Mean) * (v - m.Mean)
	}
	half := quantile(len(values)-1) * math.Sqrt(squares/(n-1)/n)
	m.Low, m.High = new(max(0, m.Mean-half)), new(min(1, m.Mean+half))
	return m
}

// quantiles are the 97.5 % quantiles of Student's distribution for 1, 2, … degrees of freedom.
var quantiles = []float64{
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
}

// quantile returns the 97.5 % quantile for the given degrees of freedom. Beyond the table it
// uses the first terms of the Cornish-Fisher expansion.
func quantile(freedom int) float64 {
	if freedom <= len(quantiles) {
		return quantiles[freedom-1]
	}
	const z = 1.959964
	return z + (z*z*z+z)/(4*float64(freedom))
}
