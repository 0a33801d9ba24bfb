package purchase_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/purchase"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream"
	"earshot/internal/upstream/capture"
)

// shop is a vendor that keeps a ledger of its own: what it charged for which item. It sells pages at
// once and answers by order.
type shop struct {
	t      *testing.T
	server *httptest.Server

	mu     sync.Mutex
	faults map[string][]string  // what happens to the next requests for an item
	bought map[string]int       // how often an item was charged
	total  upstream.USD         // of all charges
	orders map[string]*shopTask // by id
	keys   map[string]string    // key -> id
	hold   chan struct{}        // closed to answer requests that hang
}

type shopTask struct {
	item  string
	polls int // until it is ready
	fails bool
}

const (
	pagePrice  = upstream.USD(1_500_001) // no multiple of a millionth of a dollar
	orderPrice = upstream.USD(2_000_003)
)

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{t: t, faults: map[string][]string{}, bought: map[string]int{}, orders: map[string]*shopTask{}, keys: map[string]string{}, hold: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", s.page)
	mux.HandleFunc("POST /order", s.order)
	mux.HandleFunc("GET /order", s.poll)
	s.server = httptest.NewServer(mux)
	t.Cleanup(s.server.Close)
	return s
}

// plan sets what happens to the next requests for an item.
func (s *shop) plan(item string, faults ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[item] = faults
}

func (s *shop) next(item string) (fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if list := s.faults[item]; len(list) > 0 {
		fault, s.faults[item] = list[0], list[1:]
	}
	return fault
}

// began reports whether requests for an item met all that was planned for it.
func (s *shop) began(item string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.faults[item]) == 0
}

func (s *shop) charge(item string, price upstream.USD) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bought[item]++
	s.total += price
}

// charged returns the total of all charges.
func (s *shop) charged() upstream.USD {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

func (s *shop) times(item string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bought[item]
}

func (s *shop) page(w http.ResponseWriter, r *http.Request) {
	item := r.FormValue("q") + "/" + r.FormValue("n")
	price := orderPrice
	if r.FormValue("n") != "0" {
		price = pagePrice
	}
	switch fault := s.next(item); fault {
	case "refuse":
		w.WriteHeader(http.StatusServiceUnavailable)
	case "teapot":
		w.WriteHeader(http.StatusTeapot)
	case "forbid":
		w.WriteHeader(http.StatusUnauthorized)
	case "drop": // charged, and the answer is lost
		s.charge(item, price)
		panic(http.ErrAbortHandler)
	case "html":
		s.charge(item, price)
		_, _ = w.Write([]byte("<html>"))
	case "empty":
		s.charge(item, price)
		_, _ = w.Write([]byte(`{"text":""}`))
	case "hang":
		<-s.hold
		fallthrough
	default:
		s.charge(item, price)
		_, _ = fmt.Fprintf(w, `{"text":%q}`, item)
	}
}

func (s *shop) order(w http.ResponseWriter, r *http.Request) {
	item, key := r.FormValue("q"), r.FormValue("key")
	fault := s.next(item)
	if fault == "refuse" {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	s.mu.Lock()
	id := s.keys[key]
	if id == "" {
		id = uuid.NewString()
		s.keys[key], s.orders[id] = id, &shopTask{item: item, polls: 2, fails: fault == "fail"}
		if fault == "late" {
			s.orders[id].polls = 6
		}
	}
	s.mu.Unlock()
	if fault == "drop" {
		panic(http.ErrAbortHandler)
	}
	_, _ = fmt.Fprintf(w, `{"id":%q}`, id)
}

func (s *shop) poll(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	task := s.orders[r.FormValue("id")]
	task.polls--
	polls := task.polls
	s.mu.Unlock()
	switch {
	case polls > 0:
		_, _ = w.Write([]byte(`{"status":"working"}`))
	case task.fails:
		_, _ = w.Write([]byte(`{"status":"failed"}`))
	default:
		if polls == 0 { // it charges when the answer is ready
			s.charge(task.item, orderPrice)
		}
		_, _ = fmt.Fprintf(w, `{"status":"done","text":%q}`, task.item)
	}
}

// wish is a request for pages, or for an answer by order.
type wish struct {
	Q     string `json:"q"`
	Pages int    `json:"pages"`
	Wait  int    `json:"wait"` // of an order, in milliseconds
	// judge replaces judgePage. May be nil.
	judge func([]byte) upstream.Verdict
}

func (wish) Bill() provider.Bill { return provider.Bill{provider.ItemBase: 1} }

func (wish) Locale() geo.Locale { return geo.Locale{Country: "US"} }

func (w wish) Question() *provider.Question {
	return &provider.Question{Provider: "fake", Text: w.Q, Pages: max(1, w.Pages)}
}

func (wish) Complete(*provider.Reply, *upstream.Session) (*provider.Outcome, error) {
	panic("unused")
}

func (w wish) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	if w.Pages == 0 {
		return w.askOrder(ctx, up)
	}
	var texts []string
	for n := range w.Pages {
		request := &upstream.Request{Site: "shop", Path: "page", Query: map[string][]string{"q": {w.Q}, "n": {fmt.Sprint(n)}}, Judge: judgePage, Refusal: refusal}
		if w.judge != nil {
			request.Judge = w.judge
		}
		if n > 0 {
			request.Buys = &upstream.Parts{Pages: 1}
		}
		response, err := up.Fetch(ctx, request)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(response.Body))
	}
	return &provider.Outcome{Result: texts, Bill: w.Bill()}, nil
}

