package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Hint returns the end of an error message about an unknown name: the nearest known name, or "".
func Hint(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// OneOf returns an error unless known contains the value of a field, which may be empty.
func OneOf(field, value string, known []string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	return Invalid(field, "%s", NotOneOf(value, known))
}

// Known returns an error unless known contains the value of a field, which may be empty. The owner,
// such as a tracker, has too many of these values to list them.
func Known(field, value, owner string, known []string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	return Invalid(field, "the %s has no %s %q%s", owner, field, value, Hint(value, known))
}

// NotOneOf returns the error message for a value that known does not contain.
func NotOneOf(value string, known []string) string {
	return "must be one of " + strings.Join(known, ", ") + Hint(value, known)
}

// Nearest returns the known name that name is probably a misspelling of, or "".
func Nearest(name string, known []string) string {
	best, bestDistance := "", 1+max(2, len(name)/3)
	for _, candidate := range known {
		d := distance(strings.ToLower(strings.TrimSpace(name)), strings.ToLower(candidate))
		if d < bestDistance && d < len(candidate) {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance returns the edit distance of a and b. Swapping two neighbouring letters counts
// as one edit.
func distance(a, b string) int {
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
