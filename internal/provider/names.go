package provider

import (
	"slices"
	"strings"
	"unicode"
)

// Names returns the names by which people may call a provider: its own name, its task type and
// its product, in lower-case letters and digits, such as chatgpt. Products of Google may also be
// called without Google, such as aimode, and its search simply google.
func Names(name, taskType, product string) []string {
	names := []string{name, taskType, product, strings.TrimPrefix(product, "Google ")}
	if product == "Google Search" {
		names = append(names, "google")
	}
	for i := range names {
		names[i] = letters(names[i])
	}
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// IsNamed reports whether one of the names is called so. It ignores letter case, spaces and
// punctuation.
func IsNamed(called string, names []string) bool { return slices.Contains(names, letters(called)) }

// IsNamed reports whether people may call the provider so.
func (d *Definition) IsNamed(called string) bool {
	return IsNamed(called, Names(d.Name, d.TaskType, d.Product))
}

// letters returns the letters and digits of a name in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
