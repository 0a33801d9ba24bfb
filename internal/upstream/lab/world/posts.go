package world

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// Network is the name of the social network.
const Network = "Chirpline"

// Post is a post in the social network.
type Post struct {
	ID, Handle, Name, Text, URL string
	Published                   string // yyyy-mm-dd
}

// members are the users of the network: handle and name.
var members = [][2]string{
	{"ember_tests", "Ember Vance"},
	{"lowtidelou", "Lou Halloran"},
	{"gridandgear", "Grid & Gear"},
	{"mapleworkshop", "Maple Workshop"},
	{"quietkettle", "Ines Quiet"},
	{"nightshift_jo", "Jo Arden"},
}

// Posts returns up to three posts for each list in the answer, always the same for the
// same answer. It returns nil if the answer has no sources.
func Posts(a *Answer) []Post {
	if len(a.Sources) == 0 {
		return nil
	}
	var posts []Post
	for _, block := range a.Blocks {
		if block.Kind != Bullets && block.Kind != Numbered {
			continue
		}
		for i, line := range block.Lines[:min(len(block.Lines), 3)] {
			text := said(line)
			h := fnv.New64a()
			_, _ = fmt.Fprint(h, text, i, a.Sources[0].URL) // writing to a hash cannot fail
			sum := h.Sum64()
			member := members[(sum+uint64(i))%uint64(len(members))]
			id := fmt.Sprint(1_900_000_000_000_000_000 + sum%99_999_999_999_999_999)
			posts = append(posts, Post{
				ID: id, Handle: member[0], Name: member[1], Text: text,
				URL:       "https://www.chirpline.example/" + member[0] + "/status/" + id,
				Published: fmt.Sprintf("%s-%02d-%02d", year, 1+sum%9, 1+sum/9%28),
			})
		}
	}
	return posts
}

// said returns the plain text of a line.
func said(line Line) string {
	var text strings.Builder
	for _, span := range line {
		text.WriteString(span.Text)
	}
	return strings.TrimSpace(text.String())
}
