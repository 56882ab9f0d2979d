package doctor

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"vitrine/internal/domain"
)

// forged is the address that probes pretend to forward for (RFC 5737), to find out whether a proxy passes
// on what its clients write.
const forged = "192.0.2.7"

// outside examines a public address of the site by requests to it.
type outside struct {
	id        string // address.site, address.base or address.files
	flag      string
	url       string
	secret    string
	body      int64 // --body-limit
	upload    int64 // --upload-limit
	roots     *x509.CertPool
	plainPort string // of http://; "80" except in tests
	now       func() time.Time
}

// errElsewhere reports that another program, or another site, answers.
var errElsewhere = errors.New("the answer is not from this site")

// examine requests the address once, and if this site answers, examines the way to it.
func (o outside) examine(ctx context.Context) []Result {
	began := o.now()
	a, certificate, err := o.ask(ctx)
	if err != nil {
		return []Result{o.unreachable(err)}
	}
	found := []Result{ok(o.id, "%s leads to this site.", o.url), o.forwarded(a)}
	if certificate != nil {
		found = append(found, o.certificate(certificate))
	}
	if skew := a.Now.Sub(began.Add(o.now().Sub(began) / 2)); skew.Abs() > maxSkew {
		found = append(found, clockResult(o.id+".clock", "the server "+a.Node, skew))
	}
	rest := []func(ctx context.Context) []Result{o.bodies, o.streaming}
	if certificate != nil {
		rest = append(rest, o.redirect)
	}
	results := make([][]Result, len(rest))
	var all sync.WaitGroup
	for i, examine := range rest {
		all.Go(func() { results[i] = examine(ctx) })
	}
	all.Wait()
	for _, r := range results {
		found = append(found, r...)
	}
	return found
}

func (o outside) unreachable(err error) Result {
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return failure(o.id+".tls", fmt.Sprintf("The certificate of %s is not valid: %v.", o.url, cert.Err), "Renew or replace the certificate; see “A certificate is not renewed” in docs/operations.md.")
	}
	if errors.Is(err, errElsewhere) {
		return failure(o.id, fmt.Sprintf("%s is answered, but not by this site: %v.", o.url, err), fmt.Sprintf("Correct %s, the DNS records, or the proxy, which must forward all paths. The clocks of both machines must also agree within 15 minutes.", o.flag))
	}
	if _, dns := errors.AsType[*net.DNSError](err); dns {
		return failure(o.id, fmt.Sprintf("The name in %s cannot be resolved: %v.", o.url, err), "Create the DNS records, or correct "+o.flag+".")
	}
	return failure(o.id, fmt.Sprintf("%s cannot be reached from this machine: %v.", o.url, err), "Start the server and the proxy, and open the port in the firewall. If only this machine cannot reach the public address, run the command elsewhere.")
}

// client returns a client that follows no redirects and reuses no connections.
func (o outside) client() *http.Client {
	t := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: o.roots, MinVersion: tls.VersionTLS12},
		ExpectContinueTimeout: 3 * time.Second}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// send sends a probe with a new token.
func (o outside) send(ctx context.Context, method, query string, body io.Reader, size int64) (res *http.Response, proof string, err error) {
	req, err := http.NewRequestWithContext(ctx, method, o.url+ProbePath+query, body)
	if err != nil {
		return nil, "", err
	}
	token, proof := newToken(o.secret, o.now())
	req.Header.Set(probeHeader, token)
	req.Header.Set("X-Forwarded-For", forged)
	if body != nil {
		req.ContentLength = size
		req.Header.Set("Expect", "100-continue")
	}
	res, err = o.client().Do(req)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return res, proof, err
}

// ask returns this site's answer, and the certificate if the address has TLS.
func (o outside) ask(ctx context.Context) (a answer, certificate *x509.Certificate, err error) {
	res, proof, err := o.send(ctx, http.MethodGet, "", nil, 0)
	if err != nil {
		return a, nil, err
	}
	defer res.Body.Close()
	if res.TLS != nil {
		certificate = res.TLS.PeerCertificates[0]
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 16<<10)).Decode(&a); err != nil || a.Proof != proof {
		return a, nil, fmt.Errorf("%w (%s)", errElsewhere, res.Status)
	}
	return a, certificate, nil
}

// forwarded finds out whether the server learns the addresses of clients.
func (o outside) forwarded(a answer) Result {
	id := o.id + ".forwarded"
	proxied := !a.TLS && strings.HasPrefix(o.url, "https:") || a.Peer == "" || a.Forwarded != forged
	peer := a.Peer
	if peer == "" {
		peer = "the Unix socket"
	}
	switch {
	case !proxied:
		return ok(id, "Requests reach the server without a proxy.")
	case !a.Trusted:
		return failure(id, fmt.Sprintf("The proxy at %s is not one of --trusted-proxies, so all visitors share one address, and its limits.", peer),
			"Add "+peer+" to --trusted-proxies.")
	case a.Forwarded == "":
		return failure(id, "The proxy does not send X-Forwarded-For, so all visitors share one address, and its limits.",
			"Let the proxy set X-Forwarded-For to the address of its client; deploy/ has examples.")
	case a.Forwarded == forged:
		return failure(id, "The proxy passes on X-Forwarded-For as clients send it, so everyone can choose the address that limits count.",
			"Let the proxy replace X-Forwarded-For, or append the address of its client; deploy/ has examples.")
	}
	return ok(id, "The proxy at %s forwards the addresses of clients.", peer)
}

