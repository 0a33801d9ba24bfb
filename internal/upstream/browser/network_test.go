package browser_test

import (
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"earshot/internal/upstream/browser"
)

// All traffic leaves the browser through the proxy, also to loopback addresses, by
// WebSocket and by UDP.
func TestAllTrafficTakesTheProxy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.open(t)
	direct, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	s.HandleFunc("/socket", acceptSocket)
	s.HandleFunc("/ok", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Access-Control-Allow-Origin", "*") })
	s.page("/", fmt.Sprintf(`<script>(async () => {
		const settled = [
			fetch("http://%[1]s/ok"), fetch("http://localhost/ok"), fetch("http://[::1]/ok"), fetch("http://no-such-name.test/ok"),
			new Promise((done, failed) => { const s = new WebSocket("ws://127.0.0.1/socket"); s.onopen = done; s.onerror = failed; }),
		];
		const refused = new WebTransport("https://%[2]s/").ready.then(() => { throw "transport"; }, () => {});
		const peer = new RTCPeerConnection({iceServers: [{urls: "stun:%[2]s"}]});
		peer.createDataChannel("any");
		const gathered = new Promise(done => { peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && done(); });
		peer.setLocalDescription(await peer.createOffer());
		try {
			await Promise.all([...settled, refused, gathered]);
			document.body.innerHTML = "<p id=end>all went well</p>";
		} catch (e) { document.body.innerHTML = "<p id=end></p>" + e; }
	})()</script>`, direct.Addr(), udp.LocalAddr()))
	doc := visit(t, b, browser.Visit{URL: "http://127.0.0.1/", Steps: []browser.Step{browser.TakePage("#end")}})
	within(t, doc, `<p id="end">all went well</p>`)
	asked := s.asked()
	for _, host := range []string{"127.0.0.1", direct.Addr().String(), "localhost", "[::1]", "no-such-name.test", "127.0.0.1:80"} {
		if !slices.Contains(asked, host) {
			t.Errorf("%s was not requested through the proxy, only %q", host, asked)
		}
	}
	b.Close() // so that nothing more can arrive
	knock(t, udp.LocalAddr())
	knock(t, direct.Addr())
	buffer := make([]byte, 1500)
	if n, from, err := udp.ReadFrom(buffer); err != nil || string(buffer[:n]) != "ours" {
		t.Errorf("%q arrived by UDP from %s: %v", buffer[:n], from, err)
	}
	conn, err := direct.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if n, err := conn.Read(buffer); err != nil || string(buffer[:n]) != "ours" {
		t.Errorf("%q arrived without the proxy: %v", buffer[:n], err)
	}
}

// knock sends a message, so that a reader that expects nothing does not wait.
func knock(t *testing.T, to net.Addr) {
	t.Helper()
	conn, err := net.Dial(to.Network(), to.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "ours")
}

// acceptSocket opens a WebSocket and sends nothing.
func acceptSocket(w http.ResponseWriter, r *http.Request) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(sum[:]))
	_, _ = io.Copy(io.Discard, conn)
}

func TestProxyByPlace(t *testing.T) {
	t.Parallel()
	places := map[string]*site{"US-CA": newSite(t), "AT": newSite(t)}
	elsewhere := map[string]string{"DE": "", "IT": "direct://", "ES": "192.0.2.1:8080", "PL": "localhost:http"}
	b := places["AT"].open(t, func(c *browser.Config) {
		c.Proxy = func(place string) (string, error) {
			if s, ok := places[place]; ok {
				return s.address, nil
			}
			if address, ok := elsewhere[place]; ok {
				return address, nil
			}
			return "", errors.New("no way out there")
		}
	})
	for place, s := range places {
		s.page("/", "<p>You are in "+place)
		within(t, visit(t, b, browser.Visit{URL: "http://page.test/", Place: place}), "You are in "+place)
	}
	if _, err := try(t, b, browser.Visit{URL: "http://page.test/", Place: "FR"}); err == nil || !strings.Contains(err.Error(), "no way out there") {
		t.Errorf("a place without a proxy: %v", err)
	}
	for place, address := range elsewhere {
		if _, err := try(t, b, browser.Visit{URL: "http://page.test/", Place: place}); err == nil || !strings.Contains(err.Error(), "loopback") {
			t.Errorf("proxy %q: %v", address, err)
		}
	}
}

