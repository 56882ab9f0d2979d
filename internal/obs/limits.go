package obs

import "github.com/prometheus/client_golang/prometheus"

// Limits holds the measurements of rate limits that are shared by all servers.
type Limits struct {
	Counted, Alone int64 // requests since the process started, counted by Redis or locally
	Away           bool  // Redis is not reachable
}

// WatchLimits adds metrics of the shared rate limits, read from of at each scrape.
func (m *Metrics) WatchLimits(of func() Limits) {
	value := func(name, help string, kind func(prometheus.CounterOpts, func() float64) prometheus.Collector, get func(l Limits) float64) {
		m.registry.MustRegister(kind(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, func() float64 { return get(of()) }))
	}
	counter := func(o prometheus.CounterOpts, get func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(o, get)
	}
	gauge := func(o prometheus.CounterOpts, get func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts(o), get)
	}
	value("shared_limits_counted_total", "Requests counted by Redis for all servers.", counter, func(l Limits) float64 { return float64(l.Counted) })
	value("shared_limits_alone_total", "Requests that this server counted locally because Redis did not answer.", counter, func(l Limits) float64 { return float64(l.Alone) })
	value("redis_up", "1 if Redis answers, 0 while each server counts requests locally.", gauge, func(l Limits) float64 {
		if l.Away {
			return 0
		}
		return 1
	})
}
