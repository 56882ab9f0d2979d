// Code generated from api/v3.yaml by internal/oas/clients. DO NOT EDIT.

/** An activity in the feed. */
export interface Activity {
  actor: ActivityActor;
  created_at: string;
  id: number;
  /** The item of the activity, such as the added block. */
  item: ActivitySubject | null;
  kind: ActivityKind;
  /** The context, such as a channel that contains the commented block. */
  parent: ActivitySubject | null;
  /** The target, such as the channel that the block was added to. */
  target: ActivitySubject | null;
  type: string;
}

/** The user who did it. */
export type ActivityActor = EmbeddedUser | EmbeddedGroup;

/** The kind of activity. */
export type ActivityKind = "followed_user" | "followed_channel" | "followed_group" | "added_block_to_channel" | "added_channel_to_channel" | "created_channel" | "collaborating_with_user_on_channel" | "collaborating_with_group_on_channel" | "commented_on_block" | "mentioned_you" | "added_user_to_group";

/** A resource in an activity. */
export type ActivitySubject = EmbeddedUser | EmbeddedGroup | Channel | Block | Comment;

export interface BatchCreateBlocksRequest {
  blocks: BlockInput[];
  channel_ids?: (string | number)[];
  channels?: ConnectTo[];
}

/** An accepted batch. */
export interface BatchResponse {
  batch_id: string;
  status: string;
  /** Blocks to create. */
  total: number;
}

/** The progress of a batch. */
export interface BatchStatus {
  batch_id: string;
  completed_at?: string;
  created_at?: string;
  /** Why the batch failed as a whole. */
  error?: string;
  failed?: BatchStatusFailed[];
  failed_count: number;
  /** `completed` if every block was tried, `failed` if processing stopped before the end. */
  status: string;
  successful?: BatchStatusSuccessful[];
  successful_count: number;
  total: number;
}

export interface BatchStatusFailed {
  error: string;
  /** Index in the request, from 0. */
  index: number;
}

export interface BatchStatusSuccessful {
  block_id: number;
  /** Index in the request, from 0. */
  index: number;
}

/** A piece of content. */
export interface Block {
  _links: Record<string, Link>;
  attachment?: BlockAttachment;
  base_type: string;
  /** What this viewer may do; only on a full block. */
  can?: BlockAbilities | null;
  comment_count: number;
  /** The connection of the block to the channel; only in lists of a channel's contents. */
  connection?: EmbeddedConnection | null;
  content?: MarkdownContent | null;
  created_at: string;
  description?: MarkdownContent | null;
  embed?: BlockEmbed;
  id: number;
  image?: BlockImage | null;
  metadata?: Record<string, unknown> | null;
  /** The source of the content. */
  source?: BlockSource | null;
  /** `processing` until the content is known. */
  state: BlockState;
  title?: string | null;
  type: string;
  updated_at: string;
  user: EmbeddedUser;
  /** Derived from the channels that contain the block: public, private, or orphan if no channel contains it. */
  visibility: BlockVisibility;
}

/** What the viewer may do with the block. */
export interface BlockAbilities {
  comment: boolean;
  connect: boolean;
  manage: boolean;
}

/** A file. */
export interface BlockAttachment {
  content_type?: string | null;
  file_extension?: string | null;
  file_size?: number | null;
  filename?: string | null;
  updated_at?: string | null;
  url: string;
}

/** Embedded media. */
export interface BlockEmbed {
  author_name?: string | null;
  author_url?: string | null;
  height?: number | null;
  html?: string | null;
  source_url?: string | null;
  thumbnail_url?: string | null;
  title?: string | null;
  type?: string | null;
  url?: string | null;
  width?: number | null;
}

/** An image and its resized versions. */
export interface BlockImage {
  alt_text?: string | null;
  aspect_ratio?: number | null;
  blurhash?: string | null;
  content_type?: string;
  file_size?: number | null;
  filename?: string;
  height?: number | null;
  large: ImageVersion;
  medium: ImageVersion;
  small: ImageVersion;
  square: ImageVersion;
  src?: string;
  updated_at?: string;
  width?: number | null;
}

