package guard

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"code.dny.dev/ssrf"
)

var (
	errNotPublic = errors.New("must be a URL with a public host")
	errInnerPort = errors.New("must be a URL with port 80, 443 or one from 1024 up that is not known for another service")
)

// check returns an error if users may not make us connect to t.
func (t target) check() error {
	switch {
	case t.address.IsValid() && !isPublic(t.address), t.name != "" && !isPublicName(t.name):
		return errNotPublic
	case !isOpenPort(t.port):
		return errInnerPort
	}
	return nil
}

// special rejects the special-purpose addresses of the IANA registries. In IPv6 only
// global unicast (2000::/3) passes, so loopback, link-local, unique local, mapped,
// compatible, translated and NAT64 addresses need not be listed.
var special = ssrf.New(
	ssrf.WithAnyPort(), // isOpenPort decides
	ssrf.WithDeniedV4Prefixes(
		netip.MustParsePrefix("168.63.129.16/32"), // Azure's host agent, an internal service on a public address
	),
	ssrf.WithDeniedV6Prefixes(
		netip.MustParsePrefix("3ffe::/16"), // the former 6bone (RFC 3701)
	),
)

// isPublic reports whether an address can belong to a host on the Internet and embeds no
// IPv4 address.
func isPublic(address netip.Addr) bool {
	return address.IsValid() && address.Zone() == "" && special.SafeAddr(address) == nil && !isISATAP(address)
}

// isISATAP reports whether the lower half of an IPv6 address embeds an IPv4 address to
// tunnel to (RFC 5214), which is possible with any prefix.
func isISATAP(address netip.Addr) bool {
	if !address.Is6() {
		return false
	}
	b := address.As16()
	return b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// innerDomains are domains that do not exist in the public DNS. If a name in such a
// domain resolves, it is the name of an internal host.
var innerDomains = []string{
	"localhost", "test", "invalid", // RFC 6761; example is allowed, because documentation uses it
	"localdomain", "localdomain6", // default domains of systems without a domain
	"local", "internal", "arpa", // multicast DNS, private use, infrastructure including home.arpa
	"lan", "home", "corp", "mail", "private", "intranet", "localnet", // common in private networks
	"workgroup", "domain", "dhcp", // defaults of routers and old systems
	"svc", "default", "docker", "consul", // service names of clusters
	"onion", "i2p", "alt", // not DNS
	"metadata.goog", "fritz.box", // public top-level domains, but resolved internally
}

// isPublicName reports whether a host name can exist in the public DNS. A single label
// cannot: the resolver would append a search domain.
func isPublicName(name string) bool {
	if !strings.Contains(name, ".") {
		return false
	}
	return !slices.ContainsFunc(innerDomains, func(inner string) bool {
		return name == inner || strings.HasSuffix(name, "."+inner)
	})
}

// innerPorts are ports from 1024 up that are known for services other than public web
// servers. Many of these services speak HTTP, or interpret parts of an HTTP request as
// commands, and trust every client. Some are reachable on a public address by mistake.
var innerPorts = []uint16{
	// Databases and caches
	1433, 1434, 1521, 1522, 3050, 3306, 33060, 50000, // SQL Server, Oracle, Firebird, MySQL, Db2
	5432, 5433, 6432, 26257, 8123, // PostgreSQL, its poolers and relatives, ClickHouse
	6379, 6380, 16379, 26379, 11211, // Redis, Memcached
	27017, 27018, 27019, 28017, 5984, 8091, 8092, 8093, 8094, 28015, 29015, // MongoDB, CouchDB, Couchbase, RethinkDB
	9200, 9300, 8983, 7473, 7474, 7687, 8086, // Elasticsearch, Solr, Neo4j, InfluxDB
	7000, 7199, 9042, 9160, // Cassandra
	// Queues
	1883, 8883, 4150, 4151, 4222, 8222, 11300, // MQTT, NSQ, NATS, Beanstalk
	4369, 5671, 5672, 15671, 15672, 25672, 61613, 61614, 61616, // RabbitMQ, ActiveMQ
	2181, 2888, 9092, 9093, 9094, // ZooKeeper, Kafka
	// Clusters, secrets and configuration
	2375, 2376, 2377, 4243, 7946, // Docker
	2379, 2380, 4001, 6443, 10248, 10249, 10250, 10251, 10252, 10255, 10256, 10257, 10259, // etcd, Kubernetes
	8300, 8301, 8302, 8500, 8501, 8502, 8503, 8600, 4646, 4647, 4648, 8200, 8201, // Consul, Nomad, Vault
	2019, 9901, 15000, 4505, 4506, 8140, // Caddy's and Envoy's administration, Salt, Puppet
	// Measurements and logs
	3100, 4317, 4318, 5044, 5601, 8125, 8126, 9090, 9091, 9100, 9187, 24224, // Loki, OpenTelemetry, Logstash, Kibana, StatsD, Prometheus, Fluentd
	// Files, directories and remote control
	2049, 3260, 3268, 3269, 8020, 9418, 9870, 50070, // NFS, iSCSI, Active Directory, HDFS, Git
	3389, 5900, 5901, 5902, 5903, 5985, 5986, 6000, 6001, // RDP, VNC, WinRM, X11
	1099, 7001, 7002, 7077, 8009, // Java RMI, WebLogic, Spark, AJP
	2345, 4444, 5005, 5555, 5858, 9222, 9223, 9229, 9515, // debuggers and remote controls of programs, browsers and phones
	// Proxies, which could connect to addresses that we refuse
	1080, 3128, 8118, 9050, 9051, 9150, 9151,
	// Other ports that browsers block, because an HTTP request may be valid in their protocol
	1719, 1720, 1723, 3659, 4045, 4190, 5060, 5061, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
}

// isOpenPort reports whether users may make us connect to a port. Below 1024, only 80 and
// 443 are allowed.
func isOpenPort(port uint16) bool {
	if port < 1024 {
		return port == 80 || port == 443
	}
	return !slices.Contains(innerPorts, port)
}
