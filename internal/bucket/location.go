package bucket

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Keys are the credentials of a store.
type Keys struct{ ID, Secret, Session string }

const wantKeys = "the credentials must be in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"

// KeysFromEnvironment are those in the variables that all S3 tools read.
func KeysFromEnvironment() Keys {
	return Keys{
		ID:      cmp.Or(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_ACCESS_KEY")),
		Secret:  cmp.Or(os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SECRET_KEY")),
		Session: os.Getenv("AWS_SESSION_TOKEN"),
	}
}

// place is what a location says.
type place struct {
	bucket, prefix string
	scheme, host   string // of the store
	region         string // "" where the store is to be asked
	inPath         bool   // whether the bucket is named in the path
}

const amazon = "s3.amazonaws.com"

var bucketName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{1,61}[A-Za-z0-9]$`)

func readLocation(location string) (*place, error) {
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return nil, errors.New("the location must be s3://bucket or s3://bucket/prefix")
	}
	if u.User != nil {
		return nil, errors.New(wantKeys)
	}
	if !bucketName.MatchString(u.Host) {
		return nil, errors.New("the bucket's name has invalid characters, or fewer than 3 or more than 63")
	}
	at := &place{bucket: u.Host, scheme: "https", host: amazon}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		at.prefix = prefix + "/"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("the location has a query that cannot be read")
	}
	for name := range query {
		value := query.Get(name)
		switch name {
		case "endpoint":
			endpoint, err := url.Parse(value)
			if err != nil || (endpoint.Scheme != "https" && endpoint.Scheme != "http") || endpoint.Host == "" ||
				endpoint.User != nil || strings.Trim(endpoint.Path, "/") != "" || endpoint.RawQuery != "" {
				return nil, errors.New("the endpoint must be https://host:port or http://host:port")
			}
			at.scheme, at.host = endpoint.Scheme, endpoint.Host
		case "region":
			at.region = value
		case "pathStyle":
			if _, err := strconv.ParseBool(value); err != nil {
				return nil, errors.New("pathStyle must be true or false")
			}
		default:
			return nil, fmt.Errorf("the location has an unknown parameter %q: there are endpoint, region and pathStyle", name)
		}
	}
	at.inPath = !at.namesInHost()
	if query.Has("pathStyle") {
		at.inPath, _ = strconv.ParseBool(query.Get("pathStyle"))
	}
	return at, nil
}

// namesInHost tells whether the store is one that finds buckets by their host. A bucket
// with a dot has no certificate there.
func (p *place) namesInHost() bool {
	if p.scheme == "https" && strings.Contains(p.bucket, ".") {
		return false
	}
	host, _, _ := strings.Cut(p.host, ":")
	for _, of := range []string{"amazonaws.com", "amazonaws.com.cn", "storage.googleapis.com", "aliyuncs.com"} {
		if host == of || strings.HasSuffix(host, "."+of) {
			return true
		}
	}
	return false
}

// address is that of the bucket. Amazon has one for each region.
func (p *place) address() *url.URL {
	host := p.host
	if host == amazon && p.region != "" {
		host = "s3." + p.region + ".amazonaws.com"
		if strings.HasPrefix(p.region, "cn-") {
			host += ".cn"
		}
	}
	if p.inPath {
		return &url.URL{Scheme: p.scheme, Host: host, Path: "/" + p.bucket + "/"}
	}
	return &url.URL{Scheme: p.scheme, Host: p.bucket + "." + host, Path: "/"}
}