/** A block to create. */
export interface BlockInput {
  /** Alternative text of the image, if the block gets one. */
  alt_text?: string;
  description?: string;
  metadata?: Record<string, unknown>;
  /** Overrides the title of the detected source. */
  original_source_title?: string;
  /** Overrides the detected source. */
  original_source_url?: string;
  title?: string;
  /** One absolute http(s) URL, or Markdown. */
  value: string;
}

/** The site behind a source. */
export interface BlockProvider {
  name: string;
  url: string;
}

/** The source of a block's content. */
export interface BlockSource {
  provider?: BlockProvider | null;
  title?: string | null;
  url: string;
}

/** The state of processing. */
export type BlockState = "processing" | "available" | "failed";

/** Who may see a block. */
export type BlockVisibility = "public" | "private" | "orphan";

/** An ordered collection of blocks and channels. */
export interface Channel {
  _links: Record<string, Link>;
  /** What this viewer may do; only on a full channel. */
  can?: ChannelAbilities | null;
  /** Users and groups who may add to the channel; only on a full channel. */
  collaborators?: ChannelCollaborator[];
  /** The connection of the channel to the channel that contains it; only in lists of a channel's contents. */
  connection?: EmbeddedConnection | null;
  counts: ChannelCounts;
  created_at: string;
  description?: MarkdownContent | null;
  id: number;
  metadata?: Record<string, unknown> | null;
  owner: ChannelOwner;
  /** Unique among channels; never all digits. */
  slug: string;
  state: ChannelState;
  title: string;
  type: string;
  updated_at: string;
  visibility: ChannelVisibility;
}

/** What the viewer may do with the channel. */
export interface ChannelAbilities {
  add_to: boolean;
  destroy: boolean;
  manage_collaborators: boolean;
  update: boolean;
}

/** A user or group who may add to a channel. */
export type ChannelCollaborator = EmbeddedUser | EmbeddedGroup;

/** Order of a channel's contents: `position` is the manual arrangement, `created_at` the time of connecting, `updated_at` the item's own time. */
export type ChannelContentSort = "position_asc" | "position_desc" | "created_at_asc" | "created_at_desc" | "updated_at_asc" | "updated_at_desc";

/** Counts of the channel's contents. */
export interface ChannelCounts {
  /** Blocks in the channel. */
  blocks: number;
  /** Channels in the channel. */
  channels: number;
  collaborators: number;
  /** `blocks` + `channels`. */
  contents: number;
}

/** A page of channels. */
export interface ChannelListResponse {
  data: Channel[];
  meta: PaginationMeta;
}

/** A user or a group. */
export type ChannelOwner = EmbeddedUser | EmbeddedGroup;

/** The new owner: you, or one of your groups. */
export interface ChannelOwnerInput {
  id: number;
  type?: string;
}

/** Deleted channels answer 404. */
export type ChannelState = "available" | "deleted";

/** `public`: everyone can see it, and every user can add to it. `closed`: everyone can see it. `private`: only its owner and collaborators can see it. Only the owner and collaborators can add to closed and private channels. */
export type ChannelVisibility = "public" | "private" | "closed";

/** A comment on a block. */
export interface Comment {
  _links: Record<string, Link>;
  body?: MarkdownContent | null;
  created_at: string;
  id: number;
  type: string;
  updated_at: string;
  user: EmbeddedUser;
}

/** A page of comments. */
export interface CommentListResponse {
  data: Comment[];
  meta: PaginationMeta;
}

/** A channel to connect to, with position and metadata. */
export interface ConnectTo {
  /** Id or slug of a channel. */
  id: string | number;
  metadata?: Record<string, unknown>;
  /** The position to insert at, from 1; a position beyond the end means the top. */
  position?: number;
}

export type Connectable = Block | Channel;

/** A page of blocks and channels. */
export interface ConnectableListResponse {
  data: Connectable[];
  meta: PaginationMeta;
}

/** The kind of an item that a channel can contain. */
export type ConnectableType = "Block" | "Channel";

/** One item in one channel. */
export interface Connection {
  _links: Record<string, Link>;
  can: ConnectionAbilities;
  connected_at: string;
  /** The user who connected the item. */
  connected_by: EmbeddedUser | null;
  id: number;
  metadata?: Record<string, unknown> | null;
  /** Whether the item is pinned at its position. */
  pinned: boolean;
  /** From 1 at the bottom to n at the top of the channel. */
  position: number;
}

