package obs

import "github.com/prometheus/client_golang/prometheus"

// Cache holds the measurements of a cache.
type Cache struct {
	Hits, Misses int64 // since the process began
	Bytes        int64 // in use now
}

// WatchCache adds metrics of the cache of encoded blocks and connections, read from of at each
// scrape.
func (m *Metrics) WatchCache(of func() Cache) {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(namespace+"_cache_"+name, help, nil, nil)
	}
	m.registry.MustRegister(cacheWatch{of,
		desc("hits_total", "Blocks and connections found in the cache."),
		desc("misses_total", "Blocks and connections that were not in the cache, or out of date."),
		desc("bytes", "Memory used by the cache.")})
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