// certificate judges the time until a certificate expires by its lifetime, because some are valid for only a
// few days.
func (o outside) certificate(c *x509.Certificate) Result {
	id, left, lifetime := o.id+".tls", c.NotAfter.Sub(o.now()), c.NotAfter.Sub(c.NotBefore)
	text := fmt.Sprintf("The certificate of %s is valid until %s.", o.url, c.NotAfter.UTC().Format("2006-01-02 15:04 MST"))
	const remedy = "See “A certificate is not renewed” in docs/operations.md."
	switch {
	case left < lifetime/20:
		return failure(id, text, remedy)
	case left < lifetime/5:
		return warning(id, text, remedy)
	}
	return ok(id, "%s", text)
}

// errAccepted is the error of a body that is not sent.
var errAccepted = errors.New("the size was accepted")

// unsent is a body that ends the request as soon as the other side accepts it.
type unsent struct{}

func (unsent) Read([]byte) (int, error) { return 0, errAccepted }

// bodies finds out whether a proxy refuses bodies that the server accepts. It announces their sizes
// (Expect: 100-continue), and sends none of them.
func (o outside) bodies(ctx context.Context) (found []Result) {
	for _, size := range []struct {
		id, flag string
		bytes    int64
	}{{".body", "--body-limit", o.body}, {".upload", "--upload-limit", o.upload}} {
		text := domain.FormatBytes(size.bytes)
		res, _, err := o.send(ctx, http.MethodPost, "", unsent{}, size.bytes)
		switch {
		case errors.Is(err, errAccepted):
			found = append(found, ok(o.id+size.id, "Requests of %s pass.", text))
		case err != nil:
			found = append(found, warning(o.id+size.id, fmt.Sprintf("A request of %s failed: %v.", text, err), "Find out in the log of the proxy why."))
		default:
			_ = res.Body.Close()
			if res.StatusCode == http.StatusRequestEntityTooLarge {
				found = append(found, failure(o.id+size.id, fmt.Sprintf("The proxy refuses requests of %s, which %s allows.", text, size.flag),
					"Raise the proxy's limit (nginx: client_max_body_size), or lower "+size.flag+"."))
			} else {
				found = append(found, ok(o.id+size.id, "Requests of %s pass.", text))
			}
		}
	}
	return found
}

// streaming finds out whether a proxy holds back the beginning of a response until its end, as then pages
// would not update.
func (o outside) streaming(ctx context.Context) []Result {
	id := o.id + ".streaming"
	broken := func(why string) []Result {
		return []Result{warning(id, why, "Turn off buffering in the proxy (nginx: proxy_buffering off, or let it honour X-Accel-Buffering).")}
	}
	res, _, err := o.send(ctx, http.MethodGet, "?"+streamQuery, nil, 0)
	if err != nil {
		return broken(fmt.Sprintf("A streamed response failed: %v.", err))
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(io.LimitReader(res.Body, 4<<10))
	var first, second time.Time
	for lines.Scan() {
		switch lines.Text() {
		case "data: first":
			first = time.Now()
		case "data: second":
			second = time.Now()
		}
	}
	switch {
	case first.IsZero() || second.IsZero():
		return broken("A streamed response arrived incomplete.")
	case second.Sub(first) < streamPause/2:
		return broken("Streamed responses arrive only when they are complete, so open pages do not update.")
	}
	return []Result{ok(id, "Streamed responses arrive in parts.")}
}

// redirect finds out whether http:// leads to https://.
func (o outside) redirect(ctx context.Context) []Result {
	id := o.id + ".redirect"
	u, err := url.Parse(o.url)
	if err != nil || u.Port() != "" && o.plainPort == "80" {
		return nil // another port has no counterpart
	}
	host := u.Hostname()
	plain := "http://" + host + "/"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, o.plainPort)+"/", nil)
	if err != nil {
		return nil
	}
	res, err := o.client().Do(req)
	if err != nil {
		return []Result{ok(id, "%s does not answer, so nothing is sent unencrypted.", plain)}
	}
	_ = res.Body.Close()
	to, err := res.Location()
	if err == nil && to.Scheme == "https" {
		return []Result{ok(id, "%s leads to https://.", plain)}
	}
	return []Result{warning(id, fmt.Sprintf("%s does not lead to https:// (%s).", plain, res.Status), "Let the proxy redirect http:// to https://.")}
}