/** What the viewer may do with the connection. */
export interface ConnectionAbilities {
  remove: boolean;
}

/** Filter by the creator of the connection: anyone, the viewer only, or anyone but the viewer. */
export type ConnectionFilter = "ALL" | "OWN" | "EXCLUDE_OWN";

/** Order by the time of connecting. */
export type ConnectionSort = "created_at_desc" | "created_at_asc";

/** Order by the items' own times. */
export type ContentSort = "created_at_asc" | "created_at_desc" | "updated_at_asc" | "updated_at_desc";

/** Kinds of items; `Block` includes all kinds of blocks. */
export type ContentTypeFilter = "Text" | "Image" | "Link" | "Attachment" | "Embed" | "Channel" | "Block";

export interface CreateBlockCommentRequest {
  body: string;
}

export interface CreateBlockRequest {
  /** Alternative text of the image, if the block gets one. */
  alt_text?: string;
  channel_ids?: (string | number)[];
  channels?: ConnectTo[];
  description?: string;
  insert_at?: number;
  metadata?: Record<string, unknown>;
  /** Overrides the title of the detected source. */
  original_source_title?: string;
  /** Overrides the detected source. */
  original_source_url?: string;
  title?: string;
  /** One absolute http(s) URL, or Markdown. */
  value: string;
}

export interface CreateChannelRequest {
  description?: string;
  metadata?: Record<string, unknown>;
  owner?: ChannelOwnerInput;
  title: string;
  visibility?: ChannelVisibility;
}

export interface CreateConnectionRequest {
  channel_ids?: (string | number)[];
  channels?: ConnectTo[];
  connectable_id: number;
  connectable_type: ConnectableType;
  position?: number;
}

export interface CreateConnectionResponse {
  data?: Connection[];
}

export interface CreateGroupInvitationRequest {
  email?: string;
  user_id?: number;
}

export interface CreateGroupRequest {
  avatar_url?: string;
  description?: string;
  name: string;
}

export interface CreateOAuthTokenRequest {
  /** The application's public id, unless it is in HTTP Basic. */
  client_id?: string;
  /** The application's secret, unless it has none or the secret is in HTTP Basic. */
  client_secret?: string;
  /** The authorization code. */
  code?: string;
  /** The value from which the `code_challenge` was computed. */
  code_verifier?: string;
  /** The kind of grant. */
  grant_type: string;
  /** The same value as in the authorization request; omit it if it was omitted there. */
  redirect_uri?: string;
}

export interface CreateOAuthTokenResponse {
  /** Shown only once. */
  access_token: string;
  /** Unix time in seconds. */
  created_at: number;
  /** `read`, or `write`, which includes it. */
  scope: string;
  token_type: string;
}

/** The position of a page in a list that changes while it is read. */
export interface CursorMeta {
  has_more: boolean;
  limit: number;
  /** Send it as `next` to read older items. Null at the end. */
  next_cursor: string | null;
  /** Send it as `prev` to read newer items, now or later. Null on an empty page. */
  prev_cursor: string | null;
}

/** The connection of an item to a channel. */
export interface EmbeddedConnection {
  connected_at: string;
  /** The user who connected the item. */
  connected_by: EmbeddedUser | null;
  id: number;
  metadata?: Record<string, unknown> | null;
  /** Whether the item is pinned at its position. */
  pinned: boolean;
  /** From 1 at the bottom to n at the top of the channel. */
  position: number;
}

/** A group inside another resource. */
export interface EmbeddedGroup {
  /** Address of the picture, or null. */
  avatar: string | null;
  id: number;
  /** First letters of the first and last word of the name. */
  initials: string;
  name: string;
  slug: string;
  type: string;
}

/** A user inside another resource. */
export interface EmbeddedUser {
  /** Address of the picture, or null. */
  avatar: string | null;
  id: number;
  /** First letters of the first and last word of the name. */
  initials: string;
  name: string;
  /** Unique among users; never all digits. */
  slug: string;
  type: string;
}

