package obs

import "github.com/prometheus/client_golang/prometheus"

// Limits are what is measured of rate limits that hold over all servers.
type Limits struct {
	Counted, Alone int64 // requests since the process began, by Redis and without it
	Away           bool  // Redis does not answer
}

// WatchLimits adds what of gives of shared rate limits whenever the metrics are read.
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
	value("shared_limits_counted_total", "Requests that were counted over all servers.", counter, func(l Limits) float64 { return float64(l.Counted) })
	value("shared_limits_alone_total", "Requests that this server counted by itself, since Redis did not answer.", counter, func(l Limits) float64 { return float64(l.Alone) })
	value("redis_up", "Whether Redis answers: 1, or 0 while each server limits requests by itself.", gauge, func(l Limits) float64 {
		if l.Away {
			return 0
		}
		return 1
	})
}
