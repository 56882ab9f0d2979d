// Code generated from api/v3.yaml by internal/oas/clients. DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
	"vitrine/client/internal/rest"
)

// Activity is an activity in the feed.
type Activity struct {
	Actor     ActivityActor `json:"actor"`
	CreatedAt time.Time     `json:"created_at"`
	ID        int64         `json:"id"`
	// The item of the activity, such as the added block.
	Item *ActivitySubject `json:"item"`
	Kind ActivityKind     `json:"kind"`
	// The context, such as a channel that contains the commented block.
	Parent *ActivitySubject `json:"parent"`
	// The target, such as the channel that the block was added to.
	Target *ActivitySubject `json:"target"`
	Type   string           `json:"type"`
}

// ActivityActor is the user who did it.
type ActivityActor struct {
	Type          string // of the variant
	EmbeddedUser  *EmbeddedUser
	EmbeddedGroup *EmbeddedGroup
}

// UnmarshalJSON decodes the variant that the field "type" names. A variant of a later version sets only Type.
func (u *ActivityActor) UnmarshalJSON(data []byte) (err error) {
	if u.Type, err = rest.TypeOf(data); err != nil {
		return err
	}
	switch u.Type {
	case "User":
		return json.Unmarshal(data, &u.EmbeddedUser)
	case "Group":
		return json.Unmarshal(data, &u.EmbeddedGroup)
	}
	return nil
}

// MarshalJSON encodes the variant.
func (u ActivityActor) MarshalJSON() ([]byte, error) {
	switch {
	case u.EmbeddedUser != nil:
		return json.Marshal(u.EmbeddedUser)
	case u.EmbeddedGroup != nil:
		return json.Marshal(u.EmbeddedGroup)
	}
	return []byte("null"), nil
}

// ActivityKind is the kind of activity.
type ActivityKind string

// The values of ActivityKind.
const (
	ActivityKindFollowedUser                    ActivityKind = "followed_user"
	ActivityKindFollowedChannel                 ActivityKind = "followed_channel"
	ActivityKindFollowedGroup                   ActivityKind = "followed_group"
	ActivityKindAddedBlockToChannel             ActivityKind = "added_block_to_channel"
	ActivityKindAddedChannelToChannel           ActivityKind = "added_channel_to_channel"
	ActivityKindCreatedChannel                  ActivityKind = "created_channel"
	ActivityKindCollaboratingWithUserOnChannel  ActivityKind = "collaborating_with_user_on_channel"
	ActivityKindCollaboratingWithGroupOnChannel ActivityKind = "collaborating_with_group_on_channel"
	ActivityKindCommentedOnBlock                ActivityKind = "commented_on_block"
	ActivityKindMentionedYou                    ActivityKind = "mentioned_you"
	ActivityKindAddedUserToGroup                ActivityKind = "added_user_to_group"
)

// ActivitySubject is a resource in an activity.
type ActivitySubject struct {
	Type          string // of the variant
	EmbeddedUser  *EmbeddedUser
	EmbeddedGroup *EmbeddedGroup
	Channel       *Channel
	Block         *Block
	Comment       *Comment
}

// UnmarshalJSON decodes the variant that the field "type" names. A variant of a later version sets only Type.
func (u *ActivitySubject) UnmarshalJSON(data []byte) (err error) {
	if u.Type, err = rest.TypeOf(data); err != nil {
		return err
	}
	switch u.Type {
	case "User":
		return json.Unmarshal(data, &u.EmbeddedUser)
	case "Group":
		return json.Unmarshal(data, &u.EmbeddedGroup)
	case "Channel":
		return json.Unmarshal(data, &u.Channel)
	case "Text", "Image", "Link", "Attachment", "Embed", "PendingBlock":
		return json.Unmarshal(data, &u.Block)
	case "Comment":
		return json.Unmarshal(data, &u.Comment)
	}
	return nil
}

// MarshalJSON encodes the variant.
func (u ActivitySubject) MarshalJSON() ([]byte, error) {
	switch {
	case u.EmbeddedUser != nil:
		return json.Marshal(u.EmbeddedUser)
	case u.EmbeddedGroup != nil:
		return json.Marshal(u.EmbeddedGroup)
	case u.Channel != nil:
		return json.Marshal(u.Channel)
	case u.Block != nil:
		return json.Marshal(u.Block)
	case u.Comment != nil:
		return json.Marshal(u.Comment)
	}
	return []byte("null"), nil
}

// BatchCreateBlocksRequest is the body of BatchCreateBlocks.
type BatchCreateBlocksRequest struct {
	Blocks     []BlockInput `json:"blocks"`
	ChannelIDs []Ref        `json:"channel_ids,omitzero"`
	Channels   []ConnectTo  `json:"channels,omitzero"`
}

// BatchResponse is an accepted batch.
type BatchResponse struct {
	BatchID string `json:"batch_id"`
	Status  string `json:"status"`
	// Blocks to create.
	Total int64 `json:"total"`
}

// BatchStatus is the progress of a batch.
type BatchStatus struct {
	BatchID     string     `json:"batch_id"`
	CompletedAt *time.Time `json:"completed_at,omitzero"`
	CreatedAt   *time.Time `json:"created_at,omitzero"`
	// Why the batch failed as a whole.
	Error       *string             `json:"error,omitzero"`
	Failed      []BatchStatusFailed `json:"failed,omitzero"`
	FailedCount int64               `json:"failed_count"`
	// `completed` if every block was tried, `failed` if processing stopped before the end.
	Status          string                  `json:"status"`
	Successful      []BatchStatusSuccessful `json:"successful,omitzero"`
	SuccessfulCount int64                   `json:"successful_count"`
	Total           int64                   `json:"total"`
}

// BatchStatusFailed is a part of requests and responses.
type BatchStatusFailed struct {
	Error string `json:"error"`
	// Index in the request, from 0.
	Index int64 `json:"index"`
}

// BatchStatusSuccessful is a part of requests and responses.
type BatchStatusSuccessful struct {
	BlockID int64 `json:"block_id"`
	// Index in the request, from 0.
	Index int64 `json:"index"`
}

// Block is a piece of content.
type Block struct {
	Links      map[string]Link  `json:"_links"`
	Attachment *BlockAttachment `json:"attachment,omitzero"`
	BaseType   string           `json:"base_type"`
	// What this viewer may do; only on a full block.
	Can          *BlockAbilities `json:"can,omitzero"`
	CommentCount int64           `json:"comment_count"`
	// The connection of the block to the channel; only in lists of a channel's contents.
	Connection  *EmbeddedConnection `json:"connection,omitzero"`
	Content     *MarkdownContent    `json:"content,omitzero"`
	CreatedAt   time.Time           `json:"created_at"`
	Description *MarkdownContent    `json:"description,omitzero"`
	Embed       *BlockEmbed         `json:"embed,omitzero"`
	ID          int64               `json:"id"`
	Image       *BlockImage         `json:"image,omitzero"`
	Metadata    map[string]any      `json:"metadata,omitzero"`
	// The source of the content.
	Source *BlockSource `json:"source,omitzero"`
	// `processing` until the content is known.
	State     BlockState   `json:"state"`
	Title     *string      `json:"title,omitzero"`
	Type      string       `json:"type"`
	UpdatedAt time.Time    `json:"updated_at"`
	User      EmbeddedUser `json:"user"`
	// Derived from the channels that contain the block: public, private, or orphan if no channel contains it.
	Visibility BlockVisibility `json:"visibility"`
}

// BlockAbilities: what the viewer may do with the block.
type BlockAbilities struct {
	Comment bool `json:"comment"`
	Connect bool `json:"connect"`
	Manage  bool `json:"manage"`
}

// BlockAttachment is a file.
type BlockAttachment struct {
	ContentType   *string    `json:"content_type,omitzero"`
	FileExtension *string    `json:"file_extension,omitzero"`
	FileSize      *int64     `json:"file_size,omitzero"`
	Filename      *string    `json:"filename,omitzero"`
	UpdatedAt     *time.Time `json:"updated_at,omitzero"`
	URL           string     `json:"url"`
}

// BlockEmbed: embedded media.
type BlockEmbed struct {
	AuthorName   *string `json:"author_name,omitzero"`
	AuthorURL    *string `json:"author_url,omitzero"`
	Height       *int64  `json:"height,omitzero"`
	HTML         *string `json:"html,omitzero"`
	SourceURL    *string `json:"source_url,omitzero"`
	ThumbnailURL *string `json:"thumbnail_url,omitzero"`
	Title        *string `json:"title,omitzero"`
	Type         *string `json:"type,omitzero"`
	URL          *string `json:"url,omitzero"`
	Width        *int64  `json:"width,omitzero"`
}

