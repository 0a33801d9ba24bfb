package guard_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"earshot/internal/upstream/guard"
)

// refusedURLs are URLs that users may not give, by the reason. The guard accepts them
// with AllowPrivate, except for malformedURLs.
var refusedURLs = map[string][]string{
	"IPv4 that is not public": {
		"http://0.0.0.0/", "http://0.1.2.3/", "http://10.255.255.255/", "http://100.64.0.1/", "http://100.100.100.200/",
		"http://127.0.0.1/", "http://127.255.255.254/", "http://169.254.169.254/", "http://172.16.0.1/", "http://172.31.255.255/",
		"http://192.0.0.192/", "http://192.0.2.1/", "http://192.88.99.1/", "http://192.168.1.1/", "http://198.18.0.1/",
		"http://198.19.255.255/", "http://198.51.100.1/", "http://203.0.113.1/", "http://224.0.0.1/", "http://239.255.255.255/",
		"http://240.0.0.1/", "http://255.255.255.255/", "http://168.63.129.16/", "https://10.0.0.1:8443/x",
	},
	"IPv6 that is not public": {
		"http://[::]/", "http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[fe80::1]/", "http://[fec0::1]/", "http://[fc00::1]/",
		"http://[fd00:ec2::254]/", "http://[fd20:ce::254]/", "http://[ff02::1]/", "http://[100::1]/", "http://[2001:db8::1]/",
		"http://[3fff::1]/", "http://[3ffe::1]/", "http://[2001:2::1]/", "http://[2001:10::1]/", "http://[2001:20::1]/",
		"http://[5f00::1]/", "http://[4000::1]/",
	},
	"IPv4 inside IPv6": {
		"http://[::ffff:7f00:1]/", "http://[::ffff:5db8:d70e]/", "http://[::7f00:1]/", "http://[::ffff:0:7f00:1]/",
		"http://[64:ff9b::7f00:1]/", "http://[64:ff9b::5db8:d70e]/", "http://[64:ff9b:1::7f00:1]/", "http://[2002:7f00:1::]/",
		"http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "http://[2606:4700::5efe:7f00:1]/", "http://[2606:4700::200:5efe:a00:1]/",
	},
	"names that lead inside": {
		"http://localhost/", "http://LOCALHOST/", "http://foo.localhost/", "http://foo.localhost:8080/",
		"http://localhost.localdomain/", "http://ip6-loopback/", "http://printer.local/", "http://metadata.google.internal/",
		"http://Metadata.Google.Internal/", "http://metadata.goog/", "http://host.docker.internal/",
		"http://nas.home.arpa/", "http://1.0.0.127.in-addr.arpa/", "http://router.lan/", "http://wiki.corp/", "http://intranet/",
		"http://kubernetes.default.svc/", "http://kubernetes.default.svc.cluster.local/", "http://db.service.consul/",
		"http://abcdefghijklmnop.onion/", "http://nothing.invalid/",
	},
	"ports for others": {
		"http://example.com:1/", "http://example.com:22/", "http://example.com:25/", "http://example.com:81/", "http://example.com:444/",
		"http://example.com:1023/", "http://example.com:2375/", "http://example.com:2379/", "http://example.com:3306/",
		"http://example.com:5432/", "http://example.com:6379/", "http://example.com:6443/", "http://example.com:9222/", "http://example.com:6667/",
		"http://example.com:8500/", "http://example.com:9200/", "http://example.com:10250/", "http://example.com:10255/",
		"http://example.com:11211/", "http://example.com:27017/", "https://93.184.215.14:9300/",
	},
}

