// Code generated from api/ext.yaml by internal/oas/clients. DO NOT EDIT.

import type { Item, TaggedConnection } from "./ext.js";

export interface AddChannelFeedRequest {
  /** The name of the feed until it is read. */
  title?: string | null;
  url: string;
}

export interface AddCollaboratorRequest {
  group_id?: number;
  user_id?: number;
}

/** An account as operators see it. */
export interface AdminAccount {
  created_at: string;
  email: string;
  id: number;
  name: string;
  role: string;
  slug: string;
  suspended: boolean;
  tier: string;
}

/** An account with details. */
export interface AdminAccountDetails {
  account: AdminAccount;
  /** That may act for the account. */
  applications: number;
  blocks: number;
  channels: number;
  deletion: AdminDeletion;
  has_password: boolean;
  /** Connected accounts of sign-on providers. */
  identities: number;
  last_seen_at: string | null;
  passkeys: number;
  /** 0 is unlimited. */
  quota_bytes: number;
  /** Unused ones. */
  recovery_codes: number;
  sessions: number;
  stored_bytes: number;
  tokens: number;
}

/** Part of a list. */
export interface AdminAccountList {
  data: AdminAccount[];
  /** For the next part; null at the end. */
  next_cursor: string | null;
}

/** A link. */
export interface AdminAddress {
  /** Null if it was mailed. */
  address: string | null;
}

export interface AdminAnnounceRequest {
  /** Markdown. */
  announcement: string;
  seen?: number;
  severity?: string;
  /** When it disappears; without it, when an operator removes it. */
  until?: string;
}

/** An OAuth application. */
export interface AdminApplication {
  client_id: string;
  /** Only in the response that creates it. */
  client_secret: string | null;
  created_at: string;
  id: number;
  name: string;
  /** Slug of the account that registered it. */
  owner: string | null;
  public: boolean;
  redirect_uris: string[];
}

/** Part of a list. */
export interface AdminApplicationList {
  data: AdminApplication[];
  /** For the next part; null at the end. */
  next_cursor: string | null;
}

/** An entry of the audit log. */
export interface AdminAuditEntry {
  about: AdminSubject | null;
  act: string;
  actor: string;
  actor_id: number | null;
  address: string | null;
  at: string;
  details: unknown;
  id: number;
  request_id: string | null;
}

/** Part of the log. */
export interface AdminAuditList {
  data: AdminAuditEntry[];
  next_cursor: string | null;
}

/** Remaining work of a job after an upgrade. */
export interface AdminBackfill {
  /** Whether `rows` is an upper bound. */
  at_most: boolean;
  kind: string;
  rows: number;
}

/** All backfills. */
export interface AdminBackfillList {
  data: AdminBackfill[];
}

/** A backup. */
export interface AdminBackup {
  bytes: number;
  ended_at: string | null;
  error: string | null;
  files: number;
  /** Files that the storage did not have. */
  missing: number;
  /** Its name where it is stored. */
  name: string | null;
  rows: number;
  scheduled: boolean;
  started_at: string;
  state: string;
  /** Bytes of files that were new. */
  written: number;
}

/** Part of a list. */
export interface AdminBackupList {
  data: AdminBackup[];
  /** For the next part; null at the end. */
  next_cursor: string | null;
}

export interface AdminBeginReadOnlyRequest {
  /** Shown to everybody. */
  reason?: string | null;
  /** When it is expected to end. It does not end by itself. */
  until?: string;
}

export interface AdminBlockRequest {
  kind: string;
  note?: string | null;
  /** A domain, the domain of a mail provider, the SHA-256 of a file, or a network. */
  value: string;
}

/** An entry of the blocklist. */
export interface AdminBlocked {
  created_at: string;
  id: number;
  kind: string;
  note: string;
  value: string;
}

/** Part of a list. */
export interface AdminBlockedList {
  data: AdminBlocked[];
  /** For the next part; null at the end. */
  next_cursor: string | null;
}

export interface AdminCreateAccountRequest {
  email: string;
  name: string;
  /** 8 to 200 bytes. */
  password?: string | null;
  /** By default derived from the name. */
  slug?: string | null;
  /** By default that of the setting `default-tier`. */
  tier?: string;
}

export interface AdminCreateApplicationRequest {
  /** Id or slug of the account that it belongs to. */
  account: string;
  /** Whether its tokens expire and are refreshed. */
  expiring?: boolean;
  name: string;
  /** Whether it has no secret. */
  public?: boolean;
  redirect_uris?: string[];
  /** Whether it was written for version 2 of the API. */
  version_2?: boolean;
}

export interface AdminCreateSignUpLinkRequest {
  days?: number;
  /** Id or slug of a group to join. */
  group?: string | null;
  note?: string | null;
  places: number;
  /** Whether addresses need no confirmation. */
  vouched?: boolean;
}

export interface AdminDecideReportRequest {
  /** With `suspended`, also hide everything that they created. */
  hide?: boolean;
  outcome: string;
  /** Reasons for the owner; required if the outcome is `warned`. */
  text?: string | null;
}

/** What deleting an account would do. */
export interface AdminDeletion {
  /** Deleted, in no channel of others. */
  blocks: number;
  /** Deleted. */
  channels: number;
  /** Deleted. */
  comments: number;
  /** Slugs. */
  groups_deleted: string[];
  /** Slugs. */
  groups_handed_over: string[];
  /** Whether it is not the only operator. */
  possible: boolean;
  /** Kept without an author, in channels of others. */
  shared_blocks: number;
}

/** Free space of a disk. */
export interface AdminDisk {
  free_bytes: number;
  path: string;
  total_bytes: number;
}

/** Hidden content. */
export interface AdminHidden {
  about: AdminSubject;
  created_at: string;
  id: number;
  owner: string | null;
  owner_id: number | null;
}

/** Part of a list. */
export interface AdminHiddenList {
  data: AdminHidden[];
  /** For the next part; null at the end. */
  next_cursor: string | null;
}

export interface AdminHideRequest {
  id: number;
  /** Reasons for the owner. */
  text?: string | null;
  type: string;
}

export interface AdminInviteRequest {
  again?: boolean;
  days?: number;
  email: string;
  /** Id or slug of a group to join. */
  group?: string | null;
  mail: boolean;
  name?: string | null;
  slug?: string | null;
}

/** The result of inviting a person. */
export interface AdminInvited {
  /** Slug of the account that has the address. */
  account: string | null;
  /** The link, if it was created and not mailed. */
  address: string | null;
  invitation_id: number | null;
  outcome: string;
}

/** A job. */
export interface AdminJob {
  args: unknown;
  /** When it ended, started its attempt, or is due. */
  at: string;
  attempts: number;
  error: string | null;
  id: number;
  kind: string;
  max_attempts: number;
  process: string | null;
  state: string;
}

