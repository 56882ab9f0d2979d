package obs

import "github.com/prometheus/client_golang/prometheus"

// Cache is what is measured of a cache.
type Cache struct {
	Hits, Misses int64 // since the process began
	Bytes        int64 // that it takes now
}

// WatchCache adds what of gives of the cache of encoded blocks and connections whenever the
// metrics are read.
func (m *Metrics) WatchCache(of func() Cache) {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(namespace+"_cache_"+name, help, nil, nil)
	}
	m.registry.MustRegister(cacheWatch{of,
		desc("hits_total", "Blocks and connections that were in the cache in the state that was to be sent."),
		desc("misses_total", "Blocks and connections that were looked for in the cache and were not there, or in another state."),
		desc("bytes", "Memory that the cache takes.")})
}

// cacheWatch implements prometheus.Collector.
type cacheWatch struct {
	of                  func() Cache
	hits, misses, bytes *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (w cacheWatch) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{w.hits, w.misses, w.bytes} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (w cacheWatch) Collect(metrics chan<- prometheus.Metric) {
	c := w.of()
	metrics <- prometheus.MustNewConstMetric(w.hits, prometheus.CounterValue, float64(c.Hits))
	metrics <- prometheus.MustNewConstMetric(w.misses, prometheus.CounterValue, float64(c.Misses))
	metrics <- prometheus.MustNewConstMetric(w.bytes, prometheus.GaugeValue, float64(c.Bytes))
}
