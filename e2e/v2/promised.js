// The objects of version 2 as declared by libraries: each key that they read, with its type.
import assert from "node:assert/strict";

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const kinds = {
  int: Number.isInteger,
  text: (value) => typeof value === "string",
  bool: (value) => typeof value === "boolean",
  time: (value) => time.test(value),
  url: (value) => URL.canParse(value),
};

/**
 * Fails unless a value has each key of a form, with a value of its type. A type that ends in "?"
 * may be null; a function checks the value against another form.
 */
function holds(value, form, where) {
  assert.ok(value !== null && typeof value === "object", `${where} is ${JSON.stringify(value)}`);
  for (const [key, kind] of Object.entries(form)) {
    const [at, found] = [`${where}.${key}`, value[key]];
    assert.ok(key in value, `${at} is missing`);
    if (typeof kind === "function") kind(found, at);
    else if (typeof kind === "object") holds(found, kind, at);
    else if (!(kind.endsWith("?") && found === null)) {
      assert.ok(kinds[kind.replace("?", "")]?.(found) ?? found === kind, `${at} is ${JSON.stringify(found)}, not ${kind}`);
    }
  }
}

const orNull = (check) => (value, where) => value === null || check(value, where);
const listOf = (check) => (value, where) => {
  assert.ok(Array.isArray(value), `${where} is no list`);
  value.forEach((item, i) => check(item, `${where}[${i}]`));
};

export function user(value, where = "user") {
  holds(value, {
    id: "int", created_at: "time", slug: "text", username: "text", first_name: "text", last_name: "text", full_name: "text",
    avatar: "text", avatar_image: { thumb: "text", display: "text" }, initials: "text", profile_id: "int?",
    channel_count: "int", following_count: "int", follower_count: "int", can_index: "bool",
    metadata: { description: "text?" }, badge: "text?", is_premium: "bool", is_lifetime_premium: "bool", is_supporter: "bool",
    is_exceeding_connections_limit: "bool", is_confirmed: "bool", is_pending_confirmation: "bool",
    is_pending_reconfirmation: "bool", base_class: "User", class: "User",
  }, where);
  assert.equal(value.username, value.full_name);
}

const groupForm = {
  id: "int", class: "Group", base_class: "Group", created_at: "time", updated_at: "time", name: "text", description: "text?",
  visibility: "int", slug: "text",
};

export function group(value, where = "group") {
  holds(value, {
    ...groupForm, title: "text", user, users: listOf(user), published: "bool", member_ids: listOf(id), accessible_by_ids: listOf(id),
  }, where);
}

function id(value, where) {
  assert.ok(Number.isInteger(value) && value > 0, `${where} is ${JSON.stringify(value)}`);
}

const flags = { public: [true, true], closed: [true, false], private: [false, false] };

const channelForm = {
  id: "int", title: "text", created_at: "time", updated_at: "time", added_to_at: "time", published: "bool", open: "bool",
  collaboration: "bool", slug: "text", length: "int", kind: "default", status: "text", user_id: "int", share_link: "text?",
  base_class: "Channel",
};

function ofChannel(value, form, where) {
  holds(value, { ...channelForm, ...form }, where);
  assert.deepEqual([value.published, value.open], flags[value.status], `${where}: the flags of ${value.status}`);
}

const detailed = { collaborator_count: "int", follower_count: "int", can_index: "bool", "nsfw?": "bool", user };

/** A channel with its contents. */
export function channel(value, where = "channel") {
  ofChannel(value, {
    ...detailed, contents: listOf(item), page: "int", per: "int", collaborators: listOf(user), class_name: "Channel",
    owner: (owner, at) => (owner.class === "Group" ? holds(owner, groupForm, at) : user(owner, at)),
  }, where);
}

/** A channel in a list, and a new one. */
export function listed(value, where = "channel") {
  ofChannel(value, {
    ...detailed, contents: orNull(listOf(item)), class: "Channel", state: "available", owner_type: "text", owner_id: "int",
    owner_slug: "text", group: orNull((of, at) => holds(of, groupForm, at)),
  }, where);
  assert.equal(value.collaboration, value.collaborator_count > 0);
}

/** A channel that contains a block. */
export const brief = (value, where = "channel") => ofChannel(value, {}, where);

const image = {
  filename: "text", content_type: "text", updated_at: "time", thumb: { url: "url" }, square: { url: "url" },
  display: { url: "url" }, large: { url: "url" }, original: { url: "url", file_size: "int", file_size_display: "text" },
};
const classes = {
  Text: { content: "text", content_html: "text" },
  Image: { image },
  Link: { source: { url: "url" } },
  Media: { source: { url: "url" }, embed: { type: "text", html: "text", width: "int", height: "int" } },
  Attachment: {
    attachment: {
      file_name: "text", file_size: "int", file_size_display: "text", content_type: "text", extension: "text", url: "url",
    },
  },
};

export function block(value, where = "block") {
  holds(value, {
    id: "int", title: "text?", updated_at: "time", created_at: "time", state: "text", comment_count: "int", visibility: "text",
    generated_title: "text", class: "text", base_class: "Block", content: "text?", content_html: "text?", description: "text?",
    description_html: "text?", user, image: orNull((of, at) => holds(of, image, at)), embed: orNull(() => {}),
    source: orNull((of, at) => holds(of, { url: "url", title: "text?", provider: { name: "text?", url: "text?" } }, at)),
    attachment: orNull(() => {}), metadata: orNull(() => {}),
  }, where);
  assert.ok(value.class in classes, `${where}.class is ${value.class}`);
  holds(value, classes[value.class], where);
}

/** The fields of an item in a channel. */
export function connected(value, where = "item") {
  holds(value, {
    position: "int", selected: "bool", connection_id: "int", connected_at: "time", connected_by_user_id: "int",
    connected_by_username: "text", connected_by_user_slug: "text",
  }, where);
}

/** A block or a channel in a channel. */
export function item(value, where = "item") {
  (value.base_class === "Channel" ? listed : block)(value, where);
  connected(value, where);
}

export function comment(value, where = "comment") {
  holds(value, {
    id: "int", created_at: "time", updated_at: "time", commentable_id: "int", commentable_type: "Block", body: "text",
    user_id: "int", base_class: "Comment", user,
    entities: listOf((of, at) => holds(of, { type: "user", user_id: "int", user_slug: "text", user_name: "text", start: "int", end: "int" }, at)),
  }, where);
}

/** The metadata of a list of items of a class. */
export function envelope(value, [length, total_pages, current_page, per]) {
  assert.deepEqual([value.length, value.total_pages, value.current_page, value.per], [length, total_pages, current_page, per]);
  assert.ok("channel_title" in value);
}

/** Search results: the names of channels and users, the generated titles of blocks. */
export function found(value, term) {
  holds(value, {
    term: "text", per: "int", current_page: "int", total_pages: "int", length: "int", authenticated: "bool",
    channels: listOf(listed), blocks: listOf(block), users: listOf(user),
  }, "search");
  assert.equal(value.term, term);
  return [value.channels.map((c) => c.slug), value.blocks.map((b) => b.generated_title), value.users.map((u) => u.slug)];
}
