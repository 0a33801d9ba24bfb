package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"earshot/internal/store/storetest"
)

func TestOrgListNamesOrganizationsThatCannotBeReached(t *testing.T) {
	t.Parallel()
	address := storetest.Citus(t)
	s := storetest.Open(t, address)
	reached, missing := storetest.Organization(t, s, 1, 100), storetest.Organization(t, s, 1, 100)
	// As far as the coordinator knows, the shard has the organization.
	for _, statement := range []string{`DELETE FROM ledger WHERE organization = $1`, `DELETE FROM organizations WHERE id = $1`} {
		if _, err := s.ShardOf(missing.ID).Run(statement, missing.ID); err != nil {
			t.Fatal(err)
		}
	}
	data := t.TempDir()
	serving(t, "--data", data, "--database", address)
	var out, warnings bytes.Buffer
	if err := run(t.Context(), []string{"org", "list", "--json", "--data", data}, &out, &warnings); err != nil {
		t.Fatal(err)
	}
	var listed organizationsJSON
	if err := json.Unmarshal(out.Bytes(), &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed.Organizations) != 1 || listed.Organizations[0].Organization.ID != reached.ID || !slices.Equal(listed.Unreachable, []string{missing.Name}) {
		t.Errorf("listed %s, and only %s can be reached", out.String(), reached.ID)
	}
	if want := "the data of 1 organizations cannot be reached: " + missing.Name; !strings.Contains(warnings.String(), want) {
		t.Errorf("printed %q, and not %q", warnings.String(), want)
	}
}
