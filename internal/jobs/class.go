package jobs

import (
	"strconv"
	"strings"

	"github.com/riverqueue/river"
)

// Class is a group of job kinds with separate workers, so that they do not wait for jobs of other
// classes.
type Class string

// Classed is implemented by arguments of jobs whose class is not Bulk.
type Classed interface {
	Args
	Class() Class
}

// The job classes.
const (
	Mail     Class = "mail"     // a user is waiting
	Content  Class = "content"  // processes blocks: waits for remote servers, takes seconds
	Export   Class = "export"   // exports of whole accounts: may take hours
	Snapshot Class = "snapshot" // copies of pages: many requests and much memory
	Bulk     Class = "bulk"     // slow work: batches and cleanup
)

// classes lists all classes in display order.
var classes = []Class{Mail, Content, Export, Snapshot, Bulk}

// classNames are the names of their producers.
var classNames = []string{string(Mail), string(Content), string(Export), string(Snapshot), string(Bulk)}

// drainClass represents all classes in a draining client.
const drainClass Class = river.QueueDefault

// workers returns the number of concurrent jobs of a class in a process. It is at least two, because one
// owner may use only half of the workers. In Bulk, cleanup jobs may use two.
func (c Class) workers(concurrency int) int {
	switch c {
	case Content:
		return max(concurrency, 2)
	case Bulk:
		return 3
	}
	return 2
}

// legacyQueue is the queue of versions without classes. Class Content works it, because most of its jobs
// belong to that class.
const legacyQueue = river.QueueDefault

// In the database, the queue of a job is named after its class and owner, such as "content_7", or "bulk_0"
// without an owner. So the index that River uses for fetching also finds the owners with waiting jobs and
// the oldest job of each owner.

// queueOf returns the queue of an owner, or of jobs without an owner for 0.
func (c Class) queueOf(owner int64) string { return string(c) + "_" + strconv.FormatInt(owner, 10) }

// unlimited reports whether the jobs of a queue may use all workers: those without an owner, except in
// Bulk, where some run for minutes.
func unlimited(queue string) bool {
	return strings.HasSuffix(queue, "_0") && classOf(queue) != Bulk
}

// classOf returns the class that works a queue.
func classOf(queue string) Class {
	if queue == legacyQueue {
		return Content
	}
	class, _, _ := strings.Cut(queue, "_")
	return Class(class)
}

// span is a range of queue names, above low and below high. It does not depend on how the database
// collates letters and digits.
type span struct{ low, high string }

// spans returns the ranges of queues that a class works.
func (c Class) spans() (all []span) {
	if c == drainClass {
		for _, c := range classes {
			all = append(all, c.spans()...)
		}
		return all
	}
	all = append(all, span{string(c), string(c) + "a"}) // digits and "_" sort before letters
	if c == Content {
		all = append(all, span{"defaul", "defaulu"}) // legacyQueue
	}
	return all
}

// For sets the owner of a job. In each class an owner may use at most half of the workers of a process,
// and owners take turns.
func For(owner int64) Option {
	return func(o *river.InsertOpts) { o.Queue = classOf(o.Queue).queueOf(owner) }
}

// classed returns the default options for job arguments.
func classed(args Args) river.InsertOpts {
	class := Bulk
	if c, ok := args.(Classed); ok {
		class = c.Class()
	}
	return river.InsertOpts{Queue: class.queueOf(0)}
}
