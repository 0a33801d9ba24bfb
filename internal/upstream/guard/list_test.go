package guard_test

import (
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"strings"
	"testing"

	"earshot/internal/upstream/guard"
	"earshot/test/captures"
)

// listRow is one row of the list of hostile addresses.
type listRow struct{ verdict, surface, when, url, answers, reason string }

// listRows reads the list, which is in a folder next to the repository.
func listRows(t *testing.T) []listRow {
	t.Helper()
	var rows []listRow
	for line := range strings.Lines(string(captures.Sample(t, "addresses.tsv"))) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(c) != 7 {
			t.Fatalf("%d columns: %.100q", len(c), line)
		}
		row := listRow{verdict: c[0], surface: c[1], when: c[2], answers: c[5], reason: c[6]}
		if err := json.Unmarshal([]byte(c[4]), &row.url); err != nil {
			t.Fatalf("%.100q: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestTheListOfHostileAddresses(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, row := range listRows(t) {
		if row.surface != "webhook" {
			continue
		}
		seen++
		err := guard.Guard{}.CheckURL(row.url)
		switch {
		case row.verdict == "REFUSE" && row.when == "submit" && err == nil:
			t.Errorf("%.200q passed: %s", row.url, row.reason)
		case (row.verdict == "ALLOW" || row.when == "dial") && err != nil:
			t.Errorf("%.200q (%s): %v", row.url, row.reason, err)
		}
		if row.when == "dial" {
			checkTries(t, row)
		}
	}
	if seen == 0 {
		t.Error("the list has no webhook rows")
	}
}

// checkTries makes one request for each set of DNS answers. The guard may connect only to
// public addresses, and to no address in the last request.
func checkTries(t *testing.T, row listRow) {
	t.Helper()
	for answers := range strings.SplitSeq(row.answers, "|") {
		if _, after, numbered := strings.Cut(answers, ":A"); numbered {
			answers = "A" + after
		} else if _, after, numbered := strings.Cut(answers, ":NX"); numbered {
			answers = "NX" + after
		}
		ctx, cancel := context.WithCancel(t.Context())
		var r recorder
		err := post(ctx, t, guard.Guard{Resolver: listed(t, answers, cancel), BeforeConnect: r.note}, row.url)
		cancel()
		if err == nil {
			t.Errorf("%s: %s: connected", row.url, answers)
		}
		for _, target := range r.targets {
			if isInner(netip.MustParseAddrPort(target).Addr()) {
				t.Errorf("%s: %s: connected to %s: %s", row.url, answers, target, row.reason)
			}
		}
		if last := strings.HasSuffix(row.answers, answers); last && len(r.targets) > 0 {
			t.Errorf("%s: the last try connected to %s: %s", row.url, r.targets, row.reason)
		}
	}
}

// listed returns a resolver with the answers of a row: addresses with their record types,
// NXDOMAIN or TIMEOUT. A timeout calls hung, which ends the request.
func listed(t *testing.T, answers string, hung func()) lookup {
	t.Helper()
	switch answers {
	case "NXDOMAIN":
		return func(context.Context, string) ([]netip.Addr, error) {
			return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
		}
	case "TIMEOUT":
		return func(ctx context.Context, _ string) ([]netip.Addr, error) {
			hung()
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
	var texts []string
	for record := range strings.FieldsFuncSeq(answers, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
		texts = append(texts, record[strings.Index(record, "=")+1:])
	}
	return answer(texts...)
}
