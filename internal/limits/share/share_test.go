package share_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"earshot/internal/limits/share"
)

// greedy takes one unit after the other until it is refused, and returns their number.
func greedy(p *share.Pool, account string) (got int64) {
	for p.Take(account, 1) {
		got++
	}
	return got
}

func TestGreedyAccountsLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	p := share.NewPool(1000)
	if got := greedy(p, "a"); got < 490 || got > 500 {
		t.Errorf("a lone account holds %d of 1,000", got)
	}
	for n, account := range []string{"b", "c", "d", "e"} {
		free := p.Free()
		got := greedy(p, account)
		if got < free/2-2 || p.Free() < got-1 {
			t.Errorf("account %d holds %d of the %d that were free, and leaves %d", n+2, got, free, p.Free())
		}
	}
	if !p.Take("newcomer", 1) {
		t.Error("a newcomer is refused")
	}
	if p.Take("a", 1) {
		t.Error("an account that holds more than is free gets more")
	}
}

func TestACrowdLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	p := share.NewCrowd(1000, 16)
	if got := greedy(p, "a"); got < 55 || got > 59 {
		t.Errorf("an address holds %d of 1,000", got)
	}
	for i := range 39 {
		greedy(p, fmt.Sprint(i))
	}
	if got := greedy(p, "newcomer"); got < 4 {
		t.Errorf("after 40 greedy addresses, another one gets only %d", got)
	}
}

func TestLastUnitGoesToANewAccount(t *testing.T) {
	t.Parallel()
	p := share.NewPool(1)
	release, ok := p.Hold("a")
	if _, second := p.Hold("b"); !ok || second {
		t.Errorf("the only unit is held by a: %t, and b: %t", ok, second)
	}
	release()
	release()
	if _, ok := p.Hold("b"); !ok || p.Free() != 0 {
		t.Error("the unit was not given back, or twice")
	}
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	p := share.NewPool(2)
	release, err := p.Wait(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Wait(ctx, "a"); err == nil {
		t.Error("an account at its share does not wait")
	}
	second := make(chan func())
	go func() {
		release, err := p.Wait(t.Context(), "a")
		if err != nil {
			t.Error(err)
		}
		second <- release
	}()
	if other, err := p.Wait(t.Context(), "b"); err != nil {
		t.Error("an account that holds nothing waits for one that does")
	} else {
		other()
	}
	release()
	(<-second)()
	if s := p.Stats(); s.Used != 0 || s.Refused != 0 {
		t.Errorf("in the end it is %+v", s)
	}
}

func TestConnectionsAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &share.Listener{Listener: inner, Connections: share.NewPool(4)}
	accepted := make(chan net.Conn, 8)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	dial()
	dial()
	first, second := <-accepted, <-accepted
	if _, err := dial().Read(make([]byte, 1)); err == nil || l.Connections.Free() != 2 {
		t.Errorf("a third connection of the same address is open: %v", err)
	}
	first.Close()
	first.Close()
	dial()
	<-accepted
	second.Close()
	inner.Close()
	<-ended
	if free := l.Connections.Free(); free != 3 {
		t.Errorf("%d places are free", free)
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.7:80": "192.0.2.7", "[2001:db8:1:2:3::4]:80": "2001:db8:1:2::/64", "[fe80::1%eth0]:80": "fe80::/64",
		"[::ffff:192.0.2.7]:80": "192.0.2.7", "pipe": "pipe",
		"192.0.2.7": "192.0.2.7", "2001:db8:1:2:3::4": "2001:db8:1:2::/64",
	} {
		if got := share.Address(remote); got != want {
			t.Errorf("%s belongs to %s, want %s", remote, got, want)
		}
	}
}

// Many goroutines take and give units in random order: no unit is lost, and the pool never
// gives more units than it has.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	const capacity = 64
	p := share.NewPool(capacity)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			account, held := fmt.Sprint(i%4), []int64{}
			for range 2000 {
				n := 1 + random.Int64N(5)
				switch {
				case len(held) > 0 && random.IntN(2) == 0:
					p.Release(account, held[0])
					held = held[1:]
				case p.Take(account, n):
					held = append(held, n)
				}
				if free := p.Free(); free < 0 || free > capacity {
					t.Errorf("%d are free", free)
				}
			}
			for _, n := range held {
				p.Release(account, n)
			}
		})
	}
	all.Wait()
	if s := p.Stats(); s.Used != 0 || s.Accounts != 0 || s.Refused == 0 || s.Capacity != capacity {
		t.Errorf("in the end it is %+v", s)
	}
}
