package purchase

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/agreement"
	"earshot/internal/store"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
)

// Shadow says which answered requests are asked a second time, for comparison.
type Shadow struct {
	With      *upstream.Client // the upstream to ask
	Share     float64          // of answered requests, from 0 to 1
	Providers []string
}

const (
	// maxShadows is how many comparisons a node makes at once. Further ones are left out.
	maxShadows = 16
	// shadowTime is how long a comparison may take: answers change with time.
	shadowTime = 10 * time.Minute
	// withinShare is the share of comparisons for which the first upstream is asked again
	// as well, to find out how much its own answers vary.
	withinShare = 0.25
	// ShadowPairsKept is how long pairs are kept. It is the longest range of a report.
	ShadowPairsKept = 400 * 24 * time.Hour
)

// comparison is a request that was answered and is asked again.
type comparison struct {
	job    *store.Job
	number int
	answer json.RawMessage
	first  outbound.Use // how the job was answered
	with   *upstream.Client
}

// Compare starts the comparisons of a job that was answered. It does not block, and the
// job's client has nothing to do with them: they cost no credits. The lab is not compared,
// since its answers are made up.
func (d *Desk) Compare(end *store.Settlement) {
	if len(d.Shadows) == 0 || end.Status != earshot.StatusCompleted {
		return
	}
	at := slices.IndexFunc(end.Uses, func(use outbound.Use) bool { return use.Reason == "" })
	if at < 0 {
		return // answered by the lab
	}
	first := end.Uses[at]
	for i, s := range d.Shadows {
		if !slices.Contains(s.Providers, end.Job.Provider) || s.With.Name() == first.Upstream || draw(end.Job.ID, 2*i) >= s.Share {
			continue
		}
		c := comparison{job: end.Job, number: 2*i + 1, answer: end.Result, first: first, with: s.With}
		d.startShadow(c)
		clients := d.Of(end.Job.Provider)
		own := slices.IndexFunc(clients, func(client *upstream.Client) bool { return client.Name() == first.Upstream })
		if own >= 0 && draw(end.Job.ID, 2*i+1) < withinShare {
			c.number, c.with = 2*i+2, clients[own]
			d.startShadow(c)
		}
	}
}

// draw returns a number from 0 to 1 that depends only on a job and a purpose, so that every
// node decides in the same way.
func draw(job string, purpose int) float64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.BigEndian.AppendUint64([]byte(job), uint64(purpose)))
	// FNV changes the high bits too little, so they are mixed as in MurmurHash3.
	x := h.Sum64()
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return float64((x^x>>33)>>11) / (1 << 53)
}

// startShadow makes a comparison in the background, unless the node makes many already or stops.
func (d *Desk) startShadow(c comparison) {
	select {
	case d.shadowing <- struct{}{}:
	default:
		d.Log.Info("a comparison was left out: too many are under way", "job", c.job.ID)
		return
	}
	d.comparing.Go(func() {
		defer func() { <-d.shadowing }()
		if err := d.compare(d.shadowCtx, &c); err != nil && d.shadowCtx.Err() == nil {
			d.Log.Info("a comparison was not made", "job", c.job.ID, "upstream", c.with.Name(), "error", err)
		}
	})
}

// compare asks the second upstream and stores how much its answer agrees with the job's.
func (d *Desk) compare(ctx context.Context, c *comparison) error {
	_, request, err := d.Decode(c.job)
	if err != nil {
		return err
	}
	if via := c.with.Via(); via != "" {
		if err := d.Vendors.Covers(request, via); err != nil {
			return err
		}
	}
	answer, uses, err := d.askShadow(ctx, c, request)
	if len(uses) == 0 {
		return err // nothing was asked
	}
	last := uses[len(uses)-1]
	pair := &outbound.ShadowPair{
		Organization: c.job.Organization, Job: c.job.ID, Number: c.number, At: d.Store.Now(), Provider: c.job.Provider, Country: request.Locale().Country,
		First: c.first.Upstream, Second: c.with.Name(), Reason: last.Reason, FirstMs: c.first.Took.Milliseconds(), SecondMs: last.Took.Milliseconds(),
		FirstMicroUSD: c.first.Charged / 1000, SecondMicroUSD: last.Charged / 1000,
	}
	if answer != nil {
		figures, err := agreement.Compare(c.answer, answer)
		if err != nil {
			return err
		}
		pair.Domains, pair.Organic, pair.Fields = millionths(figures.Domains), millionths(figures.Organic), millionths(figures.Fields)
		pair.Brands = d.compareBrands(ctx, c, answer)
	}
	return d.Store.SaveShadowPair(pair, uses)
}

