package source_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/track/source"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct{ address, url, host, domain string }{
		{"HTTPS://Www.Ollaro.Example:443/A/b?b=2&a=1#top", "https://www.ollaro.example/A/b?a=1&b=2", "www.ollaro.example", "ollaro.example"},
		{"http://ollaro.co.uk.:80", "http://ollaro.co.uk/", "ollaro.co.uk", "ollaro.co.uk"},
		{"https://shop.ollaro.co.uk:8443/", "https://shop.ollaro.co.uk:8443/", "shop.ollaro.co.uk", "ollaro.co.uk"},
		{"https://a.example/x?utm_source=openai&UTM_Medium=y&id=3&gclid=1&fbclid=2&msclkid", "https://a.example/x?id=3", "a.example", "a.example"},
		{"https://a.example/x?utm_source=openai", "https://a.example/x", "a.example", "a.example"},
		{"https://a.example/?b&a=2&a=1&&", "https://a.example/?a=2&a=1&b", "a.example", "a.example"},
		{"https://user:secret@a.example/x", "https://a.example/x", "a.example", "a.example"},
		{"https://a.example/b/../c/./d/..", "https://a.example/c/", "a.example", "a.example"},
		{"https://a.example/%7Eb%2fc%c3%a9", "https://a.example/~b%2Fc%C3%A9", "a.example", "a.example"},
		{"https://a.example/é x", "https://a.example/%C3%A9%20x", "a.example", "a.example"},
		{"https://a.example/x/", "https://a.example/x/", "a.example", "a.example"},
		{"https://a.example//x", "https://a.example//x", "a.example", "a.example"},
		{"https://Bücher.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"https://ollaro.github.io/x", "https://ollaro.github.io/x", "ollaro.github.io", "ollaro.github.io"},
		{"http://[2001:DB8::1]:80/x", "http://[2001:db8::1]/x", "2001:db8::1", "2001:db8::1"},
		{"http://192.0.2.1/x", "http://192.0.2.1/x", "192.0.2.1", "192.0.2.1"},
		{"www.ollaro.example/x", "https://www.ollaro.example/x", "www.ollaro.example", "ollaro.example"},
		{" //cdn.ollaro.example/x ", "https://cdn.ollaro.example/x", "cdn.ollaro.example", "ollaro.example"},
		{"https://a.example/x#:~:text=Ollaro", "https://a.example/x", "a.example", "a.example"},
	}
	for _, test := range tests {
		page, err := source.Parse(test.address)
		if err != nil {
			t.Errorf("%s: %v", test.address, err)
		}
		if diff := cmp.Diff(source.Page{URL: test.url, Host: test.host, Domain: test.domain}, page); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.address, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "https://", "ftp://a.example/", "javascript://a.example/", "https://a b/", "https://a..example/", "https://%zz/",
		"https://user:secret@a.exa mple/", "https://" + strings.Repeat("a", 64) + ".example/", "https://a.example/" + strings.Repeat("x", source.MaxURL),
	} {
		page, err := source.Parse(address)
		if err == nil {
			t.Errorf("%.80q gave %+v", address, page)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error of %q contains the password: %v", address, err)
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	sites, err := source.NewSites([]string{"ollaro.example", "both.example"}, []string{"kestrin.example", "both.example"}, map[string]source.Type{
		"Blog.Ollaro.example": source.Editorial, "reddit.com": source.Other,
	})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]source.Type{
		"ollaro.example": source.Own, "shop.ollaro.example": source.Own, "blog.ollaro.example": source.Editorial, "notollaro.example": source.Other,
		"www.kestrin.example": source.Rival, "both.example": source.Own, "www.reddit.com": source.Other, "old.quora.com": source.Community,
		"en.wikipedia.org": source.Reference, "www.nytimes.com": source.Editorial, "www.cdc.gov": source.Government, "mit.edu": source.Government,
		"www.ox.ac.uk": source.Government, "www.amazon.de": source.Shop, "m.youtube.com": source.Video, "youtu.be": source.Video,
		"shopping.naver.com": source.Shop, "blog.naver.com": source.Community, "192.0.2.1": source.Other, "unknown.example": source.Other,
	} {
		if got := sites.Type(host); got != want {
			t.Errorf("%s is %s, not %s", host, got, want)
		}
	}
	if _, err := source.NewSites(nil, nil, map[string]source.Type{"a.example": "nice"}); err == nil || !strings.Contains(err.Error(), `sources["a.example"]`) {
		t.Errorf("an unknown type gives the error %v", err)
	}
	if _, err := source.NewSites(nil, nil, map[string]source.Type{"a b": source.Own}); err == nil {
		t.Error("an invalid host gives no error")
	}
	if _, err := source.NewSites([]string{"https://a.example"}, nil, nil); err == nil {
		t.Error("an invalid domain gives no error")
	}
}

func TestCited(t *testing.T) {
	t.Parallel()
	sites, err := source.NewSites([]string{"ollaro.example"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range sites.Cited([]string{
		"https://en.wikipedia.org/wiki/Shoe?utm_source=x", "mailto:a@b.example", "https://ollaro.example/#a", "https://EN.wikipedia.org/wiki/Shoe", "https://ollaro.example/b",
	}) {
		got = append(got, string(rune('0'+c.Position))+string(rune('0'+c.Index))+" "+string(c.Type)+" "+c.URL)
	}
	want := []string{"10 reference https://en.wikipedia.org/wiki/Shoe", "22 own https://ollaro.example/", "34 own https://ollaro.example/b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// FuzzParse checks that Parse does not change a canonical address, and that the domain
// contains the host.
func FuzzParse(f *testing.F) {
	for _, address := range []string{"https://a.example/b/../c?x=1&utm_x=2#y", "http://[::1]:80//..", "//é.example/%7e%zz", "HTTP://A.EXAMPLE.:80?&=&b"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		page, err := source.Parse(address)
		if err != nil {
			return
		}
		again, err := source.Parse(page.URL)
		if err != nil || again != page {
			t.Errorf("%q is %+v, and again %+v, %v", address, page, again, err)
		}
		if !source.Within(page.Host, page.Domain) || strings.ToLower(page.Host) != page.Host {
			t.Errorf("%q has the host %q and the domain %q", address, page.Host, page.Domain)
		}
	})
}