/** Jobs of a class. */
export interface AdminJobClass {
  failed: number;
  name: string;
  oldest_due_at: string | null;
  running: number;
  waiting: number;
}

/** Part of a list. */
export interface AdminJobList {
  data: AdminJob[];
  /** For the next part; null at the end. */
  next_cursor: string | null;
}

/** A link for signing up. */
export interface AdminLink {
  /** Only in the response that creates it. */
  address: string | null;
  created_at: string;
  /** The only address that may use it. */
  email: string | null;
  expires_at: string;
  /** Slug of the group to join. */
  group: string | null;
  id: number;
  /** Whether it can still be used. */
  live: boolean;
  name: string | null;
  note: string | null;
  places: number;
  slug: string | null;
  taken: number;
  /** Slugs of the accounts that used it. */
  used_by: string[];
}

/** Part of a list. */
export interface AdminLinkList {
  data: AdminLink[];
  /** For the next part; null at the end. */
  next_cursor: string | null;
}

/** Reported or hidden content. */
export interface AdminLook {
  about: AdminSubject;
  /** Of a channel, as in `/v3`. */
  contents: unknown[];
  excerpt: string;
  hidden_id: number | null;
  /** As in `/v3`. */
  item: unknown;
  next_cursor: string | null;
  owner_id: number | null;
}

/** A page of the site. */
export interface AdminPage {
  /** Markdown; null in lists. */
  body: string | null;
  created_at: string;
  slug: string;
  title: string;
  updated_at: string;
  version: number;
}

/** All pages. */
export interface AdminPageList {
  data: AdminPage[];
}

/** Whether the site is read-only. */
export interface AdminReadOnly {
  read_only: boolean;
  reason: string | null;
  since: string | null;
  /** When it is expected to end. */
  until: string | null;
}

/** A receipt with the number of its account. */
export interface AdminReceipt {
  account_id: number;
  id: number;
  receipt: Receipt;
}

/** Part of the receipts. */
export interface AdminReceiptList {
  data: AdminReceipt[];
  next_cursor: string | null;
}

/** A report. */
export interface AdminReport {
  about: AdminSubject;
  closed_at: string | null;
  /** A slug; null for the command line. */
  closed_by: string | null;
  id: number;
  last_at: string;
  opened_at: string;
  outcome: string | null;
  /** Their slug. */
  owner: string | null;
  /** The person responsible for it. */
  owner_id: number | null;
  reports: number;
  /** The message to the owner. */
  text: string | null;
}

/** A report with details. */
export interface AdminReportDetails {
  entries: AdminReportEntry[];
  /** Of the content as it is now; null if it was deleted. */
  excerpt: string | null;
  /** Of the entry in the list of hidden content. */
  hidden_id: number | null;
  next_cursor: string | null;
  report: AdminReport;
}

/** One person's report. */
export interface AdminReportEntry {
  created_at: string;
  id: number;
  reason: string;
  reporter: string | null;
  reporter_id: number | null;
  text: string;
}

/** Part of a list. */
export interface AdminReportList {
  data: AdminReport[];
  /** For the next part; null at the end. */
  next_cursor: string | null;
}

export interface AdminResetPasswordRequest {
  mail: boolean;
}

export interface AdminRetryJobRequest {
  force: boolean;
}

export interface AdminSavePageRequest {
  /** Markdown. */
  body: string;
  seen?: number;
  title: string;
}

/** The state of the server. */
export interface AdminServer {
  blocks: number;
  channels: number;
  connections: number;
  counted_at: string;
  database: string;
  disks: AdminDisk[];
  failed_backup_at: string | null;
  groups: number;
  jobs: AdminJobClass[];
  last_backup_at: string | null;
  mail_error: string | null;
  mail_sent_at: string | null;
  stored_bytes: number;
  users: number;
  version: string;
}

export interface AdminSetEmailRequest {
  email: string;
}

export interface AdminSetPasswordRequest {
  /** 8 to 200 bytes. */
  password: string;
}

export interface AdminSetSignUpRequest {
  mode: string;
}

export interface AdminSignOutRequest {
  tokens: boolean;
}

/** Settings of the site. */
export interface AdminSite {
  /** Markdown. */
  about: string | null;
  /** When the announcement disappears. */
  announced_until: string | null;
  /** Markdown. */
  announcement: string | null;
  /** Ids of channels. */
  featured: number[];
  name: string;
  /** That of the announcement. */
  severity: string;
  sign_up: string;
  /** Whether a setting of the server fixes it. */
  sign_up_fixed: boolean;
  updated_at: string;
  version: number;
}

/** The storage of an account. */
export interface AdminStorage {
  blocks: number;
  id: number;
  /** 0 is unlimited. */
  quota_bytes: number;
  slug: string;
  stored_bytes: number;
}

/** Part of a list. */
export interface AdminStorageList {
  data: AdminStorage[];
  /** For the next part; null at the end. */
  next_cursor: string | null;
}

/** What something is about. */
export interface AdminSubject {
  id: number;
  label: string;
  type: string;
}

/** A personal access token without its secret. */
export interface AdminToken {
  created_at: string;
  expires_at: string | null;
  /** Its first characters. */
  hint: string;
  id: number;
  last_used_at: string | null;
  name: string;
  revoked_at: string | null;
  /** Its scopes, separated by spaces. */
  scope: string;
}

/** Part of a list. */
export interface AdminTokenList {
  data: AdminToken[];
  /** For the next part; null at the end. */
  next_cursor: string | null;
}

export interface AdminUpdateAccountRequest {
  /** Also hide everything that the suspended account created, until the suspension is lifted. */
  hide?: boolean;
  role?: string;
  suspended?: boolean;
  tier?: string;
}

export interface AdminUpdateSiteRequest {
  /** Markdown. */
  about?: string | null;
  /** Slugs of channels on the start page, in order. */
  featured?: string[];
  name?: string;
  /** The key or address of one of your uploads. */
  picture?: string | null;
  seen?: number;
}

/** A highlight in the W3C's Web Annotation Data Model. Positions count characters of Unicode. */
export interface Annotation {
  "@context"?: string;
  body?: AnnotationBody;
  created: string;
  id: string;
  modified: string;
  motivation: string;
  target: AnnotationTarget;
  type: string;
}

export interface AnnotationBody {
  format: string;
  purpose: string;
  type: string;
  value: string;
}

/** The note about a highlight, as plain text of at most 5,000 characters. */
export interface AnnotationNote {
  type?: string;
  value: string;
}

/** A page of annotations. */
export interface AnnotationPage {
  "@context": string;
  id: string;
  items: Annotation[];
  next?: string;
  partOf: AnnotationPagePartOf;
  prev?: string;
  startIndex: number;
  type: string;
}

export interface AnnotationPagePartOf {
  id: string;
  total: number;
  type: string;
}

export interface AnnotationTarget {
  selector: TextSelector[];
  /** The address of the block's page. */
  source: string;
}