export type Everything = Block | Channel | User | Group;

/** A page of blocks, channels, users and groups. */
export interface EverythingListResponse {
  data: Everything[];
  meta: PaginationMeta;
}

/** A page of the feed. */
export interface FeedListResponse {
  data: Activity[];
  meta: CursorMeta;
}

/** File name extensions. `jpg` and `jpeg`, `tif` and `tiff`, `mpg` and `mpeg` are the same. */
export type FileExtension = "aac" | "ai" | "aiff" | "avi" | "avif" | "bmp" | "csv" | "doc" | "docx" | "eps" | "epub" | "fla" | "gif" | "h264" | "heic" | "heif" | "ind" | "indd" | "jpeg" | "jpg" | "key" | "kml" | "kmz" | "latex" | "m4a" | "ma" | "mb" | "mid" | "midi" | "mov" | "mp3" | "mp4" | "mp4v" | "mpeg" | "mpg" | "mpg4" | "numbers" | "oga" | "ogg" | "ogv" | "otf" | "pages" | "pdf" | "pgp" | "png" | "ppt" | "pptx" | "psd" | "svg" | "swa" | "swf" | "tex" | "texi" | "texinfo" | "tfm" | "tif" | "tiff" | "torrent" | "ttc" | "ttf" | "txt" | "wav" | "webm" | "webp" | "wma" | "xls" | "xlsx" | "xlt";

export type Followable = User | Channel | Group;

/** A page of users, channels and groups. */
export interface FollowableListResponse {
  data: Followable[];
  meta: PaginationMeta;
}

/** Kinds of resources that users can follow. */
export type FollowableType = "User" | "Channel" | "Group";

/** A group of people who own channels together. */
export interface Group {
  _links: Record<string, Link>;
  /** Address of the picture, or null. */
  avatar: string | null;
  /** What this viewer may do. */
  can: GroupAbilities;
  counts: GroupCounts;
  created_at: string;
  description?: MarkdownContent | null;
  id: number;
  /** First letters of the first and last word of the name. */
  initials: string;
  name: string;
  slug: string;
  type: string;
  updated_at: string;
  /** The owner. */
  user: EmbeddedUser;
}

/** What the viewer may do with the group. */
export interface GroupAbilities {
  destroy: boolean;
  manage_invitations: boolean;
  manage_members: boolean;
  update: boolean;
}

/** Counts of a group's content and members. */
export interface GroupCounts {
  channels: number;
  /** Members, including the owner. */
  users: number;
}

/** The reusable invite of a group. */
export interface GroupInvite {
  _links: Record<string, Link>;
  /** Send it as `invite_token`. */
  code: string;
  created_at: string;
  id: number;
  type: string;
  updated_at: string;
  /** The page where people join. */
  url: string;
}

/** A page of groups. */
export interface GroupListResponse {
  data: Group[];
  meta: PaginationMeta;
}

/** A user in a group. */
export interface GroupMember {
  /** Address of the picture, or null. */
  avatar: string | null;
  id: number;
  /** First letters of the first and last word of the name. */
  initials: string;
  name: string;
  role: string;
  /** Unique among users; never all digits. */
  slug: string;
  type: string;
}

/** The result of an invitation. */
export type GroupMemberInviteOutcome = "added" | "invited" | "invitation_pending" | "already_member";

/** The result of an invitation, with the invitation. */
export interface GroupMemberInviteResponse {
  invitation: MembershipInvitation | null;
  outcome: GroupMemberInviteOutcome;
  user: EmbeddedUser | null;
}

/** A page of members. */
export interface GroupMemberListResponse {
  data: GroupMember[];
  meta: PaginationMeta;
}

/** Order of groups. */
export type GroupSort = "name_asc" | "name_desc" | "created_at_asc" | "created_at_desc" | "updated_at_asc" | "updated_at_desc";

/** One size, at 1x and 2x. */
export interface ImageVersion {
  height?: number | null;
  src: string;
  src_2x: string;
  width?: number | null;
}

export interface JoinGroupRequest {
  invite_token?: string;
}

/** One address. */
export interface Link {
  href: string;
}

