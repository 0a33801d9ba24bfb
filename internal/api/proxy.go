package api

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddress returns the address of a request's client. A request from a trusted proxy has
// the last address in X-Forwarded-For that is not a trusted proxy. The addresses before that
// one are not used, because the client may have invented them.
func (s *Server) clientAddress(r *http.Request) string {
	remote := r.RemoteAddr
	if len(s.TrustedProxies) == 0 {
		return remote
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		hop = strings.TrimSpace(hop)
		if _, err := netip.ParseAddr(hop); err != nil || !s.isProxy(remote) {
			break
		}
		remote = hop
	}
	return remote
}

// isProxy reports whether an address, with or without a port, is a trusted proxy.
func (s *Server) isProxy(remote string) bool {
	addr, err := netip.ParseAddr(remote)
	if err != nil {
		connection, err := netip.ParseAddrPort(remote)
		if err != nil {
			return false
		}
		addr = connection.Addr()
	}
	addr = addr.Unmap()
	return slices.ContainsFunc(s.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}
