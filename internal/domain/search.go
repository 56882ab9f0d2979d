package domain

import (
	"slices"
	"time"
)

// SearchKey is a sort key of search results.
type SearchKey int

// The sort keys of search results. SearchByScore puts names that equal the query first, then names
// that contain it, each newest first.
const (
	SearchByScore SearchKey = iota
	SearchByCreated
	SearchByUpdated
	SearchByName
	SearchByConnections
	SearchByChance
	SearchByAdded // last addition; only lists of the channels of one owner have it
	SearchByValue // of a metadata key; things without the key are left out
)

// SearchSort is a sort order of search results.
type SearchSort struct {
	Key   SearchKey
	Desc  bool
	Value string // the metadata key of SearchByValue
}

// SearchScope limits a search by the relation to the searching user.
type SearchScope string

// The scopes: everything, the user's own items, and items by followed users or in followed
// channels.
const (
	SearchAll       SearchScope = "all"
	SearchMine      SearchScope = "my"
	SearchFollowing SearchScope = "following"
)

// Search is a search query with filters. Zero values do not filter.
type Search struct {
	Query      string
	Where      []string // conditions on metadata, such as year>=1970
	Types      []string // types of items and of blocks, as in Subject and Block
	Scope      SearchScope
	Author     UserID
	Group      GroupID
	Channel    ChannelID
	Extensions []string  // of images and attachments
	After      time.Time // of the last change
	From       time.Time // of the creation
	Before     time.Time // of the creation
	AlsoIn     ChannelID // a second channel
	Commented  bool
	Sort       SearchSort
	Seed       int64
	Page       Page
}

// BlockTypes lists the types of blocks, including pending ones.
var BlockTypes = []string{string(TextBlock), string(ImageBlock), string(LinkBlock), string(AttachmentBlock),
	string(EmbedBlock), string(PendingBlock)}

// FileExtensions lists the extensions that a search can filter by.
var FileExtensions = []string{
	"aac", "ai", "aiff", "avi", "avif", "bmp", "csv", "doc", "docx", "eps", "epub", "fla", "gif",
	"h264", "heic", "heif", "ind", "indd", "jpeg", "jpg", "key", "kml", "kmz", "latex", "m4a", "ma",
	"mb", "mid", "midi", "mov", "mp3", "mp4", "mp4v", "mpeg", "mpg", "mpg4", "numbers", "oga",
	"ogg", "ogv", "otf", "pages", "pdf", "pgp", "png", "ppt", "pptx", "psd", "svg", "swa", "swf",
	"tex", "texi", "texinfo", "tfm", "tif", "tiff", "torrent", "ttc", "ttf", "txt", "wav", "webm",
	"webp", "wma", "xls", "xlsx", "xlt",
}

// Validate checks everything except the number of words in the query.
func (s Search) Validate() error {
	var f Faults
	f.Text("query", s.Query, MaxSearchQuery)
	if len(s.Where) > 0 {
		f.Count("metadata", len(s.Where), MaxConditions)
	}
	for _, condition := range s.Where {
		f.Text("metadata", condition, MaxCondition)
	}
	for _, t := range s.Types {
		if !slices.Contains(BlockTypes, t) && t != string(SubjectChannel) && t != string(SubjectUser) && t != string(SubjectGroup) {
			f.Add("type", FieldUnknown, "names no kind of thing that can be found")
		}
	}
	if s.Scope != "" {
		Among(&f, "scope", s.Scope, SearchAll, SearchMine, SearchFollowing)
	}
	f.OptionalID("user_id", int64(s.Author))
	f.OptionalID("group_id", int64(s.Group))
	f.OptionalID("channel_id", int64(s.Channel))
	for _, e := range s.Extensions {
		if !slices.Contains(FileExtensions, e) {
			f.Add("ext", FieldUnknown, "names no file name extension that can be searched for")
		}
	}
	if s.Sort.Key != SearchByValue || !validMetadataKey(s.Sort.Value) {
		f.Sort(int(s.Sort.Key), int(SearchByChance))
	}
	return JoinFaults(f.Err(), s.Page.Validate())
}

// CanSearch reports whether the actor's tier includes search.
func CanSearch(a Actor) bool {
	return a.SignedIn() && (a.Tier == TierPremium || a.Tier == TierSupporter)
}

// SavedSearchID identifies a saved search.
type SavedSearchID int64

// SavedSearch is a search that a user follows: a query with its operators, and whether it is limited to followed users
// and channels.
type SavedSearch struct {
	ID        SavedSearchID
	User      UserID
	Name      string
	Query     string
	Following bool
	Notify    bool  // new results are notifications
	Mail      bool  // new results are mailed
	ReadTo    int64 // the number of the last document that was checked
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Search returns the search, newest results first.
func (s SavedSearch) Search(page Page) Search {
	in := Search{Query: s.Query, Sort: SearchSort{Key: SearchByCreated, Desc: true}, Page: page}
	if s.Following {
		in.Scope = SearchFollowing
	}
	return in
}

// SearchFindID identifies a SearchFind. IDs increase with time.
type SearchFindID int64

// SearchFindCursor is the place of an entry in a list of them, newest first.
type SearchFindCursor struct {
	FoundAt int64 // microseconds
	ID      SearchFindID
}

// SearchFind is an entry with new results of a saved search.
type SearchFind struct {
	ID      SearchFindID
	Search  SavedSearch
	FoundAt time.Time
	More    bool // there were more results than the stored ones
	Notify  bool
	Read    bool
	Results []Subject // newest first
}
