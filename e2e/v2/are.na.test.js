import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Arena from "are.na";
import { onEachDatabase } from "../rig/world.js";
import { namesOf, noting } from "./methods.js";
import * as promised from "./promised.js";
import { openSite, settings, settled } from "./site.js";

// The tests depend on each other: each uses the results of the previous ones.
onEachDatabase("are.na", (world) => {
  const called = new Set();
  const id = {};
  let site, ada, bea, guest, sdk, notes, text, link;

  const client = (options) => noting(new Arena({ baseURL: `${world.url}/v2/`, ...options }), called);
  const refusals = { 401: ["Unauthorized", "Invalid credentials."], 404: ["Not Found", "The resource you are looking for does not exist."] };
  const fails = (promise, status) => assert.rejects(promise, ({ response }) => {
    const [message, description] = refusals[status];
    assert.deepEqual([response.status, response.data], [status, { code: status, message, description }]);
    return true;
  });
  const slugs = (list) => list.map((c) => c.slug);

  before(async () => {
    site = await openSite();
    for (const slug of ["ada", "bea", "cy"]) id[slug] = (await world.user(slug)).id;
    const token = await world.token("ada");
    ada = client({ accessToken: token });
    bea = client({ authToken: await world.token("bea") }); // with X-AUTH-TOKEN
    guest = client();
    sdk = world.arena(token);
  });
  after(() => site.close());

  test("channel: create, get, update", async () => {
    notes = await ada.channel("Field notes").create("closed");
    promised.listed(notes);
    assert.deepEqual([notes.slug, notes.status, notes.contents], ["field-notes", "closed", null]);
    const open = await ada.channel().create("Open house");
    assert.deepEqual([open.slug, open.status], ["open-house", "public"]);
    const secret = await bea.channel().create("Secret", "private");
    assert.deepEqual([secret.status, secret.user.slug], ["private", "bea"]);
    for (const ref of [notes.slug, notes.id]) {
      const got = await guest.channel(ref).get();
      promised.channel(got);
      assert.deepEqual([got.id, got.page, got.per, got.length], [notes.id, 1, 20, 0]);
    }
    const renamed = await ada.channel(notes.id).update({ title: "Field work" });
    promised.listed(renamed);
    assert.deepEqual([renamed.title, renamed.status], ["Field work", "closed"]);
    const closed = await ada.channel(open.slug).update({ status: "closed" });
    assert.deepEqual([closed.title, closed.published, closed.open], ["Open house", true, false]);
    await ada.channel(open.slug).update({ status: "public" });
    const all = await guest.channel().get({ per: 1 }); // the address ends in a slash
    assert.deepEqual([all.term, all.per, all.total_pages, all.channels.length], [null, 1, 2, 1]);
    notes = renamed;
  });

  test("channel: createBlock; block: create, get, update", async () => {
    text = await ada.channel(notes.slug).createBlock({ content: "Moss *grows*" });
    promised.item(text);
    assert.deepEqual([text.class, text.content, text.position], ["Text", "Moss *grows*", 1]);
    link = await ada.block().create(notes.slug, { content: `${site.url}/page` }); // sent as `content` and as `source`
    promised.item(link);
    link = await settled(() => guest.block(link.id).get());
    promised.block(link);
    assert.deepEqual([link.class, link.title, link.source.url], ["Link", "On mosses", `${site.url}/page`]);
    assert.deepEqual(slugs(link.connections), [notes.slug]);
    assert.equal(await ada.block(text.id, { title: "Moss" }).update({ description: "**North**" }), "");
    const changed = await guest.block(text.id).get();
    promised.block(changed);
    assert.deepEqual([changed.title, changed.content, changed.description], ["Moss", "Moss *grows*", "**North**"]);
    await fails(bea.channel(notes.slug).createBlock({ content: "closed" }), 401);
    await fails(bea.block(text.id).update({ title: "Mine" }), 401);
  });

  test("channel: thumb, contents, connections, channels; block: channels", async () => {
    const outer = await ada.channel("Outer").create();
    await sdk.connections.create({ connectable_id: notes.id, connectable_type: "Channel", channel_ids: [outer.id] });
    await sdk.connections.create({ connectable_id: text.id, connectable_type: "Block", channel_ids: [outer.id, "open-house"] });
    const thumb = await guest.channel("outer").thumb();
    promised.listed(thumb);
    thumb.contents.forEach((item) => promised.item(item));
    assert.deepEqual(thumb.contents.map((c) => [c.class, c.id]), [["Channel", notes.id], ["Text", text.id]]);
    const contents = await guest.channel("outer", { per: 1 }).contents({ page: 2 });
    assert.deepEqual([contents.map((c) => c.position), { ...contents.attrs }], [[2], {}]);
    const descending = await guest.channel("outer").contents({ sort: "position", direction: "desc" });
    assert.deepEqual(descending.map((c) => c.position), [2, 1]);
    assert.deepEqual((await guest.channel("outer").contents()).map((c) => c.position), [1, 2]);
    const around = await guest.channel(notes.slug).connections();
    assert.deepEqual(slugs(around), ["outer"]);
    promised.listed(around[0]);
    promised.envelope({ ...around.attrs, length: around.attrs.length }, [1, 1, 1, 20]);
    const kin = await guest.channel(notes.slug).channels();
    assert.deepEqual(kin.map((row) => [row.channel.slug, row.count]).sort(), [["open-house", 1], ["outer", 1]]);
    kin.forEach((row) => promised.brief(row.channel));
    assert.deepEqual([kin.attrs.length, kin.attrs.total_pages], [2, 1]);
    const within = await guest.block(text.id).channels({ per: 2 });
    assert.deepEqual([within.length, within.attrs.length, within.attrs.total_pages], [2, 3, 2]);
    within.forEach((channel) => promised.listed(channel));
  });

  test("channel: collaborators", async () => {
    assert.deepEqual([...(await guest.channel(notes.slug).collaborators())], []);
    const added = await ada.channel(notes.slug).addCollaborators(id.bea, id.cy);
    assert.deepEqual(slugs(added).sort(), ["bea", "cy"]);
    added.forEach((user) => promised.user(user));
    const listed = await guest.channel(notes.slug).collaborators({ per: 1 });
    assert.deepEqual([listed.length, listed.attrs.length, listed.attrs.total_pages, listed.attrs.channel_title], [1, 2, 2, "Field work"]);
    const note = await bea.channel(notes.slug).createBlock({ content: "From a collaborator" });
    assert.equal(note.connected_by_user_id, id.bea);
    assert.deepEqual(slugs(await ada.channel(notes.slug).deleteCollaborators([id.cy])), ["bea"]);
    const got = await guest.channel(notes.slug).get();
    assert.deepEqual([got.collaboration, got.collaborator_count, slugs(got.collaborators)], [true, 1, ["bea"]]);
    await fails(bea.channel(notes.slug).addCollaborators([id.cy]), 401);
    assert.deepEqual([...(await ada.channel(notes.slug).deleteCollaborators(`${id.bea}`))], []);
    assert.equal(await ada.channel(notes.slug).deleteBlock(note.id), "");
    assert.deepEqual((await guest.channel(notes.slug).contents()).map((c) => c.id), [text.id, link.id]);
  });

  test("user, group", async () => {
    await world.follow("bea", "users/ada");
    await world.follow("bea", `channels/${notes.slug}`);
    const user = await guest.user(id.ada).get();
    promised.user(user);
    assert.deepEqual([user.slug, user.follower_count], ["ada", 1]);
    const channels = await guest.user("ada", { per: 2 }).channels({ page: 1 });
    assert.deepEqual([channels.length, channels.attrs.length, channels.attrs.class], [2, 3, "User"]);
    channels.forEach((channel) => promised.listed(channel));
    assert.deepEqual(slugs(await bea.user("bea").channels()).length, 1); // the private one
    assert.deepEqual(slugs(await guest.user("bea").channels()), []);
    const following = await guest.user("bea").following();
    assert.deepEqual(following.map((f) => f.base_class).sort(), ["Channel", "User"]);
    assert.equal(following.attrs.length, 2);
    assert.deepEqual(slugs(await guest.user("ada").followers()), ["bea"]);
    const { id: club } = await sdk.groups.create({ name: "Field Club" });
    await sdk.channels.create({ title: "Attic", visibility: "public", group_id: club });
    const group = await guest.group("field-club").get();
    promised.group(group);
    assert.equal(group.id, club);
    const attic = await guest.group("field-club").channels({ per: 5 });
    assert.deepEqual([slugs(attic), attic.attrs.per], [["attic"], 5]);
  });

  test("search", async () => {
    const all = await guest.search("mos", { per: 10 }).all();
    assert.deepEqual(promised.found(all, "mos")[1].sort(), ["Moss", "On mosses"]);
    assert.equal(all.per, 10);
    const users = await guest.search("ada").users();
    assert.deepEqual([slugs(users), users.attrs.term, users.attrs.channels], [["ada"], "ada", []]);
    assert.deepEqual(slugs(await guest.search("field").channels({ page: 1 })), [notes.slug]);
    const grown = (await guest.search("moss grows").blocks()).map((b) => b.id);
    assert.equal(grown[0], text.id, "the words themselves come first");
    assert.deepEqual((await guest.search('"moss grows"').blocks()).map((b) => b.id), [text.id]);
    assert.deepEqual([...(await guest.search("secret").channels())], []);
  });

  test("errors, delete", async () => {
    await fails(guest.channel("nowhere").get(), 404);
    await fails(guest.channel("Mine").create(), 401);
    await fails(client({ accessToken: "nonsense" }).channel("Mine").create(), 401);
    await fails(bea.channel("outer").delete(), 401);
    await ada.channel("outer").delete();
    await ada.channel().delete("open-house");
    for (const gone of ["outer", "open-house"]) await fails(ada.channel(gone).get(), 404);
    assert.deepEqual(slugs((await guest.block(text.id).get()).connections), [notes.slug]);
  });

  test("each method was called", () => {
    const library = new Arena();
    const names = ["group", "channel", "block", "user", "search"].flatMap((kind) => namesOf(library[kind]("x"), kind));
    assert.deepEqual([...called].sort(), names.sort());
    assert.equal(names.length, 27);
  });
}, settings);
