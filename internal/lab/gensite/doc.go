// Package gensite is the lab's generative assistant: it writes an answer of the
// lab's world as the page of that provider, in which elements have names of
// their own, and citations are footnotes with a chip behind them.
package gensite