// BlockImage is an image and its resized versions.
type BlockImage struct {
	AltText     *string      `json:"alt_text,omitzero"`
	AspectRatio *float64     `json:"aspect_ratio,omitzero"`
	Blurhash    *string      `json:"blurhash,omitzero"`
	ContentType *string      `json:"content_type,omitzero"`
	FileSize    *int64       `json:"file_size,omitzero"`
	Filename    *string      `json:"filename,omitzero"`
	Height      *int64       `json:"height,omitzero"`
	Large       ImageVersion `json:"large"`
	Medium      ImageVersion `json:"medium"`
	Small       ImageVersion `json:"small"`
	Square      ImageVersion `json:"square"`
	Src         *string      `json:"src,omitzero"`
	UpdatedAt   *time.Time   `json:"updated_at,omitzero"`
	Width       *int64       `json:"width,omitzero"`
}

// BlockInput is a block to create.
type BlockInput struct {
	// Alternative text of the image, if the block gets one.
	AltText     *string        `json:"alt_text,omitzero"`
	Description *string        `json:"description,omitzero"`
	Metadata    map[string]any `json:"metadata,omitzero"`
	// Overrides the title of the detected source.
	OriginalSourceTitle *string `json:"original_source_title,omitzero"`
	// Overrides the detected source.
	OriginalSourceURL *string `json:"original_source_url,omitzero"`
	Title             *string `json:"title,omitzero"`
	// One absolute http(s) URL, or Markdown.
	Value string `json:"value"`
}

// BlockProvider is the site behind a source.
type BlockProvider struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// BlockSource is the source of a block's content.
type BlockSource struct {
	Provider *BlockProvider `json:"provider,omitzero"`
	Title    *string        `json:"title,omitzero"`
	URL      string         `json:"url"`
}

// BlockState is the state of processing.
type BlockState string

// The values of BlockState.
const (
	BlockStateProcessing BlockState = "processing"
	BlockStateAvailable  BlockState = "available"
	BlockStateFailed     BlockState = "failed"
)

// BlockVisibility: who may see a block.
type BlockVisibility string

// The values of BlockVisibility.
const (
	BlockVisibilityPublic  BlockVisibility = "public"
	BlockVisibilityPrivate BlockVisibility = "private"
	BlockVisibilityOrphan  BlockVisibility = "orphan"
)

// Channel is an ordered collection of blocks and channels.
type Channel struct {
	Links map[string]Link `json:"_links"`
	// What this viewer may do; only on a full channel.
	Can *ChannelAbilities `json:"can,omitzero"`
	// Users and groups who may add to the channel; only on a full channel.
	Collaborators []ChannelCollaborator `json:"collaborators,omitzero"`
	// The connection of the channel to the channel that contains it; only in lists of a channel's contents.
	Connection  *EmbeddedConnection `json:"connection,omitzero"`
	Counts      ChannelCounts       `json:"counts"`
	CreatedAt   time.Time           `json:"created_at"`
	Description *MarkdownContent    `json:"description,omitzero"`
	ID          int64               `json:"id"`
	Metadata    map[string]any      `json:"metadata,omitzero"`
	Owner       ChannelOwner        `json:"owner"`
	// Unique among channels; never all digits.
	Slug       string            `json:"slug"`
	State      ChannelState      `json:"state"`
	Title      string            `json:"title"`
	Type       string            `json:"type"`
	UpdatedAt  time.Time         `json:"updated_at"`
	Visibility ChannelVisibility `json:"visibility"`
}

// ChannelAbilities: what the viewer may do with the channel.
type ChannelAbilities struct {
	AddTo               bool `json:"add_to"`
	Destroy             bool `json:"destroy"`
	ManageCollaborators bool `json:"manage_collaborators"`
	Update              bool `json:"update"`
}

// ChannelCollaborator is a user or group who may add to a channel.
type ChannelCollaborator struct {
	Type          string // of the variant
	EmbeddedUser  *EmbeddedUser
	EmbeddedGroup *EmbeddedGroup
}

// UnmarshalJSON decodes the variant that the field "type" names. A variant of a later version sets only Type.
func (u *ChannelCollaborator) UnmarshalJSON(data []byte) (err error) {
	if u.Type, err = rest.TypeOf(data); err != nil {
		return err
	}
	switch u.Type {
	case "User":
		return json.Unmarshal(data, &u.EmbeddedUser)
	case "Group":
		return json.Unmarshal(data, &u.EmbeddedGroup)
	}
	return nil
}

// MarshalJSON encodes the variant.
func (u ChannelCollaborator) MarshalJSON() ([]byte, error) {
	switch {
	case u.EmbeddedUser != nil:
		return json.Marshal(u.EmbeddedUser)
	case u.EmbeddedGroup != nil:
		return json.Marshal(u.EmbeddedGroup)
	}
	return []byte("null"), nil
}

// ChannelContentSort: order of a channel's contents: `position` is the manual arrangement, `created_at` the
// time of connecting, `updated_at` the item's own time.
type ChannelContentSort string

// The values of ChannelContentSort.
const (
	ChannelContentSortPositionAsc   ChannelContentSort = "position_asc"
	ChannelContentSortPositionDesc  ChannelContentSort = "position_desc"
	ChannelContentSortCreatedAtAsc  ChannelContentSort = "created_at_asc"
	ChannelContentSortCreatedAtDesc ChannelContentSort = "created_at_desc"
	ChannelContentSortUpdatedAtAsc  ChannelContentSort = "updated_at_asc"
	ChannelContentSortUpdatedAtDesc ChannelContentSort = "updated_at_desc"
)

// ChannelCounts: counts of the channel's contents.
type ChannelCounts struct {
	// Blocks in the channel.
	Blocks int64 `json:"blocks"`
	// Channels in the channel.
	Channels      int64 `json:"channels"`
	Collaborators int64 `json:"collaborators"`
	// `blocks` + `channels`.
	Contents int64 `json:"contents"`
}

// ChannelListResponse is a page of channels.
type ChannelListResponse struct {
	Data []Channel      `json:"data"`
	Meta PaginationMeta `json:"meta"`
}

// ChannelOwner is a user or a group.
type ChannelOwner struct {
	Type          string // of the variant
	EmbeddedUser  *EmbeddedUser
	EmbeddedGroup *EmbeddedGroup
}

// UnmarshalJSON decodes the variant that the field "type" names. A variant of a later version sets only Type.
func (u *ChannelOwner) UnmarshalJSON(data []byte) (err error) {
	if u.Type, err = rest.TypeOf(data); err != nil {
		return err
	}
	switch u.Type {
	case "User":
		return json.Unmarshal(data, &u.EmbeddedUser)
	case "Group":
		return json.Unmarshal(data, &u.EmbeddedGroup)
	}
	return nil
}

// MarshalJSON encodes the variant.
func (u ChannelOwner) MarshalJSON() ([]byte, error) {
	switch {
	case u.EmbeddedUser != nil:
		return json.Marshal(u.EmbeddedUser)
	case u.EmbeddedGroup != nil:
		return json.Marshal(u.EmbeddedGroup)
	}
	return []byte("null"), nil
}

// ChannelOwnerInput is the new owner: you, or one of your groups.
type ChannelOwnerInput struct {
	ID   int64   `json:"id"`
	Type *string `json:"type,omitzero"`
}

// ChannelState: deleted channels answer 404.
type ChannelState string

// The values of ChannelState.
const (
	ChannelStateAvailable ChannelState = "available"
	ChannelStateDeleted   ChannelState = "deleted"
)

// ChannelVisibility: `public`: everyone can see it, and every user can add to it. `closed`: everyone can see
// it. `private`: only its owner and collaborators can see it. Only the owner and collaborators can add to
// closed and private channels.
type ChannelVisibility string

// The values of ChannelVisibility.
const (
	ChannelVisibilityPublic  ChannelVisibility = "public"
	ChannelVisibilityPrivate ChannelVisibility = "private"
	ChannelVisibilityClosed  ChannelVisibility = "closed"
)

// Comment is a comment on a block.
type Comment struct {
	Links     map[string]Link  `json:"_links"`
	Body      *MarkdownContent `json:"body,omitzero"`
	CreatedAt time.Time        `json:"created_at"`
	ID        int64            `json:"id"`
	Type      string           `json:"type"`
	UpdatedAt time.Time        `json:"updated_at"`
	User      EmbeddedUser     `json:"user"`
}

// CommentListResponse is a page of comments.
type CommentListResponse struct {
	Data []Comment      `json:"data"`
	Meta PaginationMeta `json:"meta"`
}

// ConnectTo is a channel to connect to, with position and metadata.
type ConnectTo struct {
	// Id or slug of a channel.
	ID       Ref            `json:"id"`
	Metadata map[string]any `json:"metadata,omitzero"`
	// The position to insert at, from 1; a position beyond the end means the top.
	Position *int64 `json:"position,omitzero"`
}

// Connectable is one of Block, Channel.
type Connectable struct {
	Type    string // of the variant
	Block   *Block
	Channel *Channel
}

