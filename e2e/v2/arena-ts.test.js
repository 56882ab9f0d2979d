import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ArenaClient } from "arena-ts";
import { onEachDatabase } from "../rig/world.js";
import { namesOf, noting } from "./methods.js";
import * as promised from "./promised.js";
import { openSite, settings, settled } from "./site.js";

// The tests depend on each other: each uses the results of the previous ones.
onEachDatabase("arena-ts", (world) => {
  const called = new Set();
  let site, ada, bea, guest, sdk, adas, notes, link, text, loose;

  /** The library's address is fixed, but its `fetch` can be replaced. */
  const client = (token) => {
    const redirected = (url, init) => fetch(url.replace("https://api.are.na", world.url), init);
    return noting(new ArenaClient({ token, fetch: redirected }), called);
  };
  const fails = (promise, status, message) => assert.rejects(promise, (error) => {
    assert.deepEqual([error.name, error.status, error.message], ["HttpError", status, message]);
    return true;
  });
  const bottomUp = { direction: "asc" };
  const inOrder = async (slug) => (await ada.channel(slug).contents(bottomUp)).contents.map((c) => c.title || c.content);

  before(async () => {
    site = await openSite();
    adas = await world.user("ada");
    await world.user("bea");
    const token = await world.token("ada");
    [ada, bea, guest, sdk] = [client(token), client(await world.token("bea")), client(), world.arena(token)];
  });
  after(() => site.close());

  test("channel: create, get, update", async () => {
    notes = await ada.channel("Field notes").create("closed");
    promised.listed(notes);
    assert.deepEqual([notes.slug, notes.title, notes.status, notes.length, notes.contents], ["field-notes", "Field notes", "closed", 0, null]);
    assert.deepEqual([notes.owner_type, notes.owner_slug, notes.user_id, notes.user.slug], ["User", "ada", notes.owner_id, "ada"]);
    assert.equal((await ada.channel("Open house").create()).status, "public");
    const secret = await ada.channel("Secret").create("private");
    assert.equal(secret.status, "private");
    for (const ref of [notes.slug, notes.id]) {
      const got = await guest.channel(ref).get();
      promised.channel(got);
      assert.deepEqual([got.id, got.title, got.status, got.page, got.per], [notes.id, "Field notes", "closed", 1, 50]);
      assert.deepEqual([got.contents, got.collaborators, got.owner.slug], [[], [], "ada"]);
    }
    assert.equal(await ada.channel(notes.id).update({ title: "Field work" }), undefined);
    const renamed = await ada.channel(notes.id).get();
    assert.deepEqual([renamed.title, renamed.status], ["Field work", "closed"]);
    assert.equal(await ada.channel(secret.id).update({ title: "Secret", status: "public" }), undefined);
    assert.equal((await guest.channel(secret.id).get()).status, "public");
    assert.equal(await ada.channel(secret.id).update({ title: "Secret", status: "private" }), undefined);
    await fails(guest.channel(secret.id).get(), 404, "Not Found");
    assert.equal((await ada.channel(secret.id).get()).open, false);
    notes = await ada.channel(notes.id).get();
  });

  test("channel: createBlock; block: get, update", async () => {
    text = await ada.channel(notes.slug).createBlock({ content: "Moss *grows*", description: "On the **north** side" });
    promised.item(text);
    assert.deepEqual([text.class, text.content, text.position, text.connected_by_user_slug], ["Text", "Moss *grows*", 1, "ada"]);
    assert.equal(text.content_html, "<p>Moss <em>grows</em></p>");
    assert.match(text.description_html, /<strong>north<\/strong>/);
    link = await ada.channel(notes.slug).createBlock({ source: `${site.url}/page` });
    promised.item(link);
    assert.equal(link.position, 2);
    link = await settled(() => ada.block(link.id).get());
    promised.block(link);
    assert.deepEqual([link.class, link.title, link.source.url, link.description], ["Link", "On mosses", `${site.url}/page`, "They grow."]);
    const image = await ada.channel(notes.slug).createBlock({ source: `${site.url}/moss.png` });
    const shown = await settled(() => guest.block(image.id).get());
    promised.block(shown);
    assert.deepEqual([shown.class, shown.image.content_type, shown.attachment, shown.embed], ["Image", "image/png", null, null]);
    assert.deepEqual(shown.connections.map((c) => c.slug), [notes.slug]);
    shown.connections.forEach((c) => promised.brief(c));
    for (const size of ["thumb", "square", "display", "large", "original"]) {
      const answer = await fetch(shown.image[size].url);
      assert.equal(answer.status, 200, size);
      assert.match(answer.headers.get("Content-Type"), /^image\//);
      await answer.arrayBuffer();
    }
    const dot = await ada.channel("open-house").createBlock({ source: `${site.url}/dot.gif` });
    const { image: moving } = await settled(() => guest.block(dot.id).get());
    const sizes = [moving.thumb, moving.square, moving.display, moving.large].map((size) => size.url);
    assert.deepEqual(new Set(sizes), new Set([moving.original.url])); // otherwise it would not move
    const upload = { data: Buffer.from("a,b\n"), filename: "table.csv", contentType: "text/csv" };
    const sent = await sdk.uploads.createBlock({ file: upload, channels: [{ id: notes.id }] });
    const file = await settled(() => ada.block(sent.id).get());
    promised.block(file);
    assert.deepEqual([file.class, file.attachment.file_name, file.attachment.extension, file.attachment.file_size], ["Attachment", "table.csv", "csv", 4]);
    assert.equal(await ada.block(text.id).update({ title: "Moss", description: "", content: "Moss _grew_" }), undefined);
    const changed = await ada.block(text.id).get();
    assert.deepEqual([changed.title, changed.generated_title, changed.content], ["Moss", "Moss", "Moss _grew_"]);
    assert.equal(changed.description_html || "", "");
    await fails(bea.block(text.id).update({ title: "Mine" }), 401, "Unauthorized");
    await fails(ada.channel(notes.slug).createBlock({}), 400, "Bad Request");
  });

  test("channel: connect, sort, contents", async () => {
    const inner = await ada.channel("Inner").create();
    const connected = await ada.channel(notes.slug).connect.channel(inner.id);
    promised.item(connected);
    assert.deepEqual([connected.class, connected.id, connected.position, connected.contents], ["Channel", inner.id, 5, null]);
    loose = await bea.channel(inner.slug).connect.block(text.id);
    promised.item(loose);
    assert.deepEqual([loose.class, loose.id, loose.position, loose.connected_by_user_slug], ["Text", text.id, 1, "bea"]);
    assert.deepEqual(await inOrder(notes.slug), ["Moss", "On mosses", "moss.png", "table.csv", "Inner"]);
    assert.equal(await ada.channel(notes.slug).sort.channel(inner.id, 1), undefined);
    assert.equal(await ada.channel(notes.slug).sort.block(text.id, 3), undefined);
    assert.deepEqual(await inOrder(notes.slug), ["Inner", "On mosses", "Moss", "moss.png", "table.csv"]);
    const all = await guest.channel(notes.slug).contents();
    all.contents.forEach((item) => promised.item(item));
    assert.deepEqual(all.contents.map((c) => c.position), [5, 4, 3, 2, 1]); // the library requests the newest first
    assert.deepEqual(Object.keys(all), ["contents"]);
    const second = await guest.channel(notes.slug).contents({ page: 2, per: 2, forceRefresh: true, ...bottomUp });
    assert.deepEqual(second.contents.map((c) => c.position), [3, 4]);
    assert.deepEqual((await guest.channel(notes.slug).contents({ page: 9 })).contents, []);
    const page = await guest.channel(notes.slug).get({ page: 3, per: 2, ...bottomUp });
    assert.deepEqual([page.page, page.per, page.length, page.contents.map((c) => c.position)], [3, 2, 5, [5]]);
    await fails(bea.channel(notes.slug).sort.block(text.id, 1), 401, "Unauthorized");
  });

  test("channel: thumb, connections; block: channels", async () => {
    const thumb = await guest.channel(notes.slug).thumb();
    promised.listed(thumb);
    assert.deepEqual(thumb.contents.map((c) => c.position), [1, 2, 3, 4, 5]);
    thumb.contents.forEach((item) => promised.item(item));
    const around = await guest.channel("inner").connections();
    promised.envelope(around, [1, 1, 1, 50]);
    assert.deepEqual([around.channel_title, around.base_class, around.class], ["Inner", "Channel", "Channel"]);
    around.channels.forEach((channel) => promised.listed(channel));
    assert.deepEqual(around.channels.map((c) => c.slug), [notes.slug]);
    const within = await guest.block(text.id).channels({ per: 1 });
    promised.envelope(within, [2, 2, 1, 1]);
    assert.equal(within.base_class, "Block");
    promised.listed(within.channels[0]);
  });

  test("channel: disconnect", async () => {
    await fails(ada.channel(notes.slug).disconnect.connection(987654), 404, "Not Found");
    assert.equal(await bea.channel("inner").disconnect.connection(loose.connection_id), undefined);
    assert.deepEqual(await inOrder("inner"), []);
    assert.equal(await ada.channel(notes.slug).disconnect.block(link.id), undefined);
    assert.deepEqual(await inOrder(notes.slug), ["Inner", "Moss", "moss.png", "table.csv"]);
    assert.equal((await ada.block(link.id).get()).id, link.id);
  });

  test("block: comments", async () => {
    const made = await bea.block(text.id).addComment("See @ada");
    promised.comment(made);
    assert.deepEqual([made.body, made.commentable_id, made.user.slug], ["See @ada", text.id, "bea"]);
    assert.deepEqual(made.entities.map((e) => [e.user_slug, e.start, e.end]), [["ada", 4, 8]]);
    await ada.block(text.id).addComment("Seen");
    assert.equal(await bea.block(text.id).updateComment(made.id, "Look"), undefined);
    const all = await guest.block(text.id).comments();
    promised.envelope(all, [2, 1, 1, 50]);
    all.comments.forEach((comment) => promised.comment(comment));
    assert.deepEqual(all.comments.map((c) => c.body).sort(), ["Look", "Seen"]);
    assert.equal((await guest.block(text.id).get()).comment_count, 2);
    await fails(ada.block(text.id).updateComment(made.id, "Not mine"), 401, "Unauthorized");
    assert.equal(await bea.block(text.id).deleteComment(made.id), undefined);
    assert.deepEqual((await guest.block(text.id).comments()).comments.map((c) => c.body), ["Seen"]);
  });

  test("user, me", async () => {
    await world.follow("bea", "users/ada");
    await world.follow("bea", `channels/${notes.slug}`);
    for (const ref of ["ada", adas.id]) {
      const got = await guest.user(ref).get();
      promised.user(got);
      assert.deepEqual([got.slug, got.full_name, got.follower_count], ["ada", "Ada", 1]);
    }
    const own = await ada.user("ada").channels();
    promised.envelope(own, [4, 1, 1, 50]);
    assert.deepEqual([own.channel_title, own.base_class, own.class], [null, "User", "User"]);
    own.channels.forEach((channel) => promised.listed(channel));
    const others = await guest.user("ada").channels({ per: 2 });
    promised.envelope(others, [3, 2, 1, 2]);
    // By the last addition: an item was added to Inner last, and removed again, which does not change the order.
    assert.deepEqual(others.channels.map((channel) => channel.slug), ["inner", notes.slug]);
    const following = await guest.user("bea").following();
    assert.equal(following.length, 2);
    assert.deepEqual(following.following.map((f) => [f.base_class, f.slug]).sort(), [["Channel", notes.slug], ["User", "ada"]]);
    following.following.forEach((f) => (f.base_class === "User" ? promised.user : promised.listed)(f));
    const followers = await guest.user("ada").followers();
    assert.equal(followers.length, 1);
    assert.deepEqual(followers.users.map((u) => u.slug), ["bea"]);
    followers.users.forEach((u) => promised.user(u));
    const me = await ada.me();
    promised.user(me);
    assert.deepEqual([me.slug, me.email, me.channels.length], ["ada", "ada@example.org", 4]);
  });

  test("group", async () => {
    const { id } = await sdk.groups.create({ name: "Field Club", description: "For *all*" });
    await sdk.channels.create({ title: "Attic", visibility: "public", group_id: id });
    await sdk.channels.create({ title: "Cellar", visibility: "private", group_id: id });
    const club = await guest.group("field-club").get();
    promised.group(club);
    assert.deepEqual([club.id, club.name, club.user.slug, club.users.map((u) => u.slug)], [id, "Field Club", "ada", ["ada"]]);
    assert.deepEqual(club.member_ids, [club.user.id]);
    const channels = await guest.group("field-club").channels();
    promised.envelope(channels, [1, 1, 1, 50]);
    promised.listed(channels.channels[0]);
    assert.deepEqual([channels.channels[0].slug, channels.channels[0].owner_type, channels.channels[0].group.slug], ["attic", "Group", "field-club"]);
    assert.equal((await ada.group("field-club").channels()).length, 2);
  });

  test("channels, search", async () => {
    const newest = await guest.channels({ per: 2 });
    assert.deepEqual([newest.term, newest.per, newest.current_page, newest.blocks, newest.users], [null, 2, 1, [], []]);
    newest.channels.forEach((channel) => promised.listed(channel));
    assert.deepEqual(newest.channels.map((c) => c.slug), ["attic", "inner"]);
    assert.deepEqual((await ada.channels()).channels.filter((c) => c.status === "private"), []);
    const everything = await guest.search.everything("mos");
    const [, blocks] = promised.found(everything, "mos");
    assert.deepEqual([blocks.sort(), everything.authenticated], [["Moss", "moss.png"], false]);
    assert.deepEqual(promised.found(await guest.search.blocks("moss", { per: 1 }), "moss").map((all) => all.length), [0, 1, 0]);
    assert.deepEqual(promised.found(await guest.search.channels("field"), "field"), [[notes.slug], [], []]);
    assert.deepEqual(promised.found(await ada.search.users("ada"), "ada"), [[], [], ["ada"]]);
    assert.equal((await ada.search.users("ada")).authenticated, true);
    assert.deepEqual(promised.found(await guest.search.channels("secret"), "secret")[0], []);
  });

  test("errors, delete", async () => {
    await fails(guest.me(), 401, "Unauthorized");
    await fails(client("nonsense").me(), 401, "Unauthorized");
    await fails(guest.channel("Mine").create(), 401, "Unauthorized");
    await fails(client(await world.token("ada", "read")).channel("Mine").create(), 403, "Forbidden");
    await fails(guest.channel("nowhere").get(), 404, "Not Found");
    await fails(guest.user("nobody").get(), 404, "Not Found");
    await fails(guest.group("nobody").get(), 404, "Not Found");
    await fails(guest.block(987654).get(), 404, "Not Found");
    await fails(bea.channel("inner").delete(), 401, "Unauthorized");
    assert.equal(await ada.channel("inner").delete(), undefined);
    await fails(ada.channel("inner").get(), 404, "Not Found");
    assert.deepEqual(await inOrder(notes.slug), ["Moss", "moss.png", "table.csv"]);
  });

  test("each method was called", () => {
    const library = new ArenaClient();
    const names = ["me", "channels", ...namesOf(library.search, "search")];
    for (const kind of ["user", "group", "channel", "block"]) names.push(...namesOf(library[kind]("x"), kind));
    assert.deepEqual([...called].sort(), names.sort());
    assert.equal(names.length, 33);
  });
}, settings);
