package main

import (
	"context"
	"fmt"

	"vitrine/bench/drive"
)

// subject is a kind of request to measure.
type subject struct {
	name    string
	clients int // 0 means the flag's value
	status  int // expected status
	// round returns the requests of a round. A subject that only reads repeats them; one that writes sends each once.
	round func() ([]drive.Request, error)
	// after undoes a round of writes from its responses; nil for reads.
	after func(bodies [][]byte) error
}

// fixed returns a constant round.
func fixed(all ...drive.Request) func() ([]drive.Request, error) {
	return func() ([]drive.Request, error) { return all, nil }
}

// group is a number of subjects that are measured in turn. If there are several, all are compared with the subject at
// the index `against`.
type group struct {
	subjects []subject
	against  int
}

// score is the result for one subject.
type score struct {
	name          string
	clients       int
	bare, vitrine []drive.Speed // by round
	bytes         int           // of the first body
}

// contest measures a group: in each round every subject, at Vitrine and at the bare handler, in alternating order, so
// that disturbances affect all alike. The first round warms up.
func (b *bench) contest(ctx context.Context, g group) ([]score, error) {
	scores, answers := make([]score, len(g.subjects)), make([]map[string]drive.Answer, len(g.subjects))
	for i, s := range g.subjects {
		scores[i] = score{name: s.name, clients: b.clients(s)}
		var err error
		if answers[i], err = b.rehearse(s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		scores[i].bytes = len(answers[i][""].Body)
	}
	for r := range b.rounds + 1 {
		for i, s := range g.subjects {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			bare, vitrine, err := b.pair(s, answers[i], r%2 == 0)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			if r > 0 {
				scores[i].bare, scores[i].vitrine = append(scores[i].bare, bare), append(scores[i].vitrine, vitrine)
			}
		}
	}
	return scores, nil
}

func (b *bench) clients(s subject) int {
	if s.clients > 0 {
		return s.clients
	}
	return b.workers
}

// dialer returns a function that creates clients of the requested kind.
func (b *bench) dialer(addr string) func() (drive.Sender, error) {
	return func() (drive.Sender, error) {
		if b.netHTTP {
			return drive.NewNetHTTP(addr), nil
		}
		return drive.Dial(addr)
	}
}

// rehearse records the answers for the bare handler: by path, and the first one also under "".
func (b *bench) rehearse(s subject) (map[string]drive.Answer, error) {
	requests, err := s.round()
	if err != nil {
		return nil, err
	}
	if s.after != nil {
		requests = requests[:1]
	}
	answers := map[string]drive.Answer{}
	for i, r := range requests {
		a, err := drive.Record(b.addr, r)
		if err != nil || a.Status != s.status {
			return nil, fmt.Errorf("%s %s: status %d, want %d: %s (%v)", r.Method, r.Path, a.Status, s.status, a.Body, err)
		}
		answers[r.Path] = a
		if i == 0 {
			answers[""] = a
		}
	}
	if s.after != nil {
		err = s.after([][]byte{answers[""].Body})
	}
	return answers, err
}

// pair measures a subject at both servers.
func (b *bench) pair(s subject, answers map[string]drive.Answer, bareFirst bool) (bare, vitrine drive.Speed, err error) {
	requests, err := s.round()
	if err != nil {
		return bare, vitrine, err
	}
	all := make([]drive.Prepared, len(requests))
	for i, r := range requests {
		all[i] = r.For(b.addr)
	}
	limit := drive.Bound{Requests: b.requests, Time: b.time}
	if s.after != nil {
		limit.Requests = len(requests)
	}
	b.bare.Know(answers)
	measureBare := func() (err error) {
		if !b.skipBare {
			bare, _, err = drive.Measure(b.dialer(b.bareAddr), b.clients(s), all, s.status, limit, false)
		}
		return err
	}
	if bareFirst {
		err = measureBare()
	}
	if err != nil {
		return bare, vitrine, err
	}
	vitrine, bodies, err := drive.Measure(b.dialer(b.addr), b.clients(s), all, s.status, limit, s.after != nil)
	if err == nil && s.after != nil {
		err = s.after(bodies)
	}
	if err == nil && !bareFirst {
		err = measureBare()
	}
	return bare, vitrine, err
}