/** The processing state of a block. */
export interface BlockProcessing {
  /** The number of attempts so far. */
  attempts: number;
  /** Why the last attempt failed. */
  reason: string | null;
  state: string;
  updated_at: string;
}

/** A request. */
export interface BulkOperation {
  /** The body, if the request has one. */
  body?: unknown;
  /** As the header `If-Match`. */
  if_match?: string;
  method: string;
  /** From the root of the API, such as `/v3/blocks`. */
  path: string;
}

/** The results of operations, in their order. */
export interface BulkResults {
  /** False if `atomic` was given and an operation failed, so nothing has changed. */
  committed: boolean;
  results: BulkResultsResult[];
}

export interface BulkResultsResult {
  /** The response, or the error. Absent if the response has no body. */
  body?: unknown;
  /** The status of the response. */
  status: number;
}

/** The number of bytes used, and the limit. */
export interface ByteUsage {
  bytes: number;
  limit: number | null;
}

/** A change of one thing. */
export interface Change {
  /** Id of the user who created, connected or followed it; null otherwise. */
  actor_id: number | null;
  at: string;
  /** The channel of a connection. */
  channel_id: number | null;
  /** Continues after this change. */
  cursor: string;
  /** The fields that changed, if they are known. */
  fields: string[];
  /** Id of the thing. */
  id: number;
  /** The item of a connection, the block of a comment, or the user who joined or left a group. */
  item: ChangeItem | null;
  /** What happened, as the viewer sees it: a thing that is now hidden from them is `deleted`, and one that they can now see is `created`. `moved` is about the place of a connection, or the order of all contents of a channel. `joined` and `left` are about the member `item` of a group; only its members get them. */
  kind: string;
  type: string;
}

/** A thing that a change refers to. */
export interface ChangeItem {
  id: number;
  type: string;
}

/** A page of changes. */
export interface ChangeList {
  /** Continues after this page. */
  cursor: string;
  data: Change[];
  /** Whether to request the next page at once. */
  more: boolean;
}

/** The parts of a channel that are needed to choose it. */
export interface ChannelChoice {
  id: number;
  /** The name of the user or group that owns it. */
  owner: string;
  slug: string;
  title: string;
  type: string;
  visibility: string;
  /** The address of its page on the website. */
  web_url: string;
}

/** Channels to which the viewer may add. */
export interface ChannelChoiceList {
  data: ChannelChoice[];
}

/** The subscription of a channel to a feed. */
export interface ChannelFeed {
  checked_at: string | null;
  created_at: string;
  /** Number of checks that have failed since the last one that succeeded. */
  failures: number;
  id: number;
  next_check_at: string | null;
  /** Why the last check failed, in words. */
  problem: string | null;
  /** `waiting` before the first check; `stopped` if it is no longer checked. */
  state: string;
  succeeded_at: string | null;
  /** The name that the feed gives itself; null before it is read. */
  title: string | null;
  url: string;
  user: EmbeddedUser;
}

/** The feeds to which a channel is subscribed. */
export interface ChannelFeedList {
  data: ChannelFeed[];
}

/** A user or group who may add to a channel. */
export type Collaborator = EmbeddedUser | EmbeddedGroup;

/** The collaborators of a channel. */
export interface CollaboratorList {
  data: Collaborator[];
}

/** A comment on a block, as in `/v3`, with the address of the page. */
export interface Comment {
  _links: Record<string, Link>;
  body: Markdown;
  created_at: string;
  id: number;
  type: string;
  updated_at: string;
  user: EmbeddedUser;
  /** The address of its block's page on the website. */
  web_url: string;
}

export interface CreateHighlightRequest {
  body?: AnnotationNote;
  target: CreateHighlightRequestTarget;
}

export interface CreateHighlightRequestTarget {
  selector: TextSelector[];
}

export interface CreateReportRequest {
  id: number;
  reason: string;
  /** A short description of the problem; required if the reason is `other`. */
  text?: string | null;
  type: string;
}

export interface CreateWebhookRequest {
  /** Whether it is on. */
  active?: boolean;
  /** Only changes of this channel and its contents are sent; null for all. */
  channel_id?: number | null;
  /** The types of events to send; empty for all. */
  events?: WebhookEvent[];
  /** A name of your choice, shown in Settings. */
  name?: string | null;
  payload?: WebhookPayload;
  /** An http or https address. It must be public, unless the operator allows its host. */
  url: string;
}

/** A group inside another resource, as in `/v3`, with the address of the page. */
export interface EmbeddedGroup {
  avatar: string | null;
  id: number;
  initials: string;
  name: string;
  slug: string;
  type: string;
  /** The address of its page on the website. */
  web_url: string;
}

/** A user inside another resource, as in `/v3`, with the address of the page. */
export interface EmbeddedUser {
  avatar: string | null;
  id: number;
  initials: string;
  name: string;
  slug: string;
  type: string;
  /** The address of its page on the website. */
  web_url: string;
}

/** An archive of a user's content. */
export interface Export {
  _links: Record<string, Link>;
  /** Counts of the contents so far. */
  counts: ExportCounts;
  created_at: string;
  ended_at: string | null;
  /** The time at which it will be removed. */
  expires_at: string;
  /** The address to download it from, with a token; null until it is done. */
  file_url: string | null;
  id: number;
  /** The number of items of channels, in all and finished. */
  progress: ExportProgress;
  /** The size of the archive in bytes; 0 until it is done. */
  size: number;
  state: string;
  type: string;
  web_url: string;
}

/** Counts of the contents so far. */
export interface ExportCounts {
  blocks: number;
  /** The size of the files. */
  bytes: number;
  channels: number;
  files: number;
  /** The number of items that could not be read; the archive lists them in `json/left-out.jsonl`. */
  left_out: number;
}

export interface ExportList {
  data: Export[];
}

/** The number of items of channels, in all and finished. */
export interface ExportProgress {
  items: number;
  items_done: number;
}

/** Whether the files of a block show their metadata. */
export interface FileMetadata {
  /** Whether the author chose to show the metadata to everyone. */
  keep: boolean;
  /** The file that other people get. `removed`: the file without its metadata. `none`: the original file, because it has no metadata. `kept`: the original file with its metadata, because its author or the operator of the server chose this. `irremovable`: the metadata cannot be removed, because the file is damaged or is a camera's raw file; others get the largest resized version of an image, and 404 for other files. `pending`: not examined yet; the file is examined when it is requested. */
  state: string;
}

/** Whether the signed-in user follows something. */
export interface FollowState {
  following: boolean;
}

/** A page of results, each as `GET /v3/search` shows it, with the address of its page as `web_url`. */
export interface FoundList {
  data: Item[];
  meta: PageMeta;
}

