package main

import (
	"bytes"
	"strings"
	"testing"

	"earshot"
)

func TestTablesAndCSV(t *testing.T) {
	t.Parallel()
	share, ends := 0.25, []float64{-0.5, 0.125}
	type item struct {
		Name string `json:"name"`
		N    int64  `json:"n"`
	}
	items := []item{{"=cmd <b>", 12345678901234567}, {"", -7}}
	made := tableOf("NAME|N|SHARE|COUNT=COUNT/OF|INTERVAL=LOW/HIGH|=NOTE", items, func(i *item) []any {
		if i.Name == "" {
			return []any{i.Name, i.N, percent(nil), nil, interval(nil, false), cell{"", []any{nil, nil}[:1]}}
		}
		return []any{brief(i.Name, 5), i.N, percent(&share), ratio(790, 1730), interval(ends, false), earshot.List[string]{"a", "b"}}
	})
	report := struct {
		Rows []item `json:"rows"`
	}{items}
	for _, test := range []struct {
		output
		report any
		want   string
	}{
		{output{Format: "table"}, report, "NAME   N                       SHARE  COUNT     INTERVAL\n=cmd…  12,345,678,901,234,567  25.0%  790/1730  -50.0%..12.5%  a, b\n-      -7                      -      -         -\n"},
		{output{Format: "csv"}, report, "NAME,N,SHARE,COUNT,OF,LOW,HIGH,NOTE\n'=cmd <b>,12345678901234567,0.25,790,1730,-0.5,0.125,\"a, b\"\n,-7,,,,,,\n"},
		{output{Format: "table", CSV: true}, nil, "NAME,N,SHARE,COUNT,OF,LOW,HIGH,NOTE\n'=cmd <b>,12345678901234567,0.25,790,1730,-0.5,0.125,\"a, b\"\n,-7,,,,,,\n"},
		{output{Format: "table", JSON: true}, nil, "{\"name\":\"=cmd \\u003cb\\u003e\",\"n\":12345678901234567}\n{\"name\":\"\",\"n\":-7}\n"},
		{output{Format: "table", JSON: true, JQ: ".n"}, nil, "12345678901234567\n-7\n"},
		{output{Format: "table", JQ: ".[0].name, length"}, nil, "=cmd <b>\n2\n"},
		{output{Format: "json", JQ: ".rows[0]"}, report, "{\"n\":12345678901234567,\"name\":\"=cmd <b>\"}\n"},
		{output{Format: "table", JSON: true, JQ: ".rows | length"}, report, "2\n"},
		{output{Format: "ndjson", JQ: ".n"}, report, "12345678901234567\n-7\n"},
	} {
		var out bytes.Buffer
		made.report = test.report
		if err := test.print(&invocation{Context: t.Context(), out: &out}, made); err != nil || out.String() != test.want {
			t.Errorf("%+v prints\n%s%v, want\n%s", test.output, out.String(), err, test.want)
		}
	}
	for _, one := range []output{{Format: "csv", JQ: "."}, {Format: "json", JQ: ".["}, {Format: "json", JQ: ".rows.name"}} {
		if err := one.print(&invocation{Context: t.Context(), out: &bytes.Buffer{}}, made); err == nil || !strings.Contains(err.Error(), "--jq") {
			t.Errorf("%+v: %v", one, err)
		}
	}
}