func TestNavigationErrors(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.shared(t)
	s.HandleFunc("/again", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) })
	s.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment")
		io.WriteString(w, "data")
	})
	for url, reason := range map[string]string{
		"https://refused.test/":   "net::ERR_TUNNEL_CONNECTION_FAILED",
		"http://page.test/again":  "net::ERR_TOO_MANY_REDIRECTS",
		"http://page.test/file":   "net::ERR_ABORTED",
		"https://page.test/plain": "net::ERR_SSL_PROTOCOL_ERROR",
	} {
		_, err := try(t, b, browser.Visit{URL: url})
		if !errors.Is(err, browser.ErrNavigation) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", url, err)
		}
	}
	_, err := try(t, through("127.0.0.1:9"), browser.Visit{URL: "http://page.test/"})
	if !errors.Is(err, browser.ErrNavigation) || !strings.Contains(err.Error(), "net::ERR_PROXY_CONNECTION_FAILED") {
		t.Errorf("without a proxy: %v", err)
	}
}

// The browser sends its own user agent and the visit's languages.
func TestIdentity(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.shared(t)
	s.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<p id="sent">%s %s</p><p id="seen"></p><script>
			seen.textContent = [navigator.languages, navigator.language, navigator.webdriver, navigator.userAgent].join(" ");
		</script>`, r.Header.Get("Accept-Language"), r.UserAgent())
	})
	doc := visit(t, b, browser.Visit{URL: "http://page.test/", Language: "de-AT, de;q=0.9, en;q=0.8"})
	within(t, doc, `<p id="sent">de-AT,de;q=0.9,en;q=0.8 Mozilla/5.0 (`, `<p id="seen">de-AT,de,en de-AT true Mozilla/5.0 (`)
	if n := strings.Count(string(doc.Body), "HeadlessChrome/"); n != 2 {
		t.Errorf("the user agent is not Chromium's own: %s", doc.Body)
	}
}

func TestContextsShareNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.shared(t)
	s.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "before", MaxAge: 3600})
		fmt.Fprintf(w, `<p id="cookies">%q</p><p id="stored"></p><script>
			stored.textContent = "stored " + localStorage.getItem("seen");
			localStorage.setItem("seen", "before");
		</script>`, r.Header.Get("Cookie"))
	})
	for range 2 {
		within(t, visit(t, b, browser.Visit{URL: "http://page.test/"}), `<p id="cookies">""</p>`, "stored null")
	}
}

// A page that asks for permissions, opens dialogs, windows or downloads is not held up.
func TestRequestsAreDenied(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.open(t)
	s.page("/popup", "popup")
	s.page("/next", "<p id=end>next")
	s.page("/", `<input type="file"><a download href="data:,x">file</a><button>Go</button><script>
		addEventListener("beforeunload", e => e.preventDefault());
		document.querySelector("button").onclick = async () => {
			alert("hello");
			const answers = [confirm("sure?"), prompt("name?"), window.open("/popup")];
			document.querySelector("input").click();
			document.querySelector("a").click();
			answers.push(await Notification.requestPermission());
			answers.push(await new Promise(done => navigator.geolocation.getCurrentPosition(() => done("here"), () => done("denied"))));
			if (answers.join() === "false,,,denied,denied") location = "/next"; else document.body.append(answers.join());
		};
	</script>`)
	within(t, visit(t, b, browser.Visit{URL: "http://localhost/", Steps: []browser.Step{browser.Submit("button"), browser.TakePage("#end")}}), `<p id="end">`)
	b.Close()
	if asked := s.asked(); len(asked) != 2 {
		t.Errorf("%q were requested", asked)
	}
}