/** An import of a collection. `channels` and `left_out` are only present if a single import is read. */
export interface Import {
  _links: Record<string, Link>;
  /** The address of the server. */
  address: string | null;
  channels?: ImportChannel[];
  counts: ImportCounts;
  created_at: string;
  /** The character encoding in which the file was read; only if a single import is read. */
  encoding?: string | null;
  ended_at: string | null;
  /** The name of the file. */
  file: string | null;
  /** The recognized format of the file, such as `Pocket`; only if a single import is read. */
  format?: string | null;
  id: number;
  /** Whether the import also adds to channels that everyone can see, even if it or its source asks for private channels. */
  into_visible: boolean;
  left_out?: ImportLeftOut[];
  progress: ImportProgress;
  /** Why the import failed. */
  reason: string | null;
  source: string;
  started_at: string | null;
  /** `choosing`: started on the website, where the user still has to choose the channels. */
  state: string;
  /** A report of the import in English that names the first skipped items, once it has ended; only if a single import is read. */
  summary?: string | null;
  type: string;
  /** Visibility of the channels that the import creates, unless the source defines one. */
  visibility: string;
  /** The address of its page on the website. */
  web_url: string;
  what: string[];
}

/** A channel of an import. */
export interface ImportChannel {
  counts: ImportCounts;
  /** The name of the channel at its source. */
  name: string;
  state: string;
  title: string;
}

/** Counts of the items that an import created or found. */
export interface ImportCounts {
  blocks: number;
  /** The size of the files. */
  bytes: number;
  /** Items that existed here and were updated from the source. */
  changed: number;
  channels: number;
  comments: number;
  connections: number;
  files: number;
  /** Items that could not be imported. */
  left_out: number;
  /** Items whose position in their channel changed. */
  moved: number;
  /** Items that already existed here. */
  unchanged: number;
}

/** An item that could not be imported. */
export interface ImportLeftOut {
  what: string;
  /** The address of the item, or its line in the file. */
  where: string;
  why: string;
}

/** A page of imports. */
export interface ImportList {
  data: Import[];
  meta: PageMeta;
}

/** The progress of an import. */
export interface ImportProgress {
  /** The number of channels to import, as far as it is known; a file counts as one. */
  channels: number;
  channels_done: number;
  /** The number of items to import, as far as it is known. */
  items: number;
  items_done: number;
}

/** A page of blocks and channels, each as `GET /v3/channels/{id}/contents` shows it, with the address of its page as `web_url`. */
export interface ItemList {
  data: Item[];
  meta: PageMeta;
}

export interface Link {
  href: string;
}

/** A version of the texts of a block, channel, group or profile, without the texts. */
export interface ListedTextVersion {
  /** When the user last changed it. */
  at: string;
  /** Whether this is the current version. */
  current: boolean;
  number: number;
  user: EmbeddedUser;
}

/** A text in three forms. */
export interface Markdown {
  html: string;
  markdown: string;
  plain: string;
}

/** The position of a page in its list. */
export interface PageMeta {
  current_page: number;
  has_more_pages: boolean;
  next_page: number | null;
  per_page: number;
  prev_page: number | null;
  total_count: number;
  total_pages: number;
}

/** Part of a list. The items have the fields of `/v3`, and blocks, channels, users, groups and comments also `web_url`. */
export interface PartOfList {
  data: Item[];
  /** Continues after this part; null at the end. */
  next_cursor: string | null;
}

/** The profile of the signed-in user. */
export interface Profile {
  _links: Record<string, Link>;
  avatar: string | null;
  bio: Markdown | null;
  id: number;
  name: string;
  slug: string;
  type: string;
  updated_at: string;
  /** The address of its page on the website. */
  web_url: string;
}

/** A confirmation of an export or an erasure. */
export interface Receipt {
  asked_at: string;
  /** Whether an operator did it for the person. */
  by_operator: boolean;
  code: string;
  /** Counts of the exported or erased things, such as `channels` and `blocks`. */
  counts: unknown;
  /** Null while the rest is being erased. */
  done_at: string | null;
  kind: string;
}

export interface RunBulkRequest {
  /** Whether to commit all operations or none. */
  atomic?: boolean;
  operations: BulkOperation[];
}

/** A block of a page, and the channels that contain it. */
export interface SavedBlock {
  channels: SavedChannel[];
  created_at: string;
  id: number;
  /** Whether the viewer created it, and so may change and delete it. */
  own: boolean;
  title: string | null;
  type: string;
  /** The address of its page on the website. */
  web_url: string;
}

/** A channel that contains a block. */
export interface SavedChannel {
  channel: ChannelChoice;
  /** Whether the viewer may remove the block from the channel. */
  removable: boolean;
}

/** The blocks of a page. */
export interface SavedList {
  data: SavedBlock[];
}

export interface SetBlockFileMetadataRequest {
  keep: boolean;
}

export interface SetBlockSnapshotPolicyRequest {
  policy: string;
}

export interface SetChannelSnapshotPolicyRequest {
  policy: string;
}

export interface ShareSnapshotRequest {
  shared: boolean;
}

/** The name and texts of a site. */
export interface Site {
  announcement: Markdown | null;
  description: Markdown | null;
  /** Whether people who are not signed in can see anything. */
  guests: string;
  name: string;
  picture: string | null;
  /** The address of the website. */
  web_url: string;
}

/** A saved copy of the page of a block. */
export interface Snapshot {
  block_id: number;
  created_at: string;
  id: number;
  kind: string;
  /** These parts, at most 100. Lists of copies omit them. */
  missing?: SnapshotMissing[];
  /** The number of parts of the page that the copy lacks. Only known for copies by this server. */
  missing_count: number;
  /** Whether everyone who sees the block sees the copy. */
  shared: boolean;
  /** In bytes. */
  size: number;
  /** Whether the browser of the block's author or this server took it, or whether it shows the mail that the block came by, with its images. */
  source: string;
  taken_at: string;
  title: string;
  type: string;
  /** Address of the page. */
  url: string;
  /** The address at which the website shows the copy. */
  web_url: string;
}

/** Saved copies of a page. */
export interface SnapshotList {
  data: Snapshot[];
}

export interface SnapshotMissing {
  reason: string;
  /** Address of the part; long ones are shortened. */
  url: string;
}

/** When the server copies pages. */
export interface SnapshotPolicy {
  /** The policy that applies. A `never` of the operator always does. */
  effective: string;
  policy: string;
  type: string;
}

/** A copy that the server is taking or failed to take. */
export interface SnapshotRequest {
  /** The number of attempts so far. */
  attempts: number;
  /** Why the last attempt failed. */
  reason: string | null;
  state: string;
  updated_at: string;
}

export interface StartImportRequest {
  /** The address of the server. */
  address?: string | null;
  /** Character encoding of the file, by a name that browsers accept, such as `shift_jis` or `windows-1251`; by default it is detected. */
  encoding?: string | null;
  /** Also add to channels that everyone can see, even if the import or its source asks for private channels; `false` by default. */
  into_visible?: boolean;
  source: string;
  /** The token for the server; without one, only content that guests can see there is imported. */
  token?: string | null;
  /** The key or address of one of your uploads. */
  upload_key?: string | null;
  /** Visibility of the channels that the import creates, unless the source defines one; `private` by default. */
  visibility?: string;
  what?: string[];
}