// UnmarshalJSON decodes the variant that the field "type" names. A variant of a later version sets only Type.
func (u *Connectable) UnmarshalJSON(data []byte) (err error) {
	if u.Type, err = rest.TypeOf(data); err != nil {
		return err
	}
	switch u.Type {
	case "Text", "Image", "Link", "Attachment", "Embed", "PendingBlock":
		return json.Unmarshal(data, &u.Block)
	case "Channel":
		return json.Unmarshal(data, &u.Channel)
	}
	return nil
}

// MarshalJSON encodes the variant.
func (u Connectable) MarshalJSON() ([]byte, error) {
	switch {
	case u.Block != nil:
		return json.Marshal(u.Block)
	case u.Channel != nil:
		return json.Marshal(u.Channel)
	}
	return []byte("null"), nil
}

// ConnectableListResponse is a page of blocks and channels.
type ConnectableListResponse struct {
	Data []Connectable  `json:"data"`
	Meta PaginationMeta `json:"meta"`
}

// ConnectableType is the kind of an item that a channel can contain.
type ConnectableType string

// The values of ConnectableType.
const (
	ConnectableTypeBlock   ConnectableType = "Block"
	ConnectableTypeChannel ConnectableType = "Channel"
)

// Connection: one item in one channel.
type Connection struct {
	Links       map[string]Link     `json:"_links"`
	Can         ConnectionAbilities `json:"can"`
	ConnectedAt time.Time           `json:"connected_at"`
	// The user who connected the item.
	ConnectedBy *EmbeddedUser  `json:"connected_by"`
	ID          int64          `json:"id"`
	Metadata    map[string]any `json:"metadata,omitzero"`
	// Whether the item is pinned at its position.
	Pinned bool `json:"pinned"`
	// From 1 at the bottom to n at the top of the channel.
	Position int64 `json:"position"`
}

// ConnectionAbilities: what the viewer may do with the connection.
type ConnectionAbilities struct {
	Remove bool `json:"remove"`
}

// ConnectionFilter: filter by the creator of the connection: anyone, the viewer only, or anyone but the
// viewer.
type ConnectionFilter string

// The values of ConnectionFilter.
const (
	ConnectionFilterALL        ConnectionFilter = "ALL"
	ConnectionFilterOWN        ConnectionFilter = "OWN"
	ConnectionFilterEXCLUDEOWN ConnectionFilter = "EXCLUDE_OWN"
)

// ConnectionSort: order by the time of connecting.
type ConnectionSort string

// The values of ConnectionSort.
const (
	ConnectionSortCreatedAtDesc ConnectionSort = "created_at_desc"
	ConnectionSortCreatedAtAsc  ConnectionSort = "created_at_asc"
)

// ContentSort: order by the items' own times.
type ContentSort string

// The values of ContentSort.
const (
	ContentSortCreatedAtAsc  ContentSort = "created_at_asc"
	ContentSortCreatedAtDesc ContentSort = "created_at_desc"
	ContentSortUpdatedAtAsc  ContentSort = "updated_at_asc"
	ContentSortUpdatedAtDesc ContentSort = "updated_at_desc"
)

// ContentTypeFilter: kinds of items; `Block` includes all kinds of blocks.
type ContentTypeFilter string

// The values of ContentTypeFilter.
const (
	ContentTypeFilterText       ContentTypeFilter = "Text"
	ContentTypeFilterImage      ContentTypeFilter = "Image"
	ContentTypeFilterLink       ContentTypeFilter = "Link"
	ContentTypeFilterAttachment ContentTypeFilter = "Attachment"
	ContentTypeFilterEmbed      ContentTypeFilter = "Embed"
	ContentTypeFilterChannel    ContentTypeFilter = "Channel"
	ContentTypeFilterBlock      ContentTypeFilter = "Block"
)

// CreateBlockCommentRequest is the body of CreateBlockComment.
type CreateBlockCommentRequest struct {
	Body string `json:"body"`
}

// CreateBlockRequest is the body of CreateBlock.
type CreateBlockRequest struct {
	// Alternative text of the image, if the block gets one.
	AltText     *string        `json:"alt_text,omitzero"`
	ChannelIDs  []Ref          `json:"channel_ids,omitzero"`
	Channels    []ConnectTo    `json:"channels,omitzero"`
	Description *string        `json:"description,omitzero"`
	InsertAt    *int64         `json:"insert_at,omitzero"`
	Metadata    map[string]any `json:"metadata,omitzero"`
	// Overrides the title of the detected source.
	OriginalSourceTitle *string `json:"original_source_title,omitzero"`
	// Overrides the detected source.
	OriginalSourceURL *string `json:"original_source_url,omitzero"`
	Title             *string `json:"title,omitzero"`
	// One absolute http(s) URL, or Markdown.
	Value string `json:"value"`
}

// CreateChannelRequest is the body of CreateChannel.
type CreateChannelRequest struct {
	Description *string            `json:"description,omitzero"`
	Metadata    map[string]any     `json:"metadata,omitzero"`
	Owner       *ChannelOwnerInput `json:"owner,omitzero"`
	Title       string             `json:"title"`
	Visibility  *ChannelVisibility `json:"visibility,omitzero"`
}

// CreateConnectionRequest is the body of CreateConnection.
type CreateConnectionRequest struct {
	ChannelIDs      []Ref           `json:"channel_ids,omitzero"`
	Channels        []ConnectTo     `json:"channels,omitzero"`
	ConnectableID   int64           `json:"connectable_id"`
	ConnectableType ConnectableType `json:"connectable_type"`
	Position        *int64          `json:"position,omitzero"`
}

// CreateConnectionResponse is a part of requests and responses.
type CreateConnectionResponse struct {
	Data []Connection `json:"data,omitzero"`
}

// CreateGroupInvitationRequest is the body of CreateGroupInvitation.
type CreateGroupInvitationRequest struct {
	Email  *string `json:"email,omitzero"`
	UserID *int64  `json:"user_id,omitzero"`
}

// CreateGroupRequest is the body of CreateGroup.
type CreateGroupRequest struct {
	AvatarURL   *string `json:"avatar_url,omitzero"`
	Description *string `json:"description,omitzero"`
	Name        string  `json:"name"`
}

// CreateOAuthTokenRequest is the body of CreateOAuthToken.
type CreateOAuthTokenRequest struct {
	// The application's public id, unless it is in HTTP Basic.
	ClientID *string `json:"client_id,omitzero"`
	// The application's secret, unless it has none or the secret is in HTTP Basic.
	ClientSecret *string `json:"client_secret,omitzero"`
	// The authorization code.
	Code *string `json:"code,omitzero"`
	// The value from which the `code_challenge` was computed.
	CodeVerifier *string `json:"code_verifier,omitzero"`
	// The kind of grant.
	GrantType string `json:"grant_type"`
	// The same value as in the authorization request; omit it if it was omitted there.
	RedirectUri *string `json:"redirect_uri,omitzero"`
}

// CreateOAuthTokenResponse is a part of requests and responses.
type CreateOAuthTokenResponse struct {
	// Shown only once.
	AccessToken string `json:"access_token"`
	// Unix time in seconds.
	CreatedAt int64 `json:"created_at"`
	// `read`, or `write`, which includes it.
	Scope     string `json:"scope"`
	TokenType string `json:"token_type"`
}

// CursorMeta is the position of a page in a list that changes while it is read.
type CursorMeta struct {
	HasMore bool  `json:"has_more"`
	Limit   int64 `json:"limit"`
	// Send it as `next` to read older items. Null at the end.
	NextCursor *string `json:"next_cursor"`
	// Send it as `prev` to read newer items, now or later. Null on an empty page.
	PrevCursor *string `json:"prev_cursor"`
}

// EmbeddedConnection is the connection of an item to a channel.
type EmbeddedConnection struct {
	ConnectedAt time.Time `json:"connected_at"`
	// The user who connected the item.
	ConnectedBy *EmbeddedUser  `json:"connected_by"`
	ID          int64          `json:"id"`
	Metadata    map[string]any `json:"metadata,omitzero"`
	// Whether the item is pinned at its position.
	Pinned bool `json:"pinned"`
	// From 1 at the bottom to n at the top of the channel.
	Position int64 `json:"position"`
}

// EmbeddedGroup is a group inside another resource.
type EmbeddedGroup struct {
	// Address of the picture, or null.
	Avatar *string `json:"avatar"`
	ID     int64   `json:"id"`
	// First letters of the first and last word of the name.
	Initials string `json:"initials"`
	Name     string `json:"name"`
	Slug     string `json:"slug"`
	Type     string `json:"type"`
}

// EmbeddedUser is a user inside another resource.
type EmbeddedUser struct {
	// Address of the picture, or null.
	Avatar *string `json:"avatar"`
	ID     int64   `json:"id"`
	// First letters of the first and last word of the name.
	Initials string `json:"initials"`
	Name     string `json:"name"`
	// Unique among users; never all digits.
	Slug string `json:"slug"`
	Type string `json:"type"`
}

// Everything is one of Block, Channel, User, Group.
type Everything struct {
	Type    string // of the variant
	Block   *Block
	Channel *Channel
	User    *User
	Group   *Group
}