// compareBrands compares the brands that both answers to a tracker's prompt name.
func (d *Desk) compareBrands(ctx context.Context, c *comparison, answer json.RawMessage) *int64 {
	if c.job.Tracker == "" || d.Brands == nil {
		return nil
	}
	first, err := d.Brands(ctx, c.job, c.answer)
	if err != nil {
		d.Log.Info("brands were not compared", "job", c.job.ID, "error", err)
		return nil
	}
	second, err := d.Brands(ctx, c.job, answer)
	if err != nil {
		return nil
	}
	return millionths(agreement.Jaccard(first, second))
}

func millionths(figure *float64) *int64 {
	if figure == nil {
		return nil
	}
	return new(int64(math.Round(*figure * 1e6)))
}

func fraction(millionths *int64) *float64 {
	if millionths == nil {
		return nil
	}
	return new(float64(*millionths) / 1e6)
}

// errNotAsked says that an upstream has no capacity for a comparison.
var errNotAsked = errors.New("the upstream has no capacity for a comparison")

// askShadow asks an upstream once, and polls until a vendor has answered. It returns the
// result and the use of the upstream. There is no use if the upstream was not asked or the
// node stops. Jobs come first: it does not wait for the upstream's limits, and how it ends does not
// open or close circuits.
func (d *Desk) askShadow(ctx context.Context, c *comparison, request provider.Request) (result json.RawMessage, uses []outbound.Use, err error) {
	ctx, cancel := context.WithTimeout(ctx, shadowTime)
	defer cancel()
	route := circuit{c.job.Provider, c.with.Name(), request.Locale().Place()}
	if d.circuits.isOpen(route) || d.circuits.isOpen(route.everywhere()) {
		return nil, nil, errNotAsked
	}
	basket, err := d.open(ctx, stored{desk: d, job: c.job, extra: true}, c.job, request)
	if err != nil {
		return nil, nil, err
	}
	basket.extra = true
	result, uses, err = d.askOnly(ctx, c.with, c.job, request, basket)
	if errors.Is(err, errNotAsked) || errors.Is(err, store.ErrCeiling) {
		return nil, nil, err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && len(uses) == 0 {
		uses = []outbound.Use{{Upstream: c.with.Name(), Paid: c.with.Paid(), Reason: earshot.ReasonTimeout, Took: shadowTime}}
	}
	return result, uses, err
}

// askOnly asks one upstream once, and polls until a vendor has answered.
func (d *Desk) askOnly(ctx context.Context, client *upstream.Client, job *store.Job, request provider.Request, basket *basket) (result json.RawMessage, uses []outbound.Use, err error) {
	turn := d.Turns.Later(job.Organization)
	defer turn.End()
	a := &attempt{
		Visit:  upstream.Visit{Provider: job.Provider, Account: job.Organization, Turn: turn, Job: ctx, Attempt: 1, CaptureURL: d.CaptureURL},
		basket: basket, turn: turn,
	}
	for polls := false; ; polls = true {
		leave := func() {}
		if !polls {
			if leave, err = client.TryEnter(job.Organization); err != nil {
				return nil, nil, errNotAsked
			}
		}
		err := d.visit(client, a, !polls, func(session *upstream.Session) error {
			answer, err := d.ask(ctx, job.ID, request, session)
			if err != nil {
				return err
			}
			result, err = json.Marshal(answer.Result)
			return err
		})
		leave()
		pending, waits := errors.AsType[*upstream.Pending](err)
		if !waits {
			return result, a.uses, err
		}
		if !pause(ctx, turn, pending.After) {
			return nil, a.uses, ctx.Err()
		}
	}
}

// Check asks one upstream once without a call or task, as `earshot check` does.
func (d *Desk) Check(ctx context.Context, client *upstream.Client, name string, request provider.Request) (result json.RawMessage, uses []outbound.Use, err error) {
	job := &store.Job{ID: uuid.NewString(), Provider: name}
	basket, err := d.open(ctx, &memory{}, job, request)
	if err != nil {
		return nil, nil, err
	}
	basket.most = 0
	return d.askOnly(ctx, client, job, request, basket)
}

// Agreement returns how much the upstreams of an organization agree, over some days.
func (d *Desk) Agreement(ctx context.Context, organization string, days int) (*earshot.Agreement, error) {
	pairs, err := d.outbound.ShadowPairs(ctx, organization, d.Store.Now().AddDate(0, 0, -days))
	if err != nil {
		return nil, err
	}
	compared := make([]*agreement.Pair, len(pairs))
	for i, p := range pairs {
		compared[i] = &agreement.Pair{
			Provider: p.Provider, Country: p.Country, First: p.First, Second: p.Second, Reason: p.Reason,
			Figures: agreement.Figures{Domains: fraction(p.Domains), Organic: fraction(p.Organic), Fields: fraction(p.Fields)}, Brands: fraction(p.Brands),
			FirstMs: p.FirstMs, SecondMs: p.SecondMs, FirstMicroUSD: p.FirstMicroUSD, SecondMicroUSD: p.SecondMicroUSD,
		}
	}
	return &earshot.Agreement{Groups: agreement.Report(compared)}, nil
}