/** A selector of a passage by its words or by its characters. The first selector by words counts. */
export interface TextSelector {
  end?: number;
  exact?: string | null;
  prefix?: string | null;
  start?: number;
  suffix?: string | null;
  type: string;
}

/** A version of the texts of a block, channel, group or profile. Texts that the thing lacks are null. */
export interface TextVersion {
  alt_text: string | null;
  /** When the user last changed it. */
  at: string;
  /** Markdown, of a Text block. */
  content: string | null;
  /** Whether this is the current version. */
  current: boolean;
  /** Markdown. The biography of a profile. */
  description: string | null;
  number: number;
  /** The name of a group or profile. */
  title: string | null;
  user: EmbeddedUser;
}

/** The versions of the texts of a block, channel, group or profile, without the texts. */
export interface TextVersionList {
  data: ListedTextVersion[];
}

export interface UpdateCommentRequest {
  body: string;
}

export interface UpdateHighlightRequest {
  body?: AnnotationNote;
}

export interface UpdateMeRequest {
  /** Address of a picture, or an upload as in the `value` of a block; null or an empty text clears it. The picture is shown once it has been fetched. */
  avatar_url?: string | null;
  /** Markdown; null or an empty text clears it. */
  bio?: string | null;
  name?: string;
}

export interface UpdateWebhookRequest {
  /** Whether it is on. */
  active?: boolean;
  /** Only changes of this channel and its contents are sent; null for all. */
  channel_id?: number | null;
  /** The types of events to send; empty for all. */
  events?: WebhookEvent[];
  /** A name of your choice, shown in Settings. */
  name?: string | null;
  payload?: WebhookPayload;
  /** An http or https address. It must be public, unless the operator allows its host. */
  url?: string;
}

/** The storage use and quota of a user. */
export interface Usage {
  /** Bytes of block files and pictures; part of `total`. */
  files: number;
  snapshots: ByteUsage;
  /** Bytes of texts; part of `total`. Each byte of UTF-8 counts twice, to account for the search index. */
  texts: number;
  total: ByteUsage;
  unused: ByteUsage;
  uploads: UsageUploads;
}

export interface UsageUploads {
  /** How many can be sent at the same time; others have to wait. */
  at_once: number;
  /** The maximum number of open uploads. */
  limit: number;
  /** The maximum size of a file, in bytes. */
  max_bytes: number;
  /** The number of uploads, complete or not, from which blocks can still be created. */
  open: number;
}

/** An address to which changes are sent. */
export interface Webhook {
  active: boolean;
  /** The OAuth application that created it. */
  application_id: number | null;
  /** Only changes of this channel and its contents are sent. */
  channel_id: number | null;
  created_at: string;
  /** The types of events to send; empty for all. */
  events: WebhookEvent[];
  /** The first failed attempt since the last success. */
  failing_since: string | null;
  id: number;
  name: string;
  /** Until when the former secret also signs. */
  old_secret_until: string | null;
  payload: WebhookPayload;
  /** Only in the responses that create or replace it. */
  secret: string | null;
  /** Why it is off. `gone`: the receiver responded 410. `failing`: no attempt succeeded for three days. `restored`: a backup of the site was restored. `no-grant`: the application may no longer act for you. */
  stopped: string | null;
  succeeded_at: string | null;
  updated_at: string;
  url: string;
}

/** An event that is, or was, sent to a webhook. */
export interface WebhookDelivery {
  attempted_at: string | null;
  attempts: number;
  created_at: string;
  id: number;
  /** The `webhook-id`, the same in each attempt. */
  message_id: string;
  next_attempt_at: string | null;
  /** Why the last attempt failed. */
  problem: string | null;
  /** The beginning of the last response, 1 KiB at most. */
  response: string | null;
  /** `skipped`: you may not see it any more. */
  state: string;
  /** The status of the last response. */
  status: number | null;
  took_ms: number | null;
  /** The type of the event, or `ping`. */
  type: string;
}

export interface WebhookDeliveryList {
  data: WebhookDelivery[];
  /** Whether there are older ones. */
  more: boolean;
}

/** The type of an event, after the type and the kind of a change. */
export type WebhookEvent = "block.created" | "block.updated" | "block.deleted" | "channel.created" | "channel.updated" | "channel.deleted" | "channel.moved" | "channel.followed" | "channel.unfollowed" | "comment.created" | "comment.updated" | "comment.deleted" | "connection.connected" | "connection.disconnected" | "connection.moved" | "connection.updated" | "group.created" | "group.updated" | "group.deleted" | "group.joined" | "group.left" | "group.followed" | "group.unfollowed" | "user.created" | "user.updated" | "user.deleted" | "user.followed" | "user.unfollowed";

export interface WebhookList {
  data: Webhook[];
}

