// Package alert decides which changes of a tracker's numbers raise an alert, and writes the
// messages to channels. It does no I/O.
//
//	series.go   the metrics that have a change detector, and its threshold
//	gate.go     excludes targets with too many missing answers
//	source.go   finds cited sources whose share changed
//	contents.go finds new advertisers, prices out of range and pages that are no longer cited
//	words.go    summaries of alerts
//	message.go  alerts and reports as messages to a channel
//	service.go  the formats and limits of chat services and PagerDuty
package alert