// UnmarshalJSON decodes the variant that the field "type" names. A variant of a later version sets only Type.
func (u *Everything) UnmarshalJSON(data []byte) (err error) {
	if u.Type, err = rest.TypeOf(data); err != nil {
		return err
	}
	switch u.Type {
	case "Text", "Image", "Link", "Attachment", "Embed", "PendingBlock":
		return json.Unmarshal(data, &u.Block)
	case "Channel":
		return json.Unmarshal(data, &u.Channel)
	case "User":
		return json.Unmarshal(data, &u.User)
	case "Group":
		return json.Unmarshal(data, &u.Group)
	}
	return nil
}

// MarshalJSON encodes the variant.
func (u Everything) MarshalJSON() ([]byte, error) {
	switch {
	case u.Block != nil:
		return json.Marshal(u.Block)
	case u.Channel != nil:
		return json.Marshal(u.Channel)
	case u.User != nil:
		return json.Marshal(u.User)
	case u.Group != nil:
		return json.Marshal(u.Group)
	}
	return []byte("null"), nil
}

// EverythingListResponse is a page of blocks, channels, users and groups.
type EverythingListResponse struct {
	Data []Everything   `json:"data"`
	Meta PaginationMeta `json:"meta"`
}

// FeedListResponse is a page of the feed.
type FeedListResponse struct {
	Data []Activity `json:"data"`
	Meta CursorMeta `json:"meta"`
}

// FileExtension: file name extensions. `jpg` and `jpeg`, `tif` and `tiff`, `mpg` and `mpeg` are the same.
type FileExtension string

// The values of FileExtension.
const (
	FileExtensionAac     FileExtension = "aac"
	FileExtensionAi      FileExtension = "ai"
	FileExtensionAiff    FileExtension = "aiff"
	FileExtensionAvi     FileExtension = "avi"
	FileExtensionAvif    FileExtension = "avif"
	FileExtensionBmp     FileExtension = "bmp"
	FileExtensionCsv     FileExtension = "csv"
	FileExtensionDoc     FileExtension = "doc"
	FileExtensionDocx    FileExtension = "docx"
	FileExtensionEps     FileExtension = "eps"
	FileExtensionEpub    FileExtension = "epub"
	FileExtensionFla     FileExtension = "fla"
	FileExtensionGif     FileExtension = "gif"
	FileExtensionH264    FileExtension = "h264"
	FileExtensionHeic    FileExtension = "heic"
	FileExtensionHeif    FileExtension = "heif"
	FileExtensionInd     FileExtension = "ind"
	FileExtensionIndd    FileExtension = "indd"
	FileExtensionJpeg    FileExtension = "jpeg"
	FileExtensionJpg     FileExtension = "jpg"
	FileExtensionKey     FileExtension = "key"
	FileExtensionKml     FileExtension = "kml"
	FileExtensionKmz     FileExtension = "kmz"
	FileExtensionLatex   FileExtension = "latex"
	FileExtensionM4a     FileExtension = "m4a"
	FileExtensionMa      FileExtension = "ma"
	FileExtensionMb      FileExtension = "mb"
	FileExtensionMid     FileExtension = "mid"
	FileExtensionMidi    FileExtension = "midi"
	FileExtensionMov     FileExtension = "mov"
	FileExtensionMp3     FileExtension = "mp3"
	FileExtensionMp4     FileExtension = "mp4"
	FileExtensionMp4v    FileExtension = "mp4v"
	FileExtensionMpeg    FileExtension = "mpeg"
	FileExtensionMpg     FileExtension = "mpg"
	FileExtensionMpg4    FileExtension = "mpg4"
	FileExtensionNumbers FileExtension = "numbers"
	FileExtensionOga     FileExtension = "oga"
	FileExtensionOgg     FileExtension = "ogg"
	FileExtensionOgv     FileExtension = "ogv"
	FileExtensionOtf     FileExtension = "otf"
	FileExtensionPages   FileExtension = "pages"
	FileExtensionPdf     FileExtension = "pdf"
	FileExtensionPgp     FileExtension = "pgp"
	FileExtensionPng     FileExtension = "png"
	FileExtensionPpt     FileExtension = "ppt"
	FileExtensionPptx    FileExtension = "pptx"
	FileExtensionPsd     FileExtension = "psd"
	FileExtensionSvg     FileExtension = "svg"
	FileExtensionSwa     FileExtension = "swa"
	FileExtensionSwf     FileExtension = "swf"
	FileExtensionTex     FileExtension = "tex"
	FileExtensionTexi    FileExtension = "texi"
	FileExtensionTexinfo FileExtension = "texinfo"
	FileExtensionTfm     FileExtension = "tfm"
	FileExtensionTif     FileExtension = "tif"
	FileExtensionTiff    FileExtension = "tiff"
	FileExtensionTorrent FileExtension = "torrent"
	FileExtensionTtc     FileExtension = "ttc"
	FileExtensionTtf     FileExtension = "ttf"
	FileExtensionTxt     FileExtension = "txt"
	FileExtensionWav     FileExtension = "wav"
	FileExtensionWebm    FileExtension = "webm"
	FileExtensionWebp    FileExtension = "webp"
	FileExtensionWma     FileExtension = "wma"
	FileExtensionXls     FileExtension = "xls"
	FileExtensionXlsx    FileExtension = "xlsx"
	FileExtensionXlt     FileExtension = "xlt"
)

// Followable is one of User, Channel, Group.
type Followable struct {
	Type    string // of the variant
	User    *User
	Channel *Channel
	Group   *Group
}

// UnmarshalJSON decodes the variant that the field "type" names. A variant of a later version sets only Type.
func (u *Followable) UnmarshalJSON(data []byte) (err error) {
	if u.Type, err = rest.TypeOf(data); err != nil {
		return err
	}
	switch u.Type {
	case "User":
		return json.Unmarshal(data, &u.User)
	case "Channel":
		return json.Unmarshal(data, &u.Channel)
	case "Group":
		return json.Unmarshal(data, &u.Group)
	}
	return nil
}

// MarshalJSON encodes the variant.
func (u Followable) MarshalJSON() ([]byte, error) {
	switch {
	case u.User != nil:
		return json.Marshal(u.User)
	case u.Channel != nil:
		return json.Marshal(u.Channel)
	case u.Group != nil:
		return json.Marshal(u.Group)
	}
	return []byte("null"), nil
}

// FollowableListResponse is a page of users, channels and groups.
type FollowableListResponse struct {
	Data []Followable   `json:"data"`
	Meta PaginationMeta `json:"meta"`
}

// FollowableType: kinds of resources that users can follow.
type FollowableType string

// The values of FollowableType.
const (
	FollowableTypeUser    FollowableType = "User"
	FollowableTypeChannel FollowableType = "Channel"
	FollowableTypeGroup   FollowableType = "Group"
)

// Group is a group of people who own channels together.
type Group struct {
	Links map[string]Link `json:"_links"`
	// Address of the picture, or null.
	Avatar *string `json:"avatar"`
	// What this viewer may do.
	Can         GroupAbilities   `json:"can"`
	Counts      GroupCounts      `json:"counts"`
	CreatedAt   time.Time        `json:"created_at"`
	Description *MarkdownContent `json:"description,omitzero"`
	ID          int64            `json:"id"`
	// First letters of the first and last word of the name.
	Initials  string    `json:"initials"`
	Name      string    `json:"name"`
	Slug      string    `json:"slug"`
	Type      string    `json:"type"`
	UpdatedAt time.Time `json:"updated_at"`
	// The owner.
	User EmbeddedUser `json:"user"`
}

// GroupAbilities: what the viewer may do with the group.
type GroupAbilities struct {
	Destroy           bool `json:"destroy"`
	ManageInvitations bool `json:"manage_invitations"`
	ManageMembers     bool `json:"manage_members"`
	Update            bool `json:"update"`
}

// GroupCounts: counts of a group's content and members.
type GroupCounts struct {
	Channels int64 `json:"channels"`
	// Members, including the owner.
	Users int64 `json:"users"`
}

// GroupInvite is the reusable invite of a group.
type GroupInvite struct {
	Links map[string]Link `json:"_links"`
	// Send it as `invite_token`.
	Code      string    `json:"code"`
	CreatedAt time.Time `json:"created_at"`
	ID        int64     `json:"id"`
	Type      string    `json:"type"`
	UpdatedAt time.Time `json:"updated_at"`
	// The page where people join.
	URL string `json:"url"`
}

// GroupListResponse is a page of groups.
type GroupListResponse struct {
	Data []Group        `json:"data"`
	Meta PaginationMeta `json:"meta"`
}

// GroupMember is a user in a group.
type GroupMember struct {
	// Address of the picture, or null.
	Avatar *string `json:"avatar"`
	ID     int64   `json:"id"`
	// First letters of the first and last word of the name.
	Initials string `json:"initials"`
	Name     string `json:"name"`
	Role     string `json:"role"`
	// Unique among users; never all digits.
	Slug string `json:"slug"`
	Type string `json:"type"`
}

