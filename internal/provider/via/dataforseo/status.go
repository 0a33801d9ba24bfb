package dataforseo

import (
	"context"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/provider/via"
	"earshot/internal/upstream"
)

// Status codes in bodies. Almost every body comes with the HTTP status 200.
const (
	statusOK         = 20000
	statusCreated    = 20100
	statusSearch     = 40101 // the search engine failed after several tries; charged
	statusNoResults  = 40102
	statusExecution  = 40103
	statusAccount    = 40100 // and above: not authorized; from 40200 on: no money, limits of the account
	statusRate       = 40202
	statusDuplicates = 40205
	statusMoneyEnd   = 40300
	statusHanded     = 40601
	statusQueued     = 40602
	statusInternal   = 50000 // and above: the vendor failed
)

// call sends one task that is paid by its order, and returns the whole answer and the task that
// came back. Its error is a failure of the whole call.
func call(ctx context.Context, up *upstream.Session, path string, body map[string]any) (answered, task loosejson.Object, err error) {
	value, _, err := via.Post(ctx, up, path, nil, []any{body})
	if err != nil {
		return nil, nil, err
	}
	answered = loosejson.AsObject(value)
	if code := status(answered); code != statusOK {
		return nil, nil, refusal(code, answered.Text("status_message"))
	}
	if task = firstTask(answered); task == nil {
		return nil, nil, via.Unreadable("DataForSEO returned no task")
	}
	return answered, task, nil
}

// firstTask returns the task in an answer, or nil.
func firstTask(answered loosejson.Object) loosejson.Object {
	if tasks := answered.Objects("tasks"); len(tasks) > 0 {
		return tasks[0]
	}
	return nil
}

// charge returns what an object says that it cost, or nil.
func charge(o loosejson.Object) *upstream.USD {
	if cost := o.Number("cost"); cost != nil && *cost >= 0 {
		return new(upstream.Dollars(*cost))
	}
	return nil
}

func status(o loosejson.Object) int { return o.Int("status_code") }

// refusal returns the failure of a call or of a submission with a status code.
func refusal(code int, message string) *upstream.Failure {
	if code == 0 {
		return upstream.Fail(earshot.ReasonUnreadable, "DataForSEO's answer has no status code")
	}
	failure := vendorapi.Refusal(0, nil, []string{strconv.Itoa(code)}, message)
	failure.Refused = code < statusInternal
	switch {
	case code >= statusInternal, code == statusSearch, code == statusExecution, code == statusHanded, code == statusQueued:
	case code == statusRate, code == statusDuplicates:
		failure.Reason, failure.RetryAfter = earshot.ReasonBlocked, time.Minute
	case code == statusNoResults:
		failure.Reason, failure.Final = earshot.ReasonEmpty, true
	case code >= statusAccount && code < statusMoneyEnd:
		failure.Reason, failure.Final = earshot.ReasonBlocked, true
	default: // the task is wrong
		failure.Final = true
	}
	return failure
}
