package world

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"strings"
)

// dice is a pseudo-random generator that is seeded by the question.
type dice struct{ *rand.Rand }

func throw(q Question) dice {
	key := strings.Join([]string{
		q.normalized(),
		q.Country, q.State, q.Language, strconv.FormatBool(q.Search),
	}, "\x00") + q.Assistant
	if q.Sample != nil {
		key += "\x00" + q.Sample.Day + "\x00" + q.Sample.Seed
	}
	return seeded(key)
}

// seeded returns a generator that is seeded by these texts.
func seeded(parts ...string) dice {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return dice{rand.New(rand.NewPCG(
		binary.BigEndian.Uint64(sum[0:8]),
		binary.BigEndian.Uint64(sum[8:16]),
	))}
}

// normalized returns the prompt in lower case, with single spaces.
func (q Question) normalized() string {
	return strings.ToLower(strings.Join(strings.Fields(q.Prompt), " "))
}

// between returns a number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// chance returns true with a probability in percent.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// pick returns a random item of the list.
func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

// draw returns n different items of the list in random order, or all if n is larger than
// the list.
func draw[T any](d dice, list []T, n int) []T {
	n = min(n, len(list))
	drawn := make([]T, n)
	for i, j := range d.Perm(len(list))[:n] {
		drawn[i] = list[j]
	}
	return drawn
}
