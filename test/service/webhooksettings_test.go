package service_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store"
	"earshot/test/harness"
)

func TestAWebhookSecretThatIsRotatedThroughTheAPILeavesTheOldOneValid(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, harness.LocalWebhooks)
	a, r := n.Organization(t, "many", 1000), harness.Receive(t, http.StatusOK)
	c := n.Client(n.Admin(t, a))
	before := time.Now()
	rotated, err := c.RotateWebhookSecret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	earliest, latest := before.Add(store.SecretLife).Truncate(time.Millisecond), time.Now().Add(store.SecretLife)
	if until := rotated.PreviousValidUntil; until.Before(earliest) || until.After(latest) {
		t.Errorf("the secret before is valid until %s", until)
	}
	n.WaitDelivery(t, a, n.Submit(t, a, harness.ChatTask("x", r.Field())).ID)
	if test, err := n.Client(n.Admin(t, a)).TestWebhook(t.Context(), r.URL); err != nil || !test.Delivered {
		t.Errorf("the test went %+v, %v", test, err)
	}
	calls := r.Webhooks()
	if len(calls) != 2 {
		t.Fatalf("%d calls came", len(calls))
	}
	for _, call := range calls { // a delivery and a test
		call.Verify(t, rotated.Secret)
		call.Verify(t, a.WebhookSecret)
	}
	if strings.Contains(n.Logs.String(), rotated.Secret) {
		t.Error("the secret is in the log")
	}
}

func TestAWebhookIsTriedOut(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, harness.LocalWebhooks)
	a := n.Organization(t, "many", 1000)
	admin := n.Admin(t, a)
	for _, answer := range []int{200, 204, 302, 404, 500} {
		r := harness.Receive(t, answer)
		test, err := n.Client(admin).TestWebhook(t.Context(), r.URL+"/hook?a=b")
		if err != nil {
			t.Fatal(err)
		}
		if test.Delivered != (answer < 300) || test.Status == nil || *test.Status != answer || test.Error != nil || test.Ms < 0 {
			t.Errorf("%d: %s", answer, harness.JSON(t, test))
		}
		calls := r.Webhooks()
		if len(calls) != 1 {
			t.Fatalf("%d: %d calls came", answer, len(calls))
		}
		calls[0].Verify(t, a.WebhookSecret)
		id, err := uuid.Parse(calls[0].Header.Get("webhook-id"))
		if err != nil || id.Version() != 7 || !strings.HasPrefix(calls[0].Body, `{"test":true,"sentAt":"`) || calls[0].Header.Get("Content-Type") != "application/json" {
			t.Errorf("the call is %+v, %v", calls[0], err)
		}
	}
	test, err := n.Client(admin).TestWebhook(t.Context(), "http://127.0.0.1:1/")
	if err != nil || test.Delivered || test.Status != nil || test.Error == nil || *test.Error != "connection failed" {
		t.Errorf("a receiver that is away: %s, %v", harness.JSON(t, test), err)
	}
	var page earshot.DeliveryPage
	if n.Get(t, a, harness.DeliveriesPath).Into(t, &page); len(page.Deliveries) != 0 {
		t.Errorf("tests are stored: %+v", page)
	}
}

func TestATestOfAWebhookReachesNoInnerAddress(t *testing.T) {
	t.Parallel()
	n, r := harness.Start(t), harness.Receive(t, http.StatusOK)
	admin := n.Admin(t, n.Organization(t, "many", 1000))
	for _, url := range []string{r.URL, strings.Replace(r.URL, "127.0.0.1", "localhost", 1), "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://10.1.2.3/", ""} {
		refused := n.Post(t, admin, harness.TestPath, fmt.Sprintf(`{"url":%q}`, url))
		refused.Invalid(t, url, http.StatusBadRequest, "url")
	}
	if calls := r.Webhooks(); len(calls) != 0 {
		t.Errorf("%d calls came", len(calls))
	}
}

func TestAnOrganizationTestsOnlySoManyWebhooksAtOnce(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, harness.LocalWebhooks)
	admin, another := n.Admin(t, n.Organization(t, "many", 1000)), n.Admin(t, n.Organization(t, "many", 1000))
	arrived, release := make(chan struct{}), make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	}))
	t.Cleanup(hangs.Close)
	r := harness.Receive(t, http.StatusOK)
	began := time.Now()
	givenUp := func() bool { return time.Since(began) >= 15*time.Second } // which ends the first of them
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if test, err := n.Client(admin).TestWebhook(t.Context(), hangs.URL); err != nil || !test.Delivered && !givenUp() {
				t.Errorf("a test that was slow: %+v, %v", test, err)
			}
		})
		harness.Next(t, "a test", arrived)
	}
	if _, err := n.Client(admin).TestWebhook(t.Context(), r.URL); !harness.IsFailure(err, http.StatusTooManyRequests, earshot.CodeConcurrencyLimit) && !givenUp() {
		t.Errorf("the fifth test: %v", err)
	}
	if test, err := n.Client(another).TestWebhook(t.Context(), r.URL); err != nil || !test.Delivered {
		t.Errorf("another's test: %+v, %v", test, err)
	}
	close(release)
	group.Wait()
	if test, err := n.Client(admin).TestWebhook(t.Context(), r.URL); err != nil || !test.Delivered {
		t.Errorf("a test when the others have ended: %+v, %v", test, err)
	}
}