func refusal(status int, _ http.Header, _ []byte) *upstream.Failure {
	if status == http.StatusTeapot {
		panic("an error answer that its reader does not expect")
	}
	return &upstream.Failure{Reason: earshot.ReasonBlocked, Final: status == http.StatusUnauthorized, Err: fmt.Errorf("status %d", status)}
}

func judgePage(document []byte) upstream.Verdict {
	var page struct{ Text *string }
	if json.Unmarshal(document, &page) != nil {
		return upstream.Verdict{Failure: upstream.Fail(earshot.ReasonUnreadable, "no JSON")}
	}
	if *page.Text == "" {
		return upstream.Verdict{Failure: &upstream.Failure{Reason: earshot.ReasonEmpty, Final: true, Err: fmt.Errorf("no text")}}
	}
	return upstream.Verdict{}
}

func (w wish) askOrder(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	call := func(ctx context.Context, request *upstream.Request) (map[string]string, []byte, error) {
		request.Site, request.Path, request.Free = "shop", "order", true
		response, err := up.Fetch(ctx, request)
		if err != nil {
			return nil, nil, err
		}
		var fields map[string]string
		err = json.Unmarshal(response.Body, &fields)
		return fields, response.Body, err
	}
	document, err := up.Order(ctx, &upstream.Order{
		Wait: time.Duration(w.Wait) * time.Millisecond, Every: time.Millisecond, Idempotent: true,
		Submit: func(ctx context.Context, key string) (string, *upstream.USD, error) {
			fields, _, err := call(ctx, &upstream.Request{Query: map[string][]string{"q": {w.Q}, "key": {key}}, Body: []byte("{}")})
			return fields["id"], nil, err
		},
		Poll: func(ctx context.Context, id string) ([]byte, error) {
			fields, body, err := call(ctx, &upstream.Request{Query: map[string][]string{"id": {id}}})
			if err == nil && fields["status"] == "working" {
				err = upstream.ErrNotReady
			}
			return body, err
		},
		Judge: func(document []byte) upstream.Verdict {
			if strings.Contains(string(document), `"failed"`) {
				return upstream.Verdict{Charge: upstream.Free(), Failure: upstream.Fail(earshot.ReasonUnavailable, "it failed")}
			}
			return upstream.Verdict{}
		},
	})
	if err != nil {
		return nil, err
	}
	return &provider.Outcome{Result: string(document), Bill: w.Bill()}, nil
}

// fake is a provider whose requests are wishes.
type fake struct{}

func (fake) Definition() provider.Definition {
	return provider.Definition{Name: "fake", Prices: []provider.Price{{Item: provider.ItemBase, Credits: 5}}}
}

func (fake) Decode(in *schema.Object) provider.Request {
	var w wish
	w.Q, _ = in.String("q")
	w.Pages = in.Int("pages", 0, 100, 0)
	w.Wait = in.Int("wait", 0, 1e9, 0)
	return w
}

// node is a desk on a real store, as one node has it.
type node struct {
	*purchase.Desk
	t     *testing.T
	store *store.Store
	id    string
	org   *account.Organization
}

