package jobs

import (
	"strconv"
	"strings"

	"github.com/riverqueue/river"
)

// Class is a kind of jobs that have workers of their own, so that they wait for none of
// another class.
type Class string

// Classed are arguments of another class than Bulk.
type Classed interface {
	Args
	Class() Class
}

// The classes.
const (
	Mail    Class = "mail"    // somebody waits for it
	Content Class = "content" // of blocks: waits for strangers' servers, and works for seconds
	Export  Class = "export"  // of all that is somebody's: may take hours
	Bulk    Class = "bulk"    // all that takes its time: batches, and what is tidied up
)

// classes are all of them, in the order in which an operator is told of them.
var classes = []Class{Mail, Content, Export, Bulk}

// drained stands for all classes, in a client that drains.
const drained Class = river.QueueDefault

// workers is how many jobs of a class a process works at once. One owner may have half
// of them, so there are never fewer than two; of Bulk, what is tidied up may have two.
func (c Class) workers(concurrency int) int {
	switch c {
	case Content:
		return max(concurrency, 2)
	case Bulk:
		return 3
	}
	return 2
}

// legacyQueue is where versions before there were classes enqueued everything. Content
// works it: most of what is left there is that.
const legacyQueue = river.QueueDefault

// In the database a job's queue is its class and its owner: "content_7", "bulk_0" for
// nobody's. So the index along which River fetches also has the owners that wait, one
// after the other, and the oldest job of each.

// queueOf names the queue of an owner; 0 is nobody.
func (c Class) queueOf(owner int64) string { return string(c) + "_" + strconv.FormatInt(owner, 10) }

// unlimited reports whether the jobs of a queue may have all workers: those of no owner,
// but for Bulk, where some run for minutes.
func unlimited(queue string) bool {
	return strings.HasSuffix(queue, "_0") && classOf(queue) != Bulk
}

// classOf is the class that works a queue.
func classOf(queue string) Class {
	if queue == legacyQueue {
		return Content
	}
	class, _, _ := strings.Cut(queue, "_")
	return Class(class)
}

// span holds names of queues: those above low and below high, in whatever order of
// letters and digits a database has.
type span struct{ low, high string }

// spans are those of the queues that a class works.
func (c Class) spans() (all []span) {
	if c == drained {
		for _, c := range classes {
			all = append(all, c.spans()...)
		}
		return all
	}
	all = append(all, span{string(c), string(c) + "a"}) // a digit or "_" comes before any letter
	if c == Content {
		all = append(all, span{"defaul", "defaulu"}) // legacyQueue
	}
	return all
}

// For says whose job it is: of each class one owner has at most half of the workers of a
// process, and of many owners each gets a turn.
func For(owner int64) Option {
	return func(o *river.InsertOpts) { o.Queue = classOf(o.Queue).queueOf(owner) }
}

// classed gives the options that come with the arguments of a job.
func classed(args Args) river.InsertOpts {
	class := Bulk
	if c, ok := args.(Classed); ok {
		class = c.Class()
	}
	return river.InsertOpts{Queue: class.queueOf(0)}
}
