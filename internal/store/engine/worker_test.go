package engine_test

import (
	"slices"
	"testing"

	"earshot/internal/store/storetest"
)

func TestConnectionsOfAShardLeadToItsWorker(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Citus(t))
	coordinator, shards := s.Servers(t)
	if slices.Contains(shards, coordinator) || shards[0] == shards[1] {
		t.Errorf("the coordinator is %d, and the shards are on %d", coordinator, shards)
	}
	host, port, server := s.FirstWorker(t)
	for what, reached := range map[string]int64{
		"no server at the address":      s.Reached(t, host, 1, server),
		"another server at the address": s.Reached(t, host, port, server+1),
	} {
		if reached != coordinator {
			t.Errorf("%s: connected to server %d instead of the coordinator %d", what, reached, coordinator)
		}
	}
	if reached := s.Reached(t, host, port, server); reached != shards[0] {
		t.Errorf("connected to server %d instead of the worker %d", reached, shards[0])
	}
}