// GroupMemberInviteOutcome is the result of an invitation.
type GroupMemberInviteOutcome string

// The values of GroupMemberInviteOutcome.
const (
	GroupMemberInviteOutcomeAdded             GroupMemberInviteOutcome = "added"
	GroupMemberInviteOutcomeInvited           GroupMemberInviteOutcome = "invited"
	GroupMemberInviteOutcomeInvitationPending GroupMemberInviteOutcome = "invitation_pending"
	GroupMemberInviteOutcomeAlreadyMember     GroupMemberInviteOutcome = "already_member"
)

// GroupMemberInviteResponse is the result of an invitation, with the invitation.
type GroupMemberInviteResponse struct {
	Invitation *MembershipInvitation    `json:"invitation"`
	Outcome    GroupMemberInviteOutcome `json:"outcome"`
	User       *EmbeddedUser            `json:"user"`
}

// GroupMemberListResponse is a page of members.
type GroupMemberListResponse struct {
	Data []GroupMember  `json:"data"`
	Meta PaginationMeta `json:"meta"`
}

// GroupSort: order of groups.
type GroupSort string

// The values of GroupSort.
const (
	GroupSortNameAsc       GroupSort = "name_asc"
	GroupSortNameDesc      GroupSort = "name_desc"
	GroupSortCreatedAtAsc  GroupSort = "created_at_asc"
	GroupSortCreatedAtDesc GroupSort = "created_at_desc"
	GroupSortUpdatedAtAsc  GroupSort = "updated_at_asc"
	GroupSortUpdatedAtDesc GroupSort = "updated_at_desc"
)

// ImageVersion: one size, at 1x and 2x.
type ImageVersion struct {
	Height *int64 `json:"height,omitzero"`
	Src    string `json:"src"`
	Src2x  string `json:"src_2x"`
	Width  *int64 `json:"width,omitzero"`
}

// JoinGroupRequest is the body of JoinGroup.
type JoinGroupRequest struct {
	InviteToken *string `json:"invite_token,omitzero"`
}

// Link: one address.
type Link struct {
	Href string `json:"href"`
}

// MarkdownContent is a text in three forms.
type MarkdownContent struct {
	// Rendered and sanitized.
	HTML string `json:"html"`
	// As written.
	Markdown string `json:"markdown"`
	// Without markup; links as `text (url)`.
	Plain string `json:"plain"`
}

// Me is the signed-in user.
type Me struct {
	Links map[string]Link `json:"_links"`
	// Address of the picture, or null.
	Avatar *string `json:"avatar"`
	// `premium` or `supporter` by tier.
	Badge     *UserBadge       `json:"badge"`
	Bio       *MarkdownContent `json:"bio,omitzero"`
	Counts    *MeCounts        `json:"counts,omitzero"`
	CreatedAt time.Time        `json:"created_at"`
	Email     string           `json:"email"`
	ID        int64            `json:"id"`
	// First letters of the first and last word of the name.
	Initials string `json:"initials"`
	Name     string `json:"name"`
	// Unique among users; never all digits.
	Slug      string    `json:"slug"`
	Tier      UserTier  `json:"tier"`
	Type      string    `json:"type"`
	UpdatedAt time.Time `json:"updated_at"`
}

// MeCounts: counts of the signed-in user.
type MeCounts struct {
	// Channels that the user owns. Private channels count only if the user reads their own profile.
	Channels      int64 `json:"channels"`
	Followers     int64 `json:"followers"`
	Following     int64 `json:"following"`
	Notifications int64 `json:"notifications"`
}

// MembershipInvitation is an invitation of one person to a group.
type MembershipInvitation struct {
	Links        map[string]any `json:"_links"`
	AcceptedAt   *time.Time     `json:"accepted_at"`
	CreatedAt    time.Time      `json:"created_at"`
	ID           int64          `json:"id"`
	InvitedBy    EmbeddedUser   `json:"invited_by"`
	Invitee      *EmbeddedUser  `json:"invitee"`
	InviteeEmail *string        `json:"invitee_email"`
	State        string         `json:"state"`
	Target       EmbeddedGroup  `json:"target"`
	Type         string         `json:"type"`
	UpdatedAt    time.Time      `json:"updated_at"`
}

// MembershipInvitationListResponse is a page of invitations.
type MembershipInvitationListResponse struct {
	Data []MembershipInvitation `json:"data"`
	Meta PaginationMeta         `json:"meta"`
}

// MoveConnectionRequest is the body of MoveConnection.
type MoveConnectionRequest struct {
	Movement *Movement `json:"movement,omitzero"`
	Position *int64    `json:"position,omitzero"`
}

// Movement: where to move; up is towards the top.
type Movement string

// The values of Movement.
const (
	MovementInsertAt     Movement = "insert_at"
	MovementMoveToTop    Movement = "move_to_top"
	MovementMoveToBottom Movement = "move_to_bottom"
	MovementMoveUp       Movement = "move_up"
	MovementMoveDown     Movement = "move_down"
)

// Notification is an activity that concerns the signed-in user. Its id is the activity's.
type Notification struct {
	Actor     ActivityActor `json:"actor"`
	CreatedAt time.Time     `json:"created_at"`
	ID        int64         `json:"id"`
	IsRead    bool          `json:"is_read"`
	// The item of the activity, such as the added block.
	Item *ActivitySubject `json:"item"`
	Kind ActivityKind     `json:"kind"`
	// The context, such as a channel that contains the commented block.
	Parent *ActivitySubject `json:"parent"`
	// The target, such as the channel that the block was added to.
	Target *ActivitySubject `json:"target"`
	Type   string           `json:"type"`
}

// NotificationListResponse is a page of notifications.
type NotificationListResponse struct {
	Data []Notification `json:"data"`
	Meta CursorMeta     `json:"meta"`
}

// NotificationReadMeta is the number of unread notifications.
type NotificationReadMeta struct {
	// The number of unread notifications.
	Notifications int64 `json:"notifications"`
}

// NotificationReadResponse is a notification that was marked as read, and the number of unread ones.
type NotificationReadResponse struct {
	Data Notification         `json:"data"`
	Meta NotificationReadMeta `json:"meta"`
}

// NotificationsReadAllResponse is the number of unread notifications.
type NotificationsReadAllResponse struct {
	Meta NotificationReadMeta `json:"meta"`
}

// PaginationMeta is the position of a page in its list.
type PaginationMeta struct {
	CurrentPage  int64  `json:"current_page"`
	HasMorePages bool   `json:"has_more_pages"`
	NextPage     *int64 `json:"next_page,omitzero"`
	PerPage      int64  `json:"per_page"`
	PrevPage     *int64 `json:"prev_page,omitzero"`
	TotalCount   int64  `json:"total_count"`
	TotalPages   int64  `json:"total_pages"`
}

// PingResponse is the response to a ping.
type PingResponse struct {
	Status string `json:"status"`
}

// PresignResponse is the upload URLs of files.
type PresignResponse struct {
	// Seconds.
	ExpiresIn int64 `json:"expires_in"`
	// In the order of the request.
	Files []PresignedFile `json:"files"`
}

// PresignUploadRequest is the body of PresignUpload.
type PresignUploadRequest struct {
	Files []PresignUploadRequestFile `json:"files"`
}

// PresignUploadRequestFile is a part of requests and responses.
type PresignUploadRequestFile struct {
	// A media type (RFC 9110, section 8.3.1).
	ContentType string `json:"content_type"`
	// The file name only, without folders.
	Filename string `json:"filename"`
}

// PresignedFile is the upload URL of one file.
type PresignedFile struct {
	// The `Content-Type` that the PUT must have.
	ContentType string `json:"content_type"`
	// Identifies the upload.
	Key string `json:"key"`
	// Accepts one PUT of the bytes.
	UploadURL string `json:"upload_url"`
}

// SearchScope: how the results relate to the viewer.
type SearchScope string

// The values of SearchScope.
const (
	SearchScopeAll       SearchScope = "all"
	SearchScopeMy        SearchScope = "my"
	SearchScopeFollowing SearchScope = "following"
)

// SearchSort: order of results.
type SearchSort string

// The values of SearchSort.
const (
	SearchSortScoreDesc            SearchSort = "score_desc"
	SearchSortCreatedAtDesc        SearchSort = "created_at_desc"
	SearchSortCreatedAtAsc         SearchSort = "created_at_asc"
	SearchSortUpdatedAtDesc        SearchSort = "updated_at_desc"
	SearchSortUpdatedAtAsc         SearchSort = "updated_at_asc"
	SearchSortNameAsc              SearchSort = "name_asc"
	SearchSortNameDesc             SearchSort = "name_desc"
	SearchSortConnectionsCountDesc SearchSort = "connections_count_desc"
	SearchSortRandom               SearchSort = "random"
)

// SearchTypeFilter: kinds of results; `Block` includes all kinds of blocks, `All` everything.
type SearchTypeFilter string