var malformedURLs = map[string][]string{
	"not absolute, not http": {
		"", "x", "/hook", "//example.com/", "example.com/hook", "localhost:8080", "http:", "http:/", "http://", "http:///x", "http://?q=1",
		"http:example.com", "http:/example.com/", "https//example.com/", "ftp://example.com/", "FILE:///etc/passwd", "ws://example.com/",
		"gopher://example.com:6379/_x", "javascript:alert(1)", "data:text/plain,x", "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
	},
	"too long": {"http://example.com/" + strings.Repeat("a", 2030)},
	"characters": {
		" http://example.com/", "http://example.com/ ", "http://example.com/a b", "http://example.com/\n", "http://example.com/\r\nHost: x",
		"ht\ntp://example.com/", "http://example.com/\t", "http://example.com/\x00", "http://example.com/\u007f", "http://example.com/\u0085",
		"http://example.com/\u00a0", "http://example.com/\u2028", "http://example.com/\u202e", "http://exam\u200bple.com/", "http://example.com/\xff",
		`http:\\example.com\`, `http://example.com\@127.0.0.1/`, `http://example.com/\`,
	},
	"user info": {
		"http://user@example.com/", "http://user:pass@example.com/", "http://@example.com/", "http://127.0.0.1@example.com/",
		"http://example.com@127.0.0.1/", "http://[::1]@example.com/",
	},
	"fragment": {"http://example.com/#x", "http://example.com/#", "http://example.com#@127.0.0.1/"},
	"escapes":  {"http://example.com/%zz", "http://example.com/%", "http://example.com/?q=%zz"},
	"other spellings of IPv4": {
		"http://2130706433/", "http://0x7f000001/", "http://017700000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://127.1/",
		"http://127.0.1/", "http://127.0.0.01/", "http://127.0.0.0x1/", "http://127.0.0.0X1/", "http://0/", "http://00/", "http://0x/", "http://127.0.0.0x/",
		"http://0o177.0.0.1/", "http://4294967297/", "http://127..1/", "http://127.0.0.1./", "http://127.0.0.1../", "http://93.184.215.14./",
		"http://256.1.1.1/", "http://1.2.3.4.5/", "http://1.2.3/", "http://093.184.215.14/", "http://example.1/", "http://5db8d70e.0x5db8d70e/",
	},
	"encoded hosts": {
		"http://%31%32%37.0.0.1/", "http://127.0.0.1%20/", "http://example.com%40127.0.0.1/", "http://127%2e0%2e0%2e1/", "http://127.0.0.1%00/",
		"http://127\u30020\u30020\u30021/", "http://127\uff0e0\uff0e0\uff0e1/", "http://\uff11\uff12\uff17.0.0.1/", "http://127\uff610\uff610\uff611/", "http://①②⑦.⓪.⓪.①/", "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "http://localhoſt/",
		"http://bücher.example/", "http://b%C3%BCcher.example/", "http://ex\u0430mple.com/", "http://example.com\u2044.attacker.example/",
		"http://\u212aubernetes.default.svc/", "http://\u212aelvin.example.com/", "http://\u0130.example.com/", "http://example\u3002com/",
	},
	"host names": {
		"http://.example.com/", "http://example..com/", "http://example.com./", "http://localhost./", "http://foo.localhost.:8080/", "http://metadata.google.internal./", "https://example.com.:8443/hook", "http://example.com../", "http://./", "http://_http._tcp.example.com/", "http://-a.example.com/",
		"http://a-.example.com/", "http://a,b.example.com/", "http://example.com|127.0.0.1/", "http://<script>.example.com/", "http://*.example.com/",
		"http://" + strings.Repeat("a", 64) + ".example.com/", "http://" + strings.Repeat("a.", 122) + "example.com/",
		"http://xn--localhost-.com/", "http://xn--.com/", "http://xn--a.com/", "http://xn--99999999.com/", "http://example.com;x/", "http://]/", "http://[/",
	},
	"IPv6 spellings": {
		"http://::1/", "http://[::1/", "http://::1]/", "http://[]/", "http://[127.0.0.1]/", "http://[93.184.215.14]/", "http://[example.com]/",
		"http://[::ffff:93.184.215.14]/", "http://[2606:4700::1.1.1.1]/", "http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/",
		"http://[2606:4700:4700::1111%25eth0]/", "http://[2606:4700:4700::1111]x/", "http://[v1.x]/", "http://[12345::1]/",
	},
	"ports": {
		"http://example.com:/", "http://example.com:0/", "http://example.com:00080/", "http://example.com:65536/", "http://example.com:-1/",
		"http://example.com:+80/", "http://example.com:0x50/", "http://example.com:80x/", "http://example.com:80:80/", "http://example.com:\uff18\uff10/",
		"http://[2606:4700:4700::1111]:/",
	},
}

var publicURLs = []string{
	"https://example.com", "https://example.com/", "http://example.com/hook", "HTTPS://Example.COM/Hook",
	"https://example.com:443/", "http://example.com:80/", "http://example.com:8080/", "https://hooks.acme.example:8443/x", "https://example.com:65535/",
	"https://example.com?x=1", "https://example.com/?u=http://127.0.0.1/", "https://example.com/@user/x", "https://example.com/a:b;c,d|e",
	"https://example.com/%20%C3%BC?q=%00", "https://example.com/ü", "https://example.com/hook?token=a+b&x=y%26z", "https://1e100.example/", "https://3com.example/",
	"https://xn--bcher-kva.example/", "https://r3---sn-ab.example.com/", "https://127.0.0.1.nip.io/", "https://10.example.com/", "https://notlocalhost.com/",
	"https://localhost.example.com/", "https://internal.example.com/", "https://93.184.215.14/", "https://93.184.215.14:8443/", "http://1.1.1.1/", "http://172.32.0.1/",
	"https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]:8443/x", "https://[2606:4700:4700:0:0:0:0:1111]/", "https://[2A00:1450:4001:80b::200e]/",
	"http://example.com/" + strings.Repeat("a", 2029),
}