/** A text in three forms. */
export interface MarkdownContent {
  /** Rendered and sanitized. */
  html: string;
  /** As written. */
  markdown: string;
  /** Without markup; links as `text (url)`. */
  plain: string;
}

/** The signed-in user. */
export interface Me {
  _links: Record<string, Link>;
  /** Address of the picture, or null. */
  avatar: string | null;
  /** `premium` or `supporter` by tier. */
  badge: UserBadge | null;
  bio?: MarkdownContent | null;
  counts?: MeCounts;
  created_at: string;
  email: string;
  id: number;
  /** First letters of the first and last word of the name. */
  initials: string;
  name: string;
  /** Unique among users; never all digits. */
  slug: string;
  tier: UserTier;
  type: string;
  updated_at: string;
}

/** Counts of the signed-in user. */
export interface MeCounts {
  /** Channels that the user owns. Private channels count only if the user reads their own profile. */
  channels: number;
  followers: number;
  following: number;
  notifications: number;
}

/** An invitation of one person to a group. */
export interface MembershipInvitation {
  _links: Record<string, unknown>;
  accepted_at: string | null;
  created_at: string;
  id: number;
  invited_by: EmbeddedUser;
  invitee: EmbeddedUser | null;
  invitee_email: string | null;
  state: string;
  target: EmbeddedGroup;
  type: string;
  updated_at: string;
}

/** A page of invitations. */
export interface MembershipInvitationListResponse {
  data: MembershipInvitation[];
  meta: PaginationMeta;
}

export interface MoveConnectionRequest {
  movement?: Movement;
  position?: number;
}

/** Where to move; up is towards the top. */
export type Movement = "insert_at" | "move_to_top" | "move_to_bottom" | "move_up" | "move_down";

/** An activity that concerns the signed-in user. Its id is the activity's. */
export interface Notification {
  actor: ActivityActor;
  created_at: string;
  id: number;
  is_read: boolean;
  /** The item of the activity, such as the added block. */
  item: ActivitySubject | null;
  kind: ActivityKind;
  /** The context, such as a channel that contains the commented block. */
  parent: ActivitySubject | null;
  /** The target, such as the channel that the block was added to. */
  target: ActivitySubject | null;
  type: string;
}

/** A page of notifications. */
export interface NotificationListResponse {
  data: Notification[];
  meta: CursorMeta;
}

/** The number of unread notifications. */
export interface NotificationReadMeta {
  /** The number of unread notifications. */
  notifications: number;
}

/** A notification that was marked as read, and the number of unread ones. */
export interface NotificationReadResponse {
  data: Notification;
  meta: NotificationReadMeta;
}

/** The number of unread notifications. */
export interface NotificationsReadAllResponse {
  meta: NotificationReadMeta;
}

/** The position of a page in its list. */
export interface PaginationMeta {
  current_page: number;
  has_more_pages: boolean;
  next_page?: number | null;
  per_page: number;
  prev_page?: number | null;
  total_count: number;
  total_pages: number;
}

/** The response to a ping. */
export interface PingResponse {
  status: string;
}

/** The upload URLs of files. */
export interface PresignResponse {
  /** Seconds. */
  expires_in: number;
  /** In the order of the request. */
  files: PresignedFile[];
}

export interface PresignUploadRequest {
  files: PresignUploadRequestFile[];
}

export interface PresignUploadRequestFile {
  /** A media type (RFC 9110, section 8.3.1). */
  content_type: string;
  /** The file name only, without folders. */
  filename: string;
}

/** The upload URL of one file. */
export interface PresignedFile {
  /** The `Content-Type` that the PUT must have. */
  content_type: string;
  /** Identifies the upload. */
  key: string;
  /** Accepts one PUT of the bytes. */
  upload_url: string;
}

/** How the results relate to the viewer. */
export type SearchScope = "all" | "my" | "following";

/** Order of results. */
export type SearchSort = "score_desc" | "created_at_desc" | "created_at_asc" | "updated_at_desc" | "updated_at_asc" | "name_asc" | "name_desc" | "connections_count_desc" | "random";

/** Kinds of results; `Block` includes all kinds of blocks, `All` everything. */
export type SearchTypeFilter = "All" | "Text" | "Image" | "Link" | "Attachment" | "Embed" | "Channel" | "Block" | "User" | "Group";

