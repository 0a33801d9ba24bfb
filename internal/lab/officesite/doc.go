// Package officesite is the lab's office assistant: it writes an answer of the
// lab's world as the page of that provider, on which citations are superscript
// numbers that lead to a reference list below the text.
package officesite