// newNode returns a node that buys from shops, in this order. The daily ceiling of each is 0 for none.
func newNode(t *testing.T, s *store.Store, org *account.Organization, ceiling upstream.USD, shops ...*shop) *node {
	t.Helper()
	id, err := s.RegisterNode("test", 0, s.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Beat(id, 0); err != nil {
		t.Fatal(err)
	}
	var clients []*upstream.Client
	for i, shop := range shops {
		client, err := upstream.NewClient(upstream.Config{
			Name: fmt.Sprintf("api:shop%d", i), Surface: earshot.SurfaceAPI, Sites: map[string]string{"shop": shop.server.URL}, API: &upstream.API{Name: "shop"},
			Prices:  map[string]upstream.Price{"fake": {Request: orderPrice, Page: pagePrice}},
			Ceiling: ceiling,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		clients = append(clients, client)
	}
	catalogue, err := provider.NewCatalogue([]provider.Provider{fake{}}, func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	captures, err := capture.NewFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, store: s, id: id, org: org}
	n.Desk = purchase.New(purchase.Config{
		Upstreams: map[string][]*upstream.Client{"fake": clients}, Catalogue: catalogue, Log: slog.New(slog.DiscardHandler), Store: s, Captures: captures,
		Node: func() string { return id }, LateEvery: 10 * time.Millisecond, Backoff: []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond},
	})
	t.Cleanup(func() { n.Stop(t.Context()) })
	return n
}

// begin begins a call. It returns nil if an earlier call with the key was answered.
func (n *node) begin(w wish, key string) *store.Job {
	n.t.Helper()
	body, err := json.Marshal(w)
	if err != nil {
		n.t.Fatal(err)
	}
	job := &store.Job{
		ID: uuid.Must(uuid.NewV7()).String(), Organization: n.org.ID, KeyID: "key", Provider: "fake", Mode: store.ModeSync, Status: earshot.StatusProcessing,
		Request: body, Node: n.id, CreatedAt: n.store.Now(), StartedAt: n.store.Now(),
	}
	if key != "" {
		job.IdempotencyKey = &key
	}
	_, err = n.store.Begin(*job)
	if _, taken := errors.AsType[*store.KeyTakenError](err); taken {
		return nil
	}
	if err != nil {
		n.t.Fatal(err)
	}
	return job
}

// settle ends a call with an outcome.
func (n *node) settle(job *store.Job, o *purchase.Outcome) {
	n.t.Helper()
	end := store.Settlement{Job: job, Status: earshot.StatusCompleted, Attempts: o.Attempts, Result: o.Result, Uses: o.Uses}
	if o.Err != nil {
		end.Status, end.Error = earshot.StatusFailed, &earshot.Error{Code: earshot.CodeUpstream, Message: o.Err.Error()}
	}
	if _, err := n.store.Settle(end, n.store.Now()); err != nil {
		n.t.Fatal(err)
	}
}

// ask makes a call from its beginning to its end.
func (n *node) ask(ctx context.Context, w wish, key string) *purchase.Outcome {
	n.t.Helper()
	job := n.begin(w, key)
	if job == nil {
		return nil
	}
	o := n.Buy(ctx, &purchase.Call{Job: job, Request: w})
	n.settle(job, o)
	return o
}

// booked returns what the usage of all upstreams says, and checks that the account of each agrees.
func (n *node) booked() upstream.USD {
	n.t.Helper()
	now := n.store.Now()
	usage, err := outbound.New(n.store.DB).UpstreamUsage(n.t.Context(), n.org.ID, now.AddDate(0, 0, -1), now.AddDate(0, 0, 1))
	if err != nil {
		n.t.Fatal(err)
	}
	accounts, err := outbound.New(n.store.DB).Accounts(n.t.Context(), now)
	if err != nil {
		n.t.Fatal(err)
	}
	var sum upstream.USD
	by := map[string]upstream.USD{}
	for _, day := range usage {
		sum += upstream.Dollars(day.USD)
		by[day.Upstream] += upstream.Dollars(day.USD)
	}
	for name, a := range accounts {
		if by[name] != upstream.USD(a.Booked) {
			n.t.Errorf("%s: the usage has %d and the account %d", name, by[name], a.Booked)
		}
	}
	return sum
}

// reserved returns what is reserved on all upstreams.
func (n *node) reserved() (sum int64) {
	n.t.Helper()
	accounts, err := outbound.New(n.store.DB).Accounts(n.t.Context(), n.store.Now())
	if err != nil {
		n.t.Fatal(err)
	}
	for _, a := range accounts {
		sum += a.Reserved
	}
	return sum
}

// onEach runs a test on each database.
func onEach(t *testing.T, test func(t *testing.T, s *store.Store, o *account.Organization)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		test(t, s, storetest.Organization(t, s, 1000, 1_000_000))
	})
}