export interface UpdateBlockRequest {
  alt_text?: string;
  content?: string;
  description?: string;
  metadata?: Record<string, unknown>;
  title?: string;
}

export interface UpdateChannelRequest {
  description?: string | null;
  metadata?: Record<string, unknown>;
  owner?: ChannelOwnerInput;
  title?: string;
  visibility?: ChannelVisibility;
}

export interface UpdateConnectionRequest {
  metadata?: Record<string, unknown>;
}

export interface UpdateGroupRequest {
  avatar_url?: string;
  description?: string | null;
  name?: string;
}

/** A person. */
export interface User {
  _links: Record<string, Link>;
  /** Address of the picture, or null. */
  avatar: string | null;
  /** `premium` or `supporter` by tier. */
  badge: UserBadge | null;
  bio?: MarkdownContent | null;
  counts: UserCounts;
  created_at: string;
  id: number;
  /** First letters of the first and last word of the name. */
  initials: string;
  name: string;
  /** Unique among users; never all digits. */
  slug: string;
  tier: UserTier;
  type: string;
  updated_at: string;
}

/** The badge next to a name. */
export type UserBadge = "staff" | "investor" | "supporter" | "premium";

/** Counts of a user's content and followers. */
export interface UserCounts {
  /** Channels that the user owns. Private channels count only if the user reads their own profile. */
  channels: number;
  followers: number;
  following: number;
}

/** A page of users. */
export interface UserListResponse {
  data: User[];
  meta: PaginationMeta;
}

/** The caller's tier, which sets the rate limit. */
export type UserTier = "guest" | "free" | "premium" | "supporter";

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** An ETag that the thing must still have; if not, the answer is 412. */
  ifMatch?: string;
  /** The key of a POST, for programs that repeat it later. */
  idempotencyKey?: string;
}

