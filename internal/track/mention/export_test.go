package mention

// Hit returns the visible text of a mention.
func Hit(t Text, m Mention) string {
	var v visible
	v.read(t)
	return v.text(m.from, m.to)
}