// The values of SearchTypeFilter.
const (
	SearchTypeFilterAll        SearchTypeFilter = "All"
	SearchTypeFilterText       SearchTypeFilter = "Text"
	SearchTypeFilterImage      SearchTypeFilter = "Image"
	SearchTypeFilterLink       SearchTypeFilter = "Link"
	SearchTypeFilterAttachment SearchTypeFilter = "Attachment"
	SearchTypeFilterEmbed      SearchTypeFilter = "Embed"
	SearchTypeFilterChannel    SearchTypeFilter = "Channel"
	SearchTypeFilterBlock      SearchTypeFilter = "Block"
	SearchTypeFilterUser       SearchTypeFilter = "User"
	SearchTypeFilterGroup      SearchTypeFilter = "Group"
)

// UpdateBlockRequest is the body of UpdateBlock.
type UpdateBlockRequest struct {
	AltText     *string        `json:"alt_text,omitzero"`
	Content     *string        `json:"content,omitzero"`
	Description *string        `json:"description,omitzero"`
	Metadata    map[string]any `json:"metadata,omitzero"`
	Title       *string        `json:"title,omitzero"`
}

// UpdateChannelRequest is the body of UpdateChannel.
type UpdateChannelRequest struct {
	Description Optional[string]   `json:"description,omitzero"`
	Metadata    map[string]any     `json:"metadata,omitzero"`
	Owner       *ChannelOwnerInput `json:"owner,omitzero"`
	Title       *string            `json:"title,omitzero"`
	Visibility  *ChannelVisibility `json:"visibility,omitzero"`
}

// UpdateConnectionRequest is the body of UpdateConnection.
type UpdateConnectionRequest struct {
	Metadata map[string]any `json:"metadata,omitzero"`
}

// UpdateGroupRequest is the body of UpdateGroup.
type UpdateGroupRequest struct {
	AvatarURL   *string          `json:"avatar_url,omitzero"`
	Description Optional[string] `json:"description,omitzero"`
	Name        *string          `json:"name,omitzero"`
}

// User is a person.
type User struct {
	Links map[string]Link `json:"_links"`
	// Address of the picture, or null.
	Avatar *string `json:"avatar"`
	// `premium` or `supporter` by tier.
	Badge     *UserBadge       `json:"badge"`
	Bio       *MarkdownContent `json:"bio,omitzero"`
	Counts    UserCounts       `json:"counts"`
	CreatedAt time.Time        `json:"created_at"`
	ID        int64            `json:"id"`
	// First letters of the first and last word of the name.
	Initials string `json:"initials"`
	Name     string `json:"name"`
	// Unique among users; never all digits.
	Slug      string    `json:"slug"`
	Tier      UserTier  `json:"tier"`
	Type      string    `json:"type"`
	UpdatedAt time.Time `json:"updated_at"`
}

// UserBadge is the badge next to a name.
type UserBadge string

// The values of UserBadge.
const (
	UserBadgeStaff     UserBadge = "staff"
	UserBadgeInvestor  UserBadge = "investor"
	UserBadgeSupporter UserBadge = "supporter"
	UserBadgePremium   UserBadge = "premium"
)

// UserCounts: counts of a user's content and followers.
type UserCounts struct {
	// Channels that the user owns. Private channels count only if the user reads their own profile.
	Channels  int64 `json:"channels"`
	Followers int64 `json:"followers"`
	Following int64 `json:"following"`
}

// UserListResponse is a page of users.
type UserListResponse struct {
	Data []User         `json:"data"`
	Meta PaginationMeta `json:"meta"`
}

// UserTier is the caller's tier, which sets the rate limit.
type UserTier string

// The values of UserTier.
const (
	UserTierGuest     UserTier = "guest"
	UserTierFree      UserTier = "free"
	UserTierPremium   UserTier = "premium"
	UserTierSupporter UserTier = "supporter"
)