/** The operations of the API. */
export interface Operations {
  /** Create many blocks in the background */
  batchCreateBlocks(body: BatchCreateBlocksRequest, options?: CallOptions): Promise<BatchResponse>;
  /** Create a block in one or more channels */
  createBlock(body: CreateBlockRequest, options?: CallOptions): Promise<Block>;
  /** Comment on a block */
  createBlockComment(id: string | number, body: CreateBlockCommentRequest, options?: CallOptions): Promise<Comment>;
  /** Create a channel */
  createChannel(body: CreateChannelRequest, options?: CallOptions): Promise<Channel>;
  /** Connect a block or channel to channels */
  createConnection(body: CreateConnectionRequest, options?: CallOptions): Promise<CreateConnectionResponse>;
  /** Create a group */
  createGroup(body: CreateGroupRequest, options?: CallOptions): Promise<Group>;
  /** Invite a person to a group */
  createGroupInvitation(id: string | number, body: CreateGroupInvitationRequest, options?: CallOptions): Promise<GroupMemberInviteResponse>;
  /** Create the reusable invite of a group */
  createGroupInvite(id: string | number, options?: CallOptions): Promise<GroupInvite>;
  /** Get an access token */
  createOAuthToken(body: CreateOAuthTokenRequest, options?: CallOptions): Promise<CreateOAuthTokenResponse>;
  /** Delete a channel */
  deleteChannel(id: string | number, options?: CallOptions): Promise<void>;
  /** Delete a comment */
  deleteComment(id: string | number, options?: CallOptions): Promise<void>;
  /** Remove an item from a channel */
  deleteConnection(id: string | number, options?: CallOptions): Promise<void>;
  /** Delete a group */
  deleteGroup(id: string | number, options?: CallOptions): Promise<void>;
  /** Revoke the reusable invite of a group */
  deleteGroupInvite(id: string | number, options?: CallOptions): Promise<void>;
  /** Read the progress of a batch */
  getBatchStatus(batchID: string, options?: CallOptions): Promise<BatchStatus>;
  /** Read a block */
  getBlock(id: string | number, options?: CallOptions): Promise<Block>;
  /** List the comments on a block */
  getBlockComments(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort }, options?: CallOptions): Promise<CommentListResponse>;
  /** Returns all items of getBlockComments, page by page. */
  allBlockComments(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort }, options?: CallOptions): AsyncGenerator<Comment>;
  /** List the channels that contain a block */
  getBlockConnections(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort; filter?: ConnectionFilter }, options?: CallOptions): Promise<ChannelListResponse>;
  /** Returns all items of getBlockConnections, page by page. */
  allBlockConnections(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort; filter?: ConnectionFilter }, options?: CallOptions): AsyncGenerator<Channel>;
  /** Read a channel */
  getChannel(id: string | number, options?: CallOptions): Promise<Channel>;
  /** List the channels that contain a channel */
  getChannelConnections(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort }, options?: CallOptions): Promise<ChannelListResponse>;
  /** Returns all items of getChannelConnections, page by page. */
  allChannelConnections(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort }, options?: CallOptions): AsyncGenerator<Channel>;
  /** List the contents of a channel */
  getChannelContents(id: string | number, params?: { page?: number; per?: number; sort?: ChannelContentSort; user_id?: number }, options?: CallOptions): Promise<ConnectableListResponse>;
  /** Returns all items of getChannelContents, page by page. */
  allChannelContents(id: string | number, params?: { page?: number; per?: number; sort?: ChannelContentSort; user_id?: number }, options?: CallOptions): AsyncGenerator<Connectable>;
  /** List the followers of a channel */
  getChannelFollowers(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort }, options?: CallOptions): Promise<UserListResponse>;
  /** Returns all items of getChannelFollowers, page by page. */
  allChannelFollowers(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort }, options?: CallOptions): AsyncGenerator<User>;
  /** Read a connection */
  getConnection(id: string | number, options?: CallOptions): Promise<Connection>;
  /** Read the signed-in user */
  getCurrentUser(options?: CallOptions): Promise<Me>;
  /** Read a group */
  getGroup(id: string | number, options?: CallOptions): Promise<Group>;
  /** List the channels and blocks of a group */
  getGroupContents(id: string | number, params?: { page?: number; per?: number; sort?: ContentSort; type?: ContentTypeFilter }, options?: CallOptions): Promise<ConnectableListResponse>;
  /** Returns all items of getGroupContents, page by page. */
  allGroupContents(id: string | number, params?: { page?: number; per?: number; sort?: ContentSort; type?: ContentTypeFilter }, options?: CallOptions): AsyncGenerator<Connectable>;
  /** List the followers of a group */
  getGroupFollowers(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort }, options?: CallOptions): Promise<UserListResponse>;
  /** Returns all items of getGroupFollowers, page by page. */
  allGroupFollowers(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort }, options?: CallOptions): AsyncGenerator<User>;
  /** List the open invitations of a group */
  getGroupInvitations(id: string | number, params?: { page?: number; per?: number }, options?: CallOptions): Promise<MembershipInvitationListResponse>;
  /** Returns all items of getGroupInvitations, page by page. */
  allGroupInvitations(id: string | number, params?: { page?: number; per?: number }, options?: CallOptions): AsyncGenerator<MembershipInvitation>;
  /** Read the reusable invite of a group */
  getGroupInvite(id: string | number, options?: CallOptions): Promise<GroupInvite>;
  /** List the members of a group */
  getGroupMembers(id: string | number, params?: { page?: number; per?: number }, options?: CallOptions): Promise<GroupMemberListResponse>;
  /** Returns all items of getGroupMembers, page by page. */
  allGroupMembers(id: string | number, params?: { page?: number; per?: number }, options?: CallOptions): AsyncGenerator<GroupMember>;
  /** Read the feed */
  getMyFeed(params?: { limit?: number; next?: string; prev?: string }, options?: CallOptions): Promise<FeedListResponse>;
  /** Returns all items of getMyFeed, page by page. */
  allMyFeed(params?: { limit?: number; next?: string; prev?: string }, options?: CallOptions): AsyncGenerator<Activity>;
  /** Read the notifications */
  getMyNotifications(params?: { limit?: number; next?: string; prev?: string; unread?: boolean }, options?: CallOptions): Promise<NotificationListResponse>;
  /** Returns all items of getMyNotifications, page by page. */
  allMyNotifications(params?: { limit?: number; next?: string; prev?: string; unread?: boolean }, options?: CallOptions): AsyncGenerator<Notification>;
  /** Check that the API answers */
  getPing(options?: CallOptions): Promise<PingResponse>;
  /** Read a user */
  getUser(id: string | number, options?: CallOptions): Promise<User>;
  /** List the blocks and channels of a user */
  getUserContents(id: string | number, params?: { page?: number; per?: number; sort?: ContentSort; type?: ContentTypeFilter }, options?: CallOptions): Promise<ConnectableListResponse>;
  /** Returns all items of getUserContents, page by page. */
  allUserContents(id: string | number, params?: { page?: number; per?: number; sort?: ContentSort; type?: ContentTypeFilter }, options?: CallOptions): AsyncGenerator<Connectable>;
  /** List the followers of a user */
  getUserFollowers(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort }, options?: CallOptions): Promise<UserListResponse>;
  /** Returns all items of getUserFollowers, page by page. */
  allUserFollowers(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort }, options?: CallOptions): AsyncGenerator<User>;
  /** List everything that a user follows */
  getUserFollowing(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort; type?: FollowableType }, options?: CallOptions): Promise<FollowableListResponse>;
  /** Returns all items of getUserFollowing, page by page. */
  allUserFollowing(id: string | number, params?: { page?: number; per?: number; sort?: ConnectionSort; type?: FollowableType }, options?: CallOptions): AsyncGenerator<Followable>;
  /** List the groups of a user */
  getUserGroups(id: string | number, params?: { page?: number; per?: number; sort?: GroupSort }, options?: CallOptions): Promise<GroupListResponse>;
  /** Returns all items of getUserGroups, page by page. */
  allUserGroups(id: string | number, params?: { page?: number; per?: number; sort?: GroupSort }, options?: CallOptions): AsyncGenerator<Group>;
  /** Join a group with its invite */
  joinGroup(id: string | number, body: JoinGroupRequest, options?: CallOptions): Promise<GroupMember>;
  /** Leave a group */
  leaveGroup(id: string | number, options?: CallOptions): Promise<void>;
  /** Mark all notifications as read */
  markAllMyNotificationsRead(options?: CallOptions): Promise<NotificationsReadAllResponse>;
  /** Mark a notification as read */
  markMyNotificationRead(id: string | number, options?: CallOptions): Promise<NotificationReadResponse>;
  /** Move an item within its channel */
  moveConnection(id: string | number, body: MoveConnectionRequest, options?: CallOptions): Promise<Connection>;
  /** Get upload URLs for files */
  presignUpload(body: PresignUploadRequest, options?: CallOptions): Promise<PresignResponse>;
  /** Remove a member from a group */
  removeGroupMember(id: string | number, userID: number, options?: CallOptions): Promise<void>;
  /** Revoke an invitation */
  revokeGroupInvitation(id: string | number, invitationID: number, options?: CallOptions): Promise<void>;
  /** Search */
  search(params?: { query?: string; type?: SearchTypeFilter[]; scope?: SearchScope; user_id?: number; group_id?: number; channel_id?: number; ext?: FileExtension[]; sort?: SearchSort; after?: string; seed?: number; page?: number; per?: number }, options?: CallOptions): Promise<EverythingListResponse>;
  /** Returns all items of search, page by page. */
  allSearch(params?: { query?: string; type?: SearchTypeFilter[]; scope?: SearchScope; user_id?: number; group_id?: number; channel_id?: number; ext?: FileExtension[]; sort?: SearchSort; after?: string; seed?: number; page?: number; per?: number }, options?: CallOptions): AsyncGenerator<Everything>;
  /** Change a block */
  updateBlock(id: string | number, body: UpdateBlockRequest, options?: CallOptions): Promise<Block>;
  /** Change a channel */
  updateChannel(id: string | number, body: UpdateChannelRequest, options?: CallOptions): Promise<Channel>;
  /** Change the metadata of a connection */
  updateConnection(id: string | number, body: UpdateConnectionRequest, options?: CallOptions): Promise<Connection>;
  /** Change a group */
  updateGroup(id: string | number, body: UpdateGroupRequest, options?: CallOptions): Promise<Group>;
}