func TestURLsThatUsersMayNotGiveAreRefused(t *testing.T) {
	t.Parallel()
	for _, kinds := range []map[string][]string{refusedURLs, malformedURLs} {
		for kind, urls := range kinds {
			for _, u := range urls {
				err := guard.Guard{}.CheckURL(u)
				if err == nil {
					t.Errorf("%s: %.200q passed", kind, u)
				} else if !strings.HasPrefix(err.Error(), "must be ") {
					t.Errorf("%s: %.200q: %q does not follow the name of a field", kind, u, err)
				}
			}
		}
	}
}

func TestPublicURLsPass(t *testing.T) {
	t.Parallel()
	for _, u := range publicURLs {
		if err := (guard.Guard{}).CheckURL(u); err != nil {
			t.Errorf("%.200q: %v", u, err)
		}
	}
}

func TestPrivateURLsPassWhereTheyAreAllowedButMustBeWellFormed(t *testing.T) {
	t.Parallel()
	g := guard.Guard{AllowPrivate: true}
	for kind, urls := range refusedURLs {
		for _, u := range urls {
			if err := g.CheckURL(u); err != nil {
				t.Errorf("%s: %q: %v", kind, u, err)
			}
		}
	}
	for kind, urls := range malformedURLs {
		for _, u := range urls {
			if g.CheckURL(u) == nil {
				t.Errorf("%s: %.200q passed", kind, u)
			}
		}
	}
}

func TestCheckHostAgreesWithCheckURL(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"example.com", "Example.com:443", "93.184.215.14:80", "[2606:4700:4700::1111]:8443"} {
		if err := (guard.Guard{}).CheckHost(host); err != nil {
			t.Errorf("%q: %v", host, err)
		}
	}
	for _, host := range []string{
		"", ":80", "localhost", "localhost:80", "127.0.0.1:80", "127.1", "2130706433:443", "[::1]:443", "example.com:22", "example.com:",
		"example.com/@127.0.0.1", "example.com?x=127.0.0.1:80", "example.com#127.0.0.1:80", "a@example.com:80", "example.com\\x:80", "example.com :80",
	} {
		if (guard.Guard{}).CheckHost(host) == nil {
			t.Errorf("%q passed", host)
		}
	}
	if err := (guard.Guard{AllowPrivate: true}).CheckHost("localhost:9000"); err != nil {
		t.Errorf("allowed: %v", err)
	}
}

func TestTheErrorSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for u, want := range map[string]string{
		"ftp://example.com/":       "absolute http or https",
		"http://a:b@example.com/":  "user name",
		"http://example.com/#x":    "fragment",
		"http://example.com/a b":   "white space",
		"http://example.com/%zz":   "percent",
		"http://example.com:0/":    "port from 1",
		"http://example.com:6379/": "port 80, 443",
		"http://127.1/":            "IPv4",
		"http://127.0.0.1/":        "public host",
		"http://localhost/":        "public host",

		malformedURLs["too long"][0]: "2048",
	} {
		if err := (guard.Guard{}).CheckURL(u); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100q: %v, want something about %q", u, err, want)
		}
	}
}

// inner are address ranges that must never be reached. The list is independent of the
// guard's own list.
var inner = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("::/96"), netip.MustParsePrefix("fec0::/10"),
}

func isInner(a netip.Addr) bool {
	for _, p := range inner {
		if p.Contains(a) {
			return true
		}
	}
	return !a.IsGlobalUnicast() || a.IsPrivate() || a.Is4In6() || a.Zone() != ""
}

func FuzzCheckURL(f *testing.F) {
	for _, kinds := range []map[string][]string{refusedURLs, malformedURLs} {
		for _, urls := range kinds {
			for _, u := range urls {
				f.Add(u)
			}
		}
	}
	for _, u := range publicURLs {
		f.Add(u)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if (guard.Guard{}).CheckURL(text) != nil {
			return
		}
		u, err := url.Parse(text)
		if err != nil || u.User != nil || u.Fragment != "" || (u.Scheme != "http" && u.Scheme != "https") {
			t.Fatalf("%q passed: %v", text, err)
		}
		host := strings.TrimSuffix(u.Hostname(), ".")
		if a, err := netip.ParseAddr(host); err == nil {
			if isInner(a) {
				t.Fatalf("%q passed with an inner address", text)
			}
		} else if last := host[strings.LastIndex(host, ".")+1:]; !strings.Contains(host, ".") || strings.Trim(last, "0123456789") == "" {
			t.Fatalf("%q passed with a host that is no public name", text)
		}
		var r recorder
		_ = call(t, guard.Guard{Resolver: answer("127.0.0.1", "::1")}, &r, text)
		for _, target := range r.targets {
			if isInner(netip.MustParseAddrPort(target).Addr()) {
				t.Fatalf("%q connected to %s", text, target)
			}
		}
	})
}
