package doctor

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine/internal/middleware"
)

// ProbePath is the address at which a server answers probes. Requests without a valid token get a fixed
// answer.
const ProbePath = "/.well-known/vitrine-doctor"

const (
	probeHeader = "X-Vitrine-Doctor"
	streamQuery = "stream"

	// probeValid is how long a token is valid, and how far the clocks of two machines may differ.
	probeValid = 15 * time.Minute
	// maxSeen limits the tokens that are remembered. Further probes are refused.
	maxSeen = 2000
	// secretFor is how long the key is cached, so that strangers cannot cause statements.
	secretFor = 10 * time.Second
	// streamPause is the time between the two parts of a streamed answer.
	streamPause = 1200 * time.Millisecond
)

// answer is a server's response to a probe: how the request arrived.
type answer struct {
	Proof     string    `json:"proof"`
	Now       time.Time `json:"now"`
	Node      string    `json:"node"`
	Peer      string    `json:"peer"`      // the address that connected; "" on a Unix socket
	Trusted   bool      `json:"trusted"`   // the peer is one of --trusted-proxies
	Client    string    `json:"client"`    // the client's address, from which limits are counted
	Forwarded string    `json:"forwarded"` // X-Forwarded-For as it arrived
	TLS       bool      `json:"tls"`       // the server itself terminates TLS
}

// sign returns the token of a probe, or the proof of its answer. The key is derived from the secret, so that
// it is useless for anything else.
func sign(secret, purpose, text string) string {
	key := hmac.New(sha256.New, []byte(secret))
	key.Write([]byte("vitrine doctor"))
	mac := hmac.New(sha256.New, key.Sum(nil))
	mac.Write([]byte(purpose + "\x00" + text))
	return hex.EncodeToString(mac.Sum(nil))
}

// newToken returns a token for one request, and the proof that its answer must contain.
func newToken(secret string, now time.Time) (token, proof string) {
	text := strconv.FormatInt(now.Unix(), 10) + "." + rand.Text()
	return text + "." + sign(secret, "token", text), sign(secret, "proof", text)
}

// Probes answers the probes of doctors that can read the same database.
type Probes struct {
	secret  func(ctx context.Context) (string, error)
	trusted []netip.Prefix
	node    string
	now     func() time.Time

	reading sync.Mutex
	known   string    // the cached secret; "" if it could not be read
	at      time.Time // when it was read

	mu   sync.Mutex
	seen map[string]time.Time
}

// NewProbes returns the handler of ProbePath. secret reads a secret that is the same for all servers of a
// database.
func NewProbes(secret func(ctx context.Context) (string, error), trusted []netip.Prefix, node string, now func() time.Time) *Probes {
	return &Probes{secret: secret, trusted: trusted, node: node, now: now, seen: map[string]time.Time{}}
}

// ServeHTTP implements http.Handler. It does not read bodies: whether a proxy accepts a size is known before
// that.
func (p *Probes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	proof, ok := p.accept(r)
	if !ok {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("not found\n"))
		return
	}
	if r.URL.RawQuery == streamQuery {
		stream(w, r)
		return
	}
	a := answer{Proof: proof, Now: p.now(), Node: p.node, Forwarded: strings.Join(r.Header.Values("X-Forwarded-For"), ", "), TLS: r.TLS != nil}
	if len(a.Forwarded) > 500 {
		a.Forwarded = a.Forwarded[:500]
	}
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		ip := peer.Addr().Unmap().WithZone("")
		a.Peer = ip.String()
		for _, prefix := range p.trusted {
			a.Trusted = a.Trusted || prefix.Contains(ip)
		}
	} else { // on a Unix socket, which only proxies can use
		a.Trusted = true
	}
	if client := middleware.From(r.Context()).ClientIP; client.IsValid() {
		a.Client = client.String()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(a)
}

// stream sends two events with a pause in between.
func stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // as the streams of pages do
	_, _ = w.Write([]byte("data: first\n\n"))
	_ = http.NewResponseController(w).Flush()
	select {
	case <-r.Context().Done():
	case <-time.After(streamPause):
		_, _ = w.Write([]byte("data: second\n\n"))
	}
}

// accept returns the proof for a request with a valid token that was not used before at this server.
func (p *Probes) accept(r *http.Request) (proof string, ok bool) {
	token := r.Header.Get(probeHeader)
	parts := strings.Split(token, ".")
	if len(token) > 200 || len(parts) != 3 || len(parts[2]) != 2*sha256.Size {
		return "", false
	}
	issued, err := strconv.ParseInt(parts[0], 10, 64)
	now := p.now()
	if err != nil || now.Sub(time.Unix(issued, 0)).Abs() > probeValid {
		return "", false
	}
	secret := p.current(r.Context(), now)
	text := parts[0] + "." + parts[1]
	if secret == "" || !hmac.Equal([]byte(sign(secret, "token", text)), []byte(parts[2])) {
		return "", false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for old, at := range p.seen {
		if now.Sub(at) > 2*probeValid {
			delete(p.seen, old)
		}
	}
	if _, used := p.seen[text]; used || len(p.seen) >= maxSeen {
		return "", false
	}
	p.seen[text] = now
	return sign(secret, "proof", text), true
}

// current returns the secret, which it reads at most once per secretFor, even if that fails. Requests that arrive during
// this time wait for it.
func (p *Probes) current(ctx context.Context, now time.Time) string {
	p.reading.Lock()
	defer p.reading.Unlock()
	if !p.at.IsZero() && now.Sub(p.at).Abs() < secretFor {
		return p.known
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // also for the others if this client leaves
	defer cancel()
	if secret, err := p.secret(ctx); err == nil {
		p.known = secret
	}
	p.at = now
	return p.known
}
