// Package searchsite writes the documents of the lab's search engine: result
// pages for desktop and mobile, news pages, and the overviews that a page loads
// on demand. They are the same kind of markup as the real engine's, in words and
// classes of our own.
//
//	query.go         what a request searches for
//	results.go       result pages
//	news.go          news pages
//	link.go          links, some of them wrapped
//	page.gohtml      the frame of all pages, and result pages
//	blocks.gohtml    the blocks of a result page
//	news.gohtml      news pages
package searchsite