/** What events contain, `thin` for what changed, or `full` for the thing as it is now as well. */
export type WebhookPayload = "thin" | "full";

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
  /** Subscribe a channel to a feed */
  addChannelFeed(id: string | number, body: AddChannelFeedRequest, options?: CallOptions): Promise<ChannelFeed>;
  /** Add a collaborator to a channel */
  addCollaborator(id: string | number, body: AddCollaboratorRequest, options?: CallOptions): Promise<Collaborator>;
  /** Save a copy of a block's page */
  addSnapshot(id: string | number, body: string, params?: { title?: string; url?: string; taken_at?: string; shared?: boolean }, options?: CallOptions): Promise<Snapshot>;
  /** Announce something on every page */
  adminAnnounce(body: AdminAnnounceRequest, options?: CallOptions): Promise<AdminSite>;
  /** Make the site read-only */
  adminBeginReadOnly(body: AdminBeginReadOnlyRequest, options?: CallOptions): Promise<AdminReadOnly>;
  /** Add to the blocklist */
  adminBlock(body: AdminBlockRequest, options?: CallOptions): Promise<AdminBlocked>;
  /** Create an account */
  adminCreateAccount(body: AdminCreateAccountRequest, options?: CallOptions): Promise<AdminAccount>;
  /** Register an OAuth application for an account */
  adminCreateApplication(body: AdminCreateApplicationRequest, options?: CallOptions): Promise<AdminApplication>;
  /** Create a sign-up link */
  adminCreateSignUpLink(body: AdminCreateSignUpLinkRequest, options?: CallOptions): Promise<AdminLink>;
  /** Decide about a report */
  adminDecideReport(id: string | number, body: AdminDecideReportRequest, options?: CallOptions): Promise<AdminReport>;
  /** Delete an account */
  adminDeleteAccount(id: string | number, params?: { slug?: string }, options?: CallOptions): Promise<Receipt>;
  /** Delete an OAuth application */
  adminDeleteApplication(clientID: string, options?: CallOptions): Promise<void>;
  /** Delete a page of the site */
  adminDeletePage(slug: string, options?: CallOptions): Promise<void>;
  /** Remove the announcement */
  adminEndAnnouncement(options?: CallOptions): Promise<void>;
  /** Withdraw an invitation */
  adminEndInvitation(id: string | number, options?: CallOptions): Promise<void>;
  /** Make the site writable again */
  adminEndReadOnly(options?: CallOptions): Promise<void>;
  /** End a sign-up link */
  adminEndSignUpLink(id: string | number, options?: CallOptions): Promise<void>;
  /** Read an account */
  adminGetAccount(id: string | number, options?: CallOptions): Promise<AdminAccountDetails>;
  /** Read a page of the site */
  adminGetPage(slug: string, options?: CallOptions): Promise<AdminPage>;
  /** Read whether the site is read-only */
  adminGetReadOnly(options?: CallOptions): Promise<AdminReadOnly>;
  /** Read a report */
  adminGetReport(id: string | number, params?: { cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminReportDetails>;
  /** Read the state of the server */
  adminGetServer(options?: CallOptions): Promise<AdminServer>;
  /** Read the settings of the site */
  adminGetSite(options?: CallOptions): Promise<AdminSite>;
  /** Hide content */
  adminHide(body: AdminHideRequest, options?: CallOptions): Promise<AdminHidden>;
  /** Invite a person */
  adminInvite(body: AdminInviteRequest, options?: CallOptions): Promise<AdminInvited>;
  /** List accounts */
  adminListAccounts(params?: { query?: string; cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminAccountList>;
  /** Returns all items of adminListAccounts, page by page. */
  allAdminListAccounts(params?: { query?: string; cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminAccount>;
  /** List OAuth applications */
  adminListApplications(params?: { cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminApplicationList>;
  /** Returns all items of adminListApplications, page by page. */
  allAdminListApplications(params?: { cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminApplication>;
  /** List the audit log */
  adminListAudit(params?: { actor?: string; act?: string; about?: string; from?: string; to?: string; cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminAuditList>;
  /** Returns all items of adminListAudit, page by page. */
  allAdminListAudit(params?: { actor?: string; act?: string; about?: string; from?: string; to?: string; cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminAuditEntry>;
  /** List backfills */
  adminListBackfills(options?: CallOptions): Promise<AdminBackfillList>;
  /** List backups */
  adminListBackups(params?: { cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminBackupList>;
  /** Returns all items of adminListBackups, page by page. */
  allAdminListBackups(params?: { cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminBackup>;
  /** List the blocklist */
  adminListBlocklist(params?: { cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminBlockedList>;
  /** Returns all items of adminListBlocklist, page by page. */
  allAdminListBlocklist(params?: { cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminBlocked>;
  /** List hidden content */
  adminListHidden(params?: { cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminHiddenList>;
  /** Returns all items of adminListHidden, page by page. */
  allAdminListHidden(params?: { cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminHidden>;
  /** List invitations of people */
  adminListInvitations(params?: { cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminLinkList>;
  /** Returns all items of adminListInvitations, page by page. */
  allAdminListInvitations(params?: { cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminLink>;
  /** List jobs */
  adminListJobs(params?: { state?: string; cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminJobList>;
  /** Returns all items of adminListJobs, page by page. */
  allAdminListJobs(params?: { state?: string; cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminJob>;
  /** List the pages of the site */
  adminListPages(options?: CallOptions): Promise<AdminPageList>;
  /** List receipts */
  adminListReceipts(params?: { cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminReceiptList>;
  /** Returns all items of adminListReceipts, page by page. */
  allAdminListReceipts(params?: { cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminReceipt>;
  /** List reports */
  adminListReports(params?: { state?: string; cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminReportList>;
  /** Returns all items of adminListReports, page by page. */
  allAdminListReports(params?: { state?: string; cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminReport>;
  /** List sign-up links */
  adminListSignUpLinks(options?: CallOptions): Promise<AdminLinkList>;
  /** List the storage of accounts */
  adminListStorage(params?: { cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminStorageList>;
  /** Returns all items of adminListStorage, page by page. */
  allAdminListStorage(params?: { cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminStorage>;
  /** List the personal access tokens of an account */
  adminListTokens(id: string | number, params?: { cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminTokenList>;
  /** Returns all items of adminListTokens, page by page. */
  allAdminListTokens(id: string | number, params?: { cursor?: string; limit?: number }, options?: CallOptions): AsyncGenerator<AdminToken>;
  /** Read reported or hidden content */
  adminLook(type: string, id: string | number, params?: { cursor?: string; limit?: number }, options?: CallOptions): Promise<AdminLook>;
  /** Remove the second factor of an account */
  adminRemoveSecondFactor(id: string | number, options?: CallOptions): Promise<void>;
  /** Send a link for choosing a password */
  adminResetPassword(id: string | number, body: AdminResetPasswordRequest, options?: CallOptions): Promise<AdminAddress>;
  /** Run a job again */
  adminRetryJob(id: string | number, body: AdminRetryJobRequest, options?: CallOptions): Promise<void>;
  /** Revoke a personal access token */
  adminRevokeToken(id: string | number, options?: CallOptions): Promise<void>;
  /** Create or replace a page of the site */
  adminSavePage(slug: string, body: AdminSavePageRequest, options?: CallOptions): Promise<AdminPage>;
  /** Change the address of an account */
  adminSetEmail(id: string | number, body: AdminSetEmailRequest, options?: CallOptions): Promise<AdminAccount>;
  /** Set the password of an account */
  adminSetPassword(id: string | number, body: AdminSetPasswordRequest, options?: CallOptions): Promise<AdminAccount>;
  /** Choose who may sign up */
  adminSetSignUp(body: AdminSetSignUpRequest, options?: CallOptions): Promise<void>;
  /** Show hidden content again */
  adminShow(id: string | number, params?: { text?: string }, options?: CallOptions): Promise<void>;
  /** Sign an account out everywhere */
  adminSignOut(id: string | number, body: AdminSignOutRequest, options?: CallOptions): Promise<AdminAccount>;
  /** Start a backup */
  adminStartBackup(options?: CallOptions): Promise<void>;
  /** Start an export of an account */
  adminStartExport(id: string | number, options?: CallOptions): Promise<void>;
  /** Remove from the blocklist */
  adminUnblock(id: string | number, options?: CallOptions): Promise<void>;
  /** Change an account */
  adminUpdateAccount(id: string | number, body: AdminUpdateAccountRequest, options?: CallOptions): Promise<AdminAccount>;
  /** Change the settings of the site */
  adminUpdateSite(body: AdminUpdateSiteRequest, options?: CallOptions): Promise<AdminSite>;
  /** Highlight a passage of a block */
  createHighlight(id: string | number, body: CreateHighlightRequest, options?: CallOptions): Promise<Annotation>;
  /** Report content or a user to the operators */
  createReport(body: CreateReportRequest, options?: CallOptions): Promise<void>;
  /** Create a webhook */
  createWebhook(body: CreateWebhookRequest, options?: CallOptions): Promise<Webhook>;
  /** Delete a block */
  deleteBlock(id: string | number, options?: CallOptions): Promise<void>;
  /** Delete an export */
  deleteExport(id: string | number, options?: CallOptions): Promise<void>;
  /** Delete a highlight */
  deleteHighlight(id: string | number, options?: CallOptions): Promise<void>;
  /** Delete a saved copy */
  deleteSnapshot(id: string | number, options?: CallOptions): Promise<void>;
  /** Delete a webhook and its log */
  deleteWebhook(id: string | number, options?: CallOptions): Promise<void>;
  /** Remove a block from a channel */
  disconnectBlock(id: string | number, blockID: number, options?: CallOptions): Promise<void>;
  /** Export a channel */
  exportChannel(id: string | number, params?: { format?: string }, options?: CallOptions): Promise<Response>;
  /** Filter the contents of a channel */
  filterChannelContents(id: string | number, params?: { query?: string; type?: string[]; page?: number; per?: number }, options?: CallOptions): Promise<ItemList>;
  /** Returns all items of filterChannelContents, page by page. */
  allFilterChannelContents(id: string | number, params?: { query?: string; type?: string[]; page?: number; per?: number }, options?: CallOptions): AsyncGenerator<Item>;
  /** Follow a channel */
  followChannel(id: string | number, options?: CallOptions): Promise<FollowState>;
  /** Follow a group */
  followGroup(id: string | number, options?: CallOptions): Promise<FollowState>;
  /** Follow a user */
  followUser(id: string | number, options?: CallOptions): Promise<FollowState>;
  /** Read whether the files of a block show their metadata */
  getBlockFileMetadata(id: string | number, options?: CallOptions): Promise<FileMetadata>;
  /** Read the processing state of a block */
  getBlockProcessing(id: string | number, options?: CallOptions): Promise<BlockProcessing>;
  /** Read when the server copies a block's page */
  getBlockSnapshotPolicy(id: string | number, options?: CallOptions): Promise<SnapshotPolicy>;
  /** Read a version of the texts of a block */
  getBlockVersion(id: string | number, number: number, options?: CallOptions): Promise<TextVersion>;
  /** Check whether you follow a channel */
  getChannelFollow(id: string | number, options?: CallOptions): Promise<FollowState>;
  /** Read when the server copies the pages of a channel */
  getChannelSnapshotPolicy(id: string | number, options?: CallOptions): Promise<SnapshotPolicy>;
  /** Read a version of the texts of a channel */
  getChannelVersion(id: string | number, number: number, options?: CallOptions): Promise<TextVersion>;
  /** List the collaborators of a channel */
  getCollaborators(id: string | number, options?: CallOptions): Promise<CollaboratorList>;
  /** Read an export */
  getExport(id: string | number, options?: CallOptions): Promise<Export>;
  /** Download an export */
  getExportFile(id: string | number, options?: CallOptions): Promise<Response>;
  /** Check whether you follow a group */
  getGroupFollow(id: string | number, options?: CallOptions): Promise<FollowState>;
  /** Read a version of the texts of a group */
  getGroupVersion(id: string | number, number: number, options?: CallOptions): Promise<TextVersion>;
  /** Read a highlight */
  getHighlight(id: string | number, options?: CallOptions): Promise<Annotation>;
  /** Read an import */
  getImport(id: string | number, options?: CallOptions): Promise<Import>;
  /** Read your storage use and quota */
  getMyUsage(options?: CallOptions): Promise<Usage>;
  /** Read a version of the own profile */
  getMyVersion(number: number, options?: CallOptions): Promise<TextVersion>;
  /** Read a receipt */
  getReceipt(code: string, options?: CallOptions): Promise<Receipt>;
  /** Read the name and texts of this site */
  getSite(options?: CallOptions): Promise<Site>;
  /** Read a saved copy's details */
  getSnapshot(id: string | number, options?: CallOptions): Promise<Snapshot>;
  /** Read the state of a requested copy */
  getSnapshotRequest(id: string | number, options?: CallOptions): Promise<SnapshotRequest>;
  /** Check whether you follow a user */
  getUserFollow(id: string | number, options?: CallOptions): Promise<FollowState>;
  /** Read a webhook */
  getWebhook(id: string | number, options?: CallOptions): Promise<Webhook>;
  /** List the comments on a block */
  listBlockComments(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listBlockComments, page by page. */
  allBlockComments(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List the channels that a block is in */
  listBlockConnections(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listBlockConnections, page by page. */
  allBlockConnections(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List your highlights of a block */
  listBlockHighlights(id: string | number, options?: CallOptions): Promise<AnnotationPage>;
  /** List the versions of the texts of a block */
  listBlockVersions(id: string | number, options?: CallOptions): Promise<TextVersionList>;
  /** List what changed */
  listChanges(params?: { cursor?: string; channel?: number; wait?: number }, options?: CallOptions): Promise<ChangeList>;
  /** Find a channel to add to */
  listChannelChoices(params?: { query?: string; per?: number }, options?: CallOptions): Promise<ChannelChoiceList>;
  /** List the channels that a channel is in */
  listChannelConnections(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listChannelConnections, page by page. */
  allChannelConnections(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List the contents of a channel */
  listChannelContents(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listChannelContents, page by page. */
  allChannelContents(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List the feeds to which a channel is subscribed */
  listChannelFeeds(id: string | number, options?: CallOptions): Promise<ChannelFeedList>;
  /** List the followers of a channel */
  listChannelFollowers(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listChannelFollowers, page by page. */
  allChannelFollowers(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List the versions of the texts of a channel */
  listChannelVersions(id: string | number, options?: CallOptions): Promise<TextVersionList>;
  /** List your exports */
  listExports(options?: CallOptions): Promise<ExportList>;
  /** List the contents of a group */
  listGroupContents(id: string | number, params?: { type?: string[]; sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listGroupContents, page by page. */
  allGroupContents(id: string | number, params?: { type?: string[]; sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List the followers of a group */
  listGroupFollowers(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listGroupFollowers, page by page. */
  allGroupFollowers(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List the members of a group */
  listGroupMembers(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listGroupMembers, page by page. */
  allGroupMembers(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List the versions of the texts of a group */
  listGroupVersions(id: string | number, options?: CallOptions): Promise<TextVersionList>;
  /** List your highlights */
  listHighlights(params?: { page?: number; per?: number }, options?: CallOptions): Promise<AnnotationPage>;
  /** Returns all items of listHighlights, page by page. */
  allHighlights(params?: { page?: number; per?: number }, options?: CallOptions): AsyncGenerator<Annotation>;
  /** List your imports */
  listImports(params?: { page?: number; per?: number }, options?: CallOptions): Promise<ImportList>;
  /** Returns all items of listImports, page by page. */
  allImports(params?: { page?: number; per?: number }, options?: CallOptions): AsyncGenerator<Import>;
  /** List the versions of the own profile */
  listMyVersions(options?: CallOptions): Promise<TextVersionList>;
  /** Find out where a page is saved */
  listSaved(params?: { url?: string }, options?: CallOptions): Promise<SavedList>;
  /** List the results of a search */
  listSearch(params?: { query?: string; metadata?: string[]; type?: string[]; scope?: string; user_id?: number; group_id?: number; channel_id?: number; sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listSearch, page by page. */
  allSearch(params?: { query?: string; metadata?: string[]; type?: string[]; scope?: string; user_id?: number; group_id?: number; channel_id?: number; sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List the saved copies of a block's page */
  listSnapshots(id: string | number, options?: CallOptions): Promise<SnapshotList>;
  /** List what a user created */
  listUserContents(id: string | number, params?: { type?: string[]; sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listUserContents, page by page. */
  allUserContents(id: string | number, params?: { type?: string[]; sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List the followers of a user */
  listUserFollowers(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listUserFollowers, page by page. */
  allUserFollowers(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List what a user follows */
  listUserFollowing(id: string | number, params?: { type?: string; sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listUserFollowing, page by page. */
  allUserFollowing(id: string | number, params?: { type?: string; sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List the groups that a user belongs to */
  listUserGroups(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listUserGroups, page by page. */
  allUserGroups(id: string | number, params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List the users */
  listUsers(params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): Promise<PartOfList>;
  /** Returns all items of listUsers, page by page. */
  allUsers(params?: { sort?: string; cursor?: string; limit?: number; fields?: string; expand?: string }, options?: CallOptions): AsyncGenerator<Item>;
  /** List what was sent to a webhook */
  listWebhookDeliveries(id: string | number, params?: { before?: number }, options?: CallOptions): Promise<WebhookDeliveryList>;
  /** Returns all items of listWebhookDeliveries, page by page. */
  allWebhookDeliveries(id: string | number, params?: { before?: number }, options?: CallOptions): AsyncGenerator<WebhookDelivery>;
  /** List your webhooks */
  listWebhooks(options?: CallOptions): Promise<WebhookList>;
  /** Test a webhook */
  pingWebhook(id: string | number, options?: CallOptions): Promise<WebhookDelivery>;
  /** Send a delivery again */
  redeliverWebhook(id: string | number, deliveryID: number, options?: CallOptions): Promise<WebhookDelivery>;
  /** Unsubscribe a channel from a feed */
  removeChannelFeed(id: string | number, feedID: number, options?: CallOptions): Promise<void>;
  /** End a collaboration */
  removeCollaborator(id: string | number, type: string, collaboratorID: number, options?: CallOptions): Promise<void>;
  /** Process a block again */
  reprocessBlock(id: string | number, options?: CallOptions): Promise<BlockProcessing>;
  /** Request a copy of a block's page from the server */
  requestSnapshot(id: string | number, options?: CallOptions): Promise<SnapshotRequest>;
  /** Give a webhook a new secret */
  rotateWebhookSecret(id: string | number, options?: CallOptions): Promise<Webhook>;
  /** Carry out up to 100 operations */
  runBulk(body: RunBulkRequest, options?: CallOptions): Promise<BulkResults>;
  /** Search with conditions on metadata */
  searchByMetadata(params?: { query?: string; metadata?: string[]; type?: string[]; scope?: string; user_id?: number; group_id?: number; channel_id?: number; sort?: string; page?: number; per?: number }, options?: CallOptions): Promise<FoundList>;
  /** Returns all items of searchByMetadata, page by page. */
  allSearchByMetadata(params?: { query?: string; metadata?: string[]; type?: string[]; scope?: string; user_id?: number; group_id?: number; channel_id?: number; sort?: string; page?: number; per?: number }, options?: CallOptions): AsyncGenerator<Item>;
  /** Choose whether the files of a block show their metadata */
  setBlockFileMetadata(id: string | number, body: SetBlockFileMetadataRequest, options?: CallOptions): Promise<FileMetadata>;
  /** Choose when the server copies a block's page */
  setBlockSnapshotPolicy(id: string | number, body: SetBlockSnapshotPolicyRequest, options?: CallOptions): Promise<SnapshotPolicy>;
  /** Choose when the server copies the pages of a channel */
  setChannelSnapshotPolicy(id: string | number, body: SetChannelSnapshotPolicyRequest, options?: CallOptions): Promise<SnapshotPolicy>;
  /** Choose who sees a saved copy */
  shareSnapshot(id: string | number, body: ShareSnapshotRequest, options?: CallOptions): Promise<Snapshot>;
  /** Read a block */
  showBlock(id: string | number, params?: { fields?: string; expand?: string }, options?: CallOptions): Promise<Item>;
  /** Read a channel */
  showChannel(id: string | number, params?: { fields?: string; expand?: string }, options?: CallOptions): Promise<Item>;
  /** Read a comment */
  showComment(id: string | number, params?: { fields?: string }, options?: CallOptions): Promise<Item>;
  /** Read a connection */
  showConnection(id: string | number, params?: { fields?: string }, options?: CallOptions): Promise<TaggedConnection>;
  /** Read a group */
  showGroup(id: string | number, params?: { fields?: string }, options?: CallOptions): Promise<Item>;
  /** Read a user */
  showUser(id: string | number, params?: { fields?: string }, options?: CallOptions): Promise<Item>;
  /** Export all your content */
  startExport(options?: CallOptions): Promise<Export>;
  /** Import a collection */
  startImport(body: StartImportRequest, options?: CallOptions): Promise<Import>;
  /** Stop an import */
  stopImport(id: string | number, options?: CallOptions): Promise<void>;
  /** Unfollow a channel */
  unfollowChannel(id: string | number, options?: CallOptions): Promise<void>;
  /** Unfollow a group */
  unfollowGroup(id: string | number, options?: CallOptions): Promise<void>;
  /** Unfollow a user */
  unfollowUser(id: string | number, options?: CallOptions): Promise<void>;
  /** Change a comment */
  updateComment(id: string | number, body: UpdateCommentRequest, options?: CallOptions): Promise<Comment>;
  /** Change the note about a highlight */
  updateHighlight(id: string | number, body: UpdateHighlightRequest, options?: CallOptions): Promise<Annotation>;
  /** Update your own profile */
  updateMe(body: UpdateMeRequest, options?: CallOptions): Promise<Profile>;
  /** Change a webhook */
  updateWebhook(id: string | number, body: UpdateWebhookRequest, options?: CallOptions): Promise<Webhook>;
}