// BatchCreateBlocks: create many blocks in the background
func (c *Client) BatchCreateBlocks(ctx context.Context, body *BatchCreateBlocksRequest) (*BatchResponse, error) {
	var out BatchResponse
	if err := c.call(ctx, http.MethodPost, "/v3/blocks/batch", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// CreateBlock: create a block in one or more channels
func (c *Client) CreateBlock(ctx context.Context, body *CreateBlockRequest) (*Block, error) {
	var out Block
	if err := c.call(ctx, http.MethodPost, "/v3/blocks", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// CreateBlockComment: comment on a block
func (c *Client) CreateBlockComment(ctx context.Context, id int64, body *CreateBlockCommentRequest) (*Comment, error) {
	var out Comment
	if err := c.call(ctx, http.MethodPost, "/v3/blocks/%v/comments", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// CreateChannel: create a channel
func (c *Client) CreateChannel(ctx context.Context, body *CreateChannelRequest) (*Channel, error) {
	var out Channel
	if err := c.call(ctx, http.MethodPost, "/v3/channels", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// CreateConnection: connect a block or channel to channels
func (c *Client) CreateConnection(ctx context.Context, body *CreateConnectionRequest) (*CreateConnectionResponse, error) {
	var out CreateConnectionResponse
	if err := c.call(ctx, http.MethodPost, "/v3/connections", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// CreateGroup: create a group
func (c *Client) CreateGroup(ctx context.Context, body *CreateGroupRequest) (*Group, error) {
	var out Group
	if err := c.call(ctx, http.MethodPost, "/v3/groups", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// CreateGroupInvitation: invite a person to a group
func (c *Client) CreateGroupInvitation(ctx context.Context, id Ref, body *CreateGroupInvitationRequest) (*GroupMemberInviteResponse, error) {
	var out GroupMemberInviteResponse
	if err := c.call(ctx, http.MethodPost, "/v3/groups/%v/invitations", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// CreateGroupInvite: create the reusable invite of a group
func (c *Client) CreateGroupInvite(ctx context.Context, id Ref) (*GroupInvite, error) {
	var out GroupInvite
	if err := c.call(ctx, http.MethodPost, "/v3/groups/%v/invite", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// CreateOAuthToken: get an access token
func (c *Client) CreateOAuthToken(ctx context.Context, body *CreateOAuthTokenRequest) (*CreateOAuthTokenResponse, error) {
	var out CreateOAuthTokenResponse
	if err := c.call(ctx, http.MethodPost, "/v3/oauth/token", []any{}, nil, form{body}, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// DeleteChannel: delete a channel
func (c *Client) DeleteChannel(ctx context.Context, id Ref) error {
	return c.call(ctx, http.MethodDelete, "/v3/channels/%v", []any{id}, nil, nil, nil)
}

// DeleteComment: delete a comment
func (c *Client) DeleteComment(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/v3/comments/%v", []any{id}, nil, nil, nil)
}

// DeleteConnection: remove an item from a channel
func (c *Client) DeleteConnection(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/v3/connections/%v", []any{id}, nil, nil, nil)
}

// DeleteGroup: delete a group
func (c *Client) DeleteGroup(ctx context.Context, id Ref) error {
	return c.call(ctx, http.MethodDelete, "/v3/groups/%v", []any{id}, nil, nil, nil)
}

// DeleteGroupInvite: revoke the reusable invite of a group
func (c *Client) DeleteGroupInvite(ctx context.Context, id Ref) error {
	return c.call(ctx, http.MethodDelete, "/v3/groups/%v/invite", []any{id}, nil, nil, nil)
}

// GetBatchStatus: read the progress of a batch
func (c *Client) GetBatchStatus(ctx context.Context, batchID string) (*BatchStatus, error) {
	var out BatchStatus
	if err := c.call(ctx, http.MethodGet, "/v3/blocks/batch/%v", []any{batchID}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetBlock: read a block
func (c *Client) GetBlock(ctx context.Context, id int64) (*Block, error) {
	var out Block
	if err := c.call(ctx, http.MethodGet, "/v3/blocks/%v", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetBlockCommentsParams are the parameters of GetBlockComments. Zero values are not sent.
type GetBlockCommentsParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
	// Order of the items; ids break ties in the same direction.
	Sort ConnectionSort `query:"sort"`
}

// GetBlockComments: list the comments on a block
func (c *Client) GetBlockComments(ctx context.Context, id int64, params *GetBlockCommentsParams) (*CommentListResponse, error) {
	var out CommentListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/blocks/%v/comments", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllBlockComments returns all items of GetBlockComments, page by page.
func (c *Client) AllBlockComments(ctx context.Context, id int64, params *GetBlockCommentsParams) iter.Seq2[Comment, error] {
	var p GetBlockCommentsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Comment, more bool, err error) {
		list, err := c.GetBlockComments(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetBlockConnectionsParams are the parameters of GetBlockConnections. Zero values are not sent.
type GetBlockConnectionsParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
	// Order of the items; ids break ties in the same direction.
	Sort ConnectionSort `query:"sort"`
	// Filter by the creator of the connection: anyone, the viewer only, or anyone but the viewer. Guests have no
	// connections of their own.
	Filter ConnectionFilter `query:"filter"`
}

// GetBlockConnections: list the channels that contain a block
func (c *Client) GetBlockConnections(ctx context.Context, id int64, params *GetBlockConnectionsParams) (*ChannelListResponse, error) {
	var out ChannelListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/blocks/%v/connections", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllBlockConnections returns all items of GetBlockConnections, page by page.
func (c *Client) AllBlockConnections(ctx context.Context, id int64, params *GetBlockConnectionsParams) iter.Seq2[Channel, error] {
	var p GetBlockConnectionsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Channel, more bool, err error) {
		list, err := c.GetBlockConnections(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetChannel: read a channel
func (c *Client) GetChannel(ctx context.Context, id Ref) (*Channel, error) {
	var out Channel
	if err := c.call(ctx, http.MethodGet, "/v3/channels/%v", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetChannelConnectionsParams are the parameters of GetChannelConnections. Zero values are not sent.
type GetChannelConnectionsParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
	// Order of the items; ids break ties in the same direction.
	Sort ConnectionSort `query:"sort"`
}

// GetChannelConnections: list the channels that contain a channel
func (c *Client) GetChannelConnections(ctx context.Context, id Ref, params *GetChannelConnectionsParams) (*ChannelListResponse, error) {
	var out ChannelListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/channels/%v/connections", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllChannelConnections returns all items of GetChannelConnections, page by page.
func (c *Client) AllChannelConnections(ctx context.Context, id Ref, params *GetChannelConnectionsParams) iter.Seq2[Channel, error] {
	var p GetChannelConnectionsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Channel, more bool, err error) {
		list, err := c.GetChannelConnections(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetChannelContentsParams are the parameters of GetChannelContents. Zero values are not sent.
type GetChannelContentsParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
	// Order of the items; ids break ties in the same direction.
	Sort ChannelContentSort `query:"sort"`
	// Only items that this user connected.
	UserID int64 `query:"user_id"`
}

// GetChannelContents: list the contents of a channel
func (c *Client) GetChannelContents(ctx context.Context, id Ref, params *GetChannelContentsParams) (*ConnectableListResponse, error) {
	var out ConnectableListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/channels/%v/contents", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllChannelContents returns all items of GetChannelContents, page by page.
func (c *Client) AllChannelContents(ctx context.Context, id Ref, params *GetChannelContentsParams) iter.Seq2[Connectable, error] {
	var p GetChannelContentsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Connectable, more bool, err error) {
		list, err := c.GetChannelContents(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetChannelFollowersParams are the parameters of GetChannelFollowers. Zero values are not sent.
type GetChannelFollowersParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
	// Order of the items; ids break ties in the same direction.
	Sort ConnectionSort `query:"sort"`
}

// GetChannelFollowers: list the followers of a channel
func (c *Client) GetChannelFollowers(ctx context.Context, id Ref, params *GetChannelFollowersParams) (*UserListResponse, error) {
	var out UserListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/channels/%v/followers", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllChannelFollowers returns all items of GetChannelFollowers, page by page.
func (c *Client) AllChannelFollowers(ctx context.Context, id Ref, params *GetChannelFollowersParams) iter.Seq2[User, error] {
	var p GetChannelFollowersParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []User, more bool, err error) {
		list, err := c.GetChannelFollowers(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetConnection: read a connection
func (c *Client) GetConnection(ctx context.Context, id int64) (*Connection, error) {
	var out Connection
	if err := c.call(ctx, http.MethodGet, "/v3/connections/%v", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetCurrentUser: read the signed-in user
func (c *Client) GetCurrentUser(ctx context.Context) (*Me, error) {
	var out Me
	if err := c.call(ctx, http.MethodGet, "/v3/me", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetGroup: read a group
func (c *Client) GetGroup(ctx context.Context, id Ref) (*Group, error) {
	var out Group
	if err := c.call(ctx, http.MethodGet, "/v3/groups/%v", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetGroupContentsParams are the parameters of GetGroupContents. Zero values are not sent.
type GetGroupContentsParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
	// Order of the items; ids break ties in the same direction.
	Sort ContentSort `query:"sort"`
	// Only items of this kind; `Block` includes all kinds of blocks.
	Type ContentTypeFilter `query:"type"`
}

// GetGroupContents: list the channels and blocks of a group
func (c *Client) GetGroupContents(ctx context.Context, id Ref, params *GetGroupContentsParams) (*ConnectableListResponse, error) {
	var out ConnectableListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/groups/%v/contents", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllGroupContents returns all items of GetGroupContents, page by page.
func (c *Client) AllGroupContents(ctx context.Context, id Ref, params *GetGroupContentsParams) iter.Seq2[Connectable, error] {
	var p GetGroupContentsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Connectable, more bool, err error) {
		list, err := c.GetGroupContents(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetGroupFollowersParams are the parameters of GetGroupFollowers. Zero values are not sent.
type GetGroupFollowersParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
	// Order of the items; ids break ties in the same direction.
	Sort ConnectionSort `query:"sort"`
}

// GetGroupFollowers: list the followers of a group
func (c *Client) GetGroupFollowers(ctx context.Context, id Ref, params *GetGroupFollowersParams) (*UserListResponse, error) {
	var out UserListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/groups/%v/followers", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllGroupFollowers returns all items of GetGroupFollowers, page by page.
func (c *Client) AllGroupFollowers(ctx context.Context, id Ref, params *GetGroupFollowersParams) iter.Seq2[User, error] {
	var p GetGroupFollowersParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []User, more bool, err error) {
		list, err := c.GetGroupFollowers(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetGroupInvitationsParams are the parameters of GetGroupInvitations. Zero values are not sent.
type GetGroupInvitationsParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
}

// GetGroupInvitations: list the open invitations of a group
func (c *Client) GetGroupInvitations(ctx context.Context, id Ref, params *GetGroupInvitationsParams) (*MembershipInvitationListResponse, error) {
	var out MembershipInvitationListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/groups/%v/invitations", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllGroupInvitations returns all items of GetGroupInvitations, page by page.
func (c *Client) AllGroupInvitations(ctx context.Context, id Ref, params *GetGroupInvitationsParams) iter.Seq2[MembershipInvitation, error] {
	var p GetGroupInvitationsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []MembershipInvitation, more bool, err error) {
		list, err := c.GetGroupInvitations(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetGroupInvite: read the reusable invite of a group
func (c *Client) GetGroupInvite(ctx context.Context, id Ref) (*GroupInvite, error) {
	var out GroupInvite
	if err := c.call(ctx, http.MethodGet, "/v3/groups/%v/invite", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetGroupMembersParams are the parameters of GetGroupMembers. Zero values are not sent.
type GetGroupMembersParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
}

// GetGroupMembers: list the members of a group
func (c *Client) GetGroupMembers(ctx context.Context, id Ref, params *GetGroupMembersParams) (*GroupMemberListResponse, error) {
	var out GroupMemberListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/groups/%v/members", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllGroupMembers returns all items of GetGroupMembers, page by page.
func (c *Client) AllGroupMembers(ctx context.Context, id Ref, params *GetGroupMembersParams) iter.Seq2[GroupMember, error] {
	var p GetGroupMembersParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []GroupMember, more bool, err error) {
		list, err := c.GetGroupMembers(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetMyFeedParams are the parameters of GetMyFeed. Zero values are not sent.
type GetMyFeedParams struct {
	// Items per page.
	Limit int64 `query:"limit"`
	// `next_cursor` of the previous page.
	Next string `query:"next"`
	// `prev_cursor` of a page, to read newer items.
	Prev string `query:"prev"`
}

// GetMyFeed: read the feed
func (c *Client) GetMyFeed(ctx context.Context, params *GetMyFeedParams) (*FeedListResponse, error) {
	var out FeedListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/me/feed", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllMyFeed returns all items of GetMyFeed, page by page.
func (c *Client) AllMyFeed(ctx context.Context, params *GetMyFeedParams) iter.Seq2[Activity, error] {
	var p GetMyFeedParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Activity, more bool, err error) {
		list, err := c.GetMyFeed(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.Meta.NextCursor != nil {
			p.Next = *list.Meta.NextCursor
		}
		return list.Data, list.Meta.HasMore && list.Meta.NextCursor != nil, nil
	})
}

// GetMyNotificationsParams are the parameters of GetMyNotifications. Zero values are not sent.
type GetMyNotificationsParams struct {
	// Items per page.
	Limit int64 `query:"limit"`
	// `next_cursor` of the previous page.
	Next string `query:"next"`
	// `prev_cursor` of a page, to read newer items.
	Prev string `query:"prev"`
	// Only unread notifications.
	Unread *bool `query:"unread"`
}

// GetMyNotifications: read the notifications
func (c *Client) GetMyNotifications(ctx context.Context, params *GetMyNotificationsParams) (*NotificationListResponse, error) {
	var out NotificationListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/me/notifications", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllMyNotifications returns all items of GetMyNotifications, page by page.
func (c *Client) AllMyNotifications(ctx context.Context, params *GetMyNotificationsParams) iter.Seq2[Notification, error] {
	var p GetMyNotificationsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Notification, more bool, err error) {
		list, err := c.GetMyNotifications(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.Meta.NextCursor != nil {
			p.Next = *list.Meta.NextCursor
		}
		return list.Data, list.Meta.HasMore && list.Meta.NextCursor != nil, nil
	})
}

// GetPing: check that the API answers
func (c *Client) GetPing(ctx context.Context) (*PingResponse, error) {
	var out PingResponse
	if err := c.call(ctx, http.MethodGet, "/v3/ping", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetUser: read a user
func (c *Client) GetUser(ctx context.Context, id Ref) (*User, error) {
	var out User
	if err := c.call(ctx, http.MethodGet, "/v3/users/%v", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetUserContentsParams are the parameters of GetUserContents. Zero values are not sent.
type GetUserContentsParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
	// Order of the items; ids break ties in the same direction.
	Sort ContentSort `query:"sort"`
	// Only items of this kind; `Block` includes all kinds of blocks.
	Type ContentTypeFilter `query:"type"`
}

// GetUserContents: list the blocks and channels of a user
func (c *Client) GetUserContents(ctx context.Context, id Ref, params *GetUserContentsParams) (*ConnectableListResponse, error) {
	var out ConnectableListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/users/%v/contents", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllUserContents returns all items of GetUserContents, page by page.
func (c *Client) AllUserContents(ctx context.Context, id Ref, params *GetUserContentsParams) iter.Seq2[Connectable, error] {
	var p GetUserContentsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Connectable, more bool, err error) {
		list, err := c.GetUserContents(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetUserFollowersParams are the parameters of GetUserFollowers. Zero values are not sent.
type GetUserFollowersParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
	// Order of the items; ids break ties in the same direction.
	Sort ConnectionSort `query:"sort"`
}

// GetUserFollowers: list the followers of a user
func (c *Client) GetUserFollowers(ctx context.Context, id Ref, params *GetUserFollowersParams) (*UserListResponse, error) {
	var out UserListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/users/%v/followers", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllUserFollowers returns all items of GetUserFollowers, page by page.
func (c *Client) AllUserFollowers(ctx context.Context, id Ref, params *GetUserFollowersParams) iter.Seq2[User, error] {
	var p GetUserFollowersParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []User, more bool, err error) {
		list, err := c.GetUserFollowers(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetUserFollowingParams are the parameters of GetUserFollowing. Zero values are not sent.
type GetUserFollowingParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
	// Order of the items; ids break ties in the same direction.
	Sort ConnectionSort `query:"sort"`
	// Only entries of this kind.
	Type FollowableType `query:"type"`
}

// GetUserFollowing: list everything that a user follows
func (c *Client) GetUserFollowing(ctx context.Context, id Ref, params *GetUserFollowingParams) (*FollowableListResponse, error) {
	var out FollowableListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/users/%v/following", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllUserFollowing returns all items of GetUserFollowing, page by page.
func (c *Client) AllUserFollowing(ctx context.Context, id Ref, params *GetUserFollowingParams) iter.Seq2[Followable, error] {
	var p GetUserFollowingParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Followable, more bool, err error) {
		list, err := c.GetUserFollowing(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// GetUserGroupsParams are the parameters of GetUserGroups. Zero values are not sent.
type GetUserGroupsParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
	// Order of the items; ids break ties in the same direction.
	Sort GroupSort `query:"sort"`
}

// GetUserGroups: list the groups of a user
func (c *Client) GetUserGroups(ctx context.Context, id Ref, params *GetUserGroupsParams) (*GroupListResponse, error) {
	var out GroupListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/users/%v/groups", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllUserGroups returns all items of GetUserGroups, page by page.
func (c *Client) AllUserGroups(ctx context.Context, id Ref, params *GetUserGroupsParams) iter.Seq2[Group, error] {
	var p GetUserGroupsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Group, more bool, err error) {
		list, err := c.GetUserGroups(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// JoinGroup: join a group with its invite
func (c *Client) JoinGroup(ctx context.Context, id Ref, body *JoinGroupRequest) (*GroupMember, error) {
	var out GroupMember
	if err := c.call(ctx, http.MethodPost, "/v3/groups/%v/members", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// LeaveGroup: leave a group
func (c *Client) LeaveGroup(ctx context.Context, id Ref) error {
	return c.call(ctx, http.MethodDelete, "/v3/groups/%v/members/me", []any{id}, nil, nil, nil)
}

// MarkAllMyNotificationsRead: mark all notifications as read
func (c *Client) MarkAllMyNotificationsRead(ctx context.Context) (*NotificationsReadAllResponse, error) {
	var out NotificationsReadAllResponse
	if err := c.call(ctx, http.MethodPost, "/v3/me/notifications/read", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// MarkMyNotificationRead: mark a notification as read
func (c *Client) MarkMyNotificationRead(ctx context.Context, id int64) (*NotificationReadResponse, error) {
	var out NotificationReadResponse
	if err := c.call(ctx, http.MethodPost, "/v3/me/notifications/%v/read", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// MoveConnection: move an item within its channel
func (c *Client) MoveConnection(ctx context.Context, id int64, body *MoveConnectionRequest) (*Connection, error) {
	var out Connection
	if err := c.call(ctx, http.MethodPost, "/v3/connections/%v/move", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// PresignUpload: get upload URLs for files
func (c *Client) PresignUpload(ctx context.Context, body *PresignUploadRequest) (*PresignResponse, error) {
	var out PresignResponse
	if err := c.call(ctx, http.MethodPost, "/v3/uploads/presign", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// RemoveGroupMember: remove a member from a group
func (c *Client) RemoveGroupMember(ctx context.Context, id Ref, userID int64) error {
	return c.call(ctx, http.MethodDelete, "/v3/groups/%v/members/%v", []any{id, userID}, nil, nil, nil)
}

// RevokeGroupInvitation: revoke an invitation
func (c *Client) RevokeGroupInvitation(ctx context.Context, id Ref, invitationID int64) error {
	return c.call(ctx, http.MethodDelete, "/v3/groups/%v/invitations/%v", []any{id, invitationID}, nil, nil, nil)
}

// SearchParams are the parameters of Search. Zero values are not sent.
type SearchParams struct {
	// The search query. `q` is accepted as well.
	Query string `query:"query"`
	// Kinds of results, comma-joined or repeated. `Block` includes all kinds of blocks, `All` everything.
	Type []SearchTypeFilter `query:"type"`
	// `my`: the viewer's own blocks, channels and groups. `following`: results by followed users, and the contents
	// of followed channels.
	Scope SearchScope `query:"scope"`
	// Only items that this user created.
	UserID int64 `query:"user_id"`
	// Only channels of this group, and blocks in them.
	GroupID int64 `query:"group_id"`
	// Only items in this channel.
	ChannelID int64 `query:"channel_id"`
	// Only images and attachments with these file name extensions, comma-joined or repeated.
	Ext []FileExtension `query:"ext"`
	// Order of the results; ids break ties in the same direction. By score, results whose name equals the query
	// come first, then those whose name contains it, then the others, each newest first. With `name_asc`, results
	// without a name come last. Connections in private channels do not count.
	Sort SearchSort `query:"sort"`
	// Only results that were created or changed after this time.
	After time.Time `query:"after"`
	// For `sort=random`: the same seed gives the same order on every page. Without one, the seed is the current
	// day (UTC).
	Seed int64 `query:"seed"`
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
}

// Search: search
func (c *Client) Search(ctx context.Context, params *SearchParams) (*EverythingListResponse, error) {
	var out EverythingListResponse
	if err := c.call(ctx, http.MethodGet, "/v3/search", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllSearch returns all items of Search, page by page.
func (c *Client) AllSearch(ctx context.Context, params *SearchParams) iter.Seq2[Everything, error] {
	var p SearchParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Everything, more bool, err error) {
		list, err := c.Search(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// UpdateBlock: change a block
func (c *Client) UpdateBlock(ctx context.Context, id int64, body *UpdateBlockRequest) (*Block, error) {
	var out Block
	if err := c.call(ctx, http.MethodPut, "/v3/blocks/%v", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// UpdateChannel: change a channel
func (c *Client) UpdateChannel(ctx context.Context, id Ref, body *UpdateChannelRequest) (*Channel, error) {
	var out Channel
	if err := c.call(ctx, http.MethodPut, "/v3/channels/%v", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// UpdateConnection: change the metadata of a connection
func (c *Client) UpdateConnection(ctx context.Context, id int64, body *UpdateConnectionRequest) (*Connection, error) {
	var out Connection
	if err := c.call(ctx, http.MethodPut, "/v3/connections/%v", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// UpdateGroup: change a group
func (c *Client) UpdateGroup(ctx context.Context, id Ref, body *UpdateGroupRequest) (*Group, error) {
	var out Group
	if err := c.call(ctx, http.MethodPut, "/v3/groups/%v", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}
