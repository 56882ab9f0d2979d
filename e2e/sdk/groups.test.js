import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ArenaAuthError, ArenaForbiddenError, ArenaNotFoundError, ArenaValidationError } from "@aredotna/sdk";
import { pagesOf } from "../rig/walk.js";
import { onEachDatabase } from "../rig/world.js";

// The tests depend on each other: each uses the results of the previous ones.
onEachDatabase("groups", (world) => {
  const people = {}; // by name, like their groups and ids
  const groups = {};
  const id = {};
  let group;
  let attic;
  before(async () => {
    for (const name of ["ada", "bea", "cy", "dan", "eve"]) {
      people[name] = await world.arenaOf(name);
      groups[name] = people[name].groups;
      id[name] = (await people[name].me()).id;
    }
  });
  const members = async (query) => (await world.arena().groups.members(group.id, query)).data.map((m) => `${m.slug} ${m.role}`);

  test("create and update", async () => {
    group = await groups.ada.create({ name: "Field Club", description: "For *all*", avatar_url: "https://example.org/a.png" });
    assert.equal(group.type, "Group");
    assert.equal(group.slug, "field-club");
    assert.equal(group.initials, "FC");
    assert.equal(group.description.plain, "For all");
    assert.equal(group.avatar, null); // until it is processed
    assert.equal(group.user.slug, "ada");
    assert.deepEqual(group.counts, { channels: 0, users: 1 });
    const renamed = await groups.ada.update(group.id, { name: "Night Club", description: null });
    assert.equal(renamed.slug, "night-club");
    assert.equal(renamed.description, null);
    for (const ref of [group.id, "field-club", "night-club"]) {
      assert.equal((await world.arena().groups.get(ref)).name, "Night Club");
    }
    assert.deepEqual((await people.ada.users.groups("ada")).data.map((g) => g.id), [group.id]);
    await assert.rejects(groups.bea.update(group.id, { name: "Mine" }), ArenaForbiddenError);
    await assert.rejects(groups.ada.update(group.id, { name: "" }), ArenaValidationError);
    await assert.rejects(world.arena().groups.create({ name: "x" }), ArenaAuthError);
  });

  test("invite: invited, pending, added, already a member", async () => {
    const invited = await groups.ada.invite(group.id, { user_id: id.bea });
    assert.equal(invited.outcome, "invited");
    assert.equal(invited.user.slug, "bea");
    assert.equal(invited.invitation.invitee.id, id.bea);
    assert.equal(invited.invitation.invited_by.slug, "ada");
    const pending = await groups.ada.invite(group.id, { user_id: id.bea });
    assert.equal(pending.outcome, "invitation_pending");
    assert.equal(pending.invitation.id, invited.invitation.id);
    await world.follow("cy", "users/ada");
    const added = await groups.ada.invite(group.id, { user_id: id.cy });
    assert.equal(added.outcome, "added");
    assert.equal(added.invitation, null);
    assert.equal((await groups.ada.invite(group.id, { user_id: id.cy })).outcome, "already_member");
    assert.deepEqual(await members(), ["ada owner", "cy member"]);
    await assert.rejects(groups.ada.invite(group.id, { user_id: id.bea, email: "bea@example.org" }), ArenaValidationError);
    await assert.rejects(groups.ada.invite(group.id, {}), ArenaValidationError);
    await assert.rejects(groups.ada.invite(group.id, { user_id: 999999 }), ArenaNotFoundError);
    await assert.rejects(groups.eve.invite(group.id, { user_id: id.dan }), ArenaForbiddenError);
  });

  test("invitations: list and revoke", async () => {
    await groups.cy.invite(group.id, { email: "someone@example.org" }); // members may invite too
    const read = await pagesOf(groups.ada.paginateInvitations(group.id, { per: 1 }));
    const open = read.flatMap((page) => page.data);
    assert.deepEqual(open.map((i) => i.invitee_email ?? i.invitee.slug), ["someone@example.org", "bea"]);
    for (const invitation of open) await groups.cy.revokeInvitation(group.id, invitation.id);
    assert.equal((await groups.ada.invitations(group.id)).meta.total_count, 0);
    const gone = await groups.ada.revokeInvitation(group.id, open[0].id).catch((e) => e);
    assert.equal(gone.status, 422);
    await assert.rejects(groups.eve.invitations(group.id), ArenaForbiddenError);
  });

  test("invite code: make, show, join, end", async () => {
    await assert.rejects(groups.ada.inviteCode(group.id), ArenaNotFoundError);
    const made = await groups.ada.createInviteCode(group.id);
    assert.equal(made.url, `${world.url}/group/night-club/invite/${made.code}`);
    assert.equal((await groups.cy.createInviteCode(group.id)).code, made.code);
    assert.equal((await groups.cy.inviteCode(group.id)).code, made.code);
    await assert.rejects(groups.dan.inviteCode(group.id), ArenaForbiddenError);
    await assert.rejects(groups.dan.join(group.id), ArenaForbiddenError);
    await assert.rejects(groups.dan.join(group.id, { invite_token: `${made.code}x` }), ArenaForbiddenError);
    const dan = await groups.dan.join(group.id, { invite_token: made.code });
    assert.equal(`${dan.slug} ${dan.role}`, "dan member");
    assert.equal((await groups.dan.join(group.id, { invite_token: made.code })).id, dan.id);
    await groups.ada.deleteInviteCode(group.id);
    await groups.ada.deleteInviteCode(group.id);
    await assert.rejects(groups.eve.join(group.id, { invite_token: made.code }), ArenaForbiddenError);
    assert.notEqual((await groups.ada.createInviteCode(group.id)).code, made.code);
  });

  test("members, the owner first", async () => {
    const pages = await pagesOf(world.arena().groups.paginateMembers(group.id, { per: 2 }));
    assert.deepEqual(pages.map((page) => page.data.map((m) => m.slug)), [["ada", "dan"], ["cy"]]);
    assert.equal(pages[0].meta.total_count, 3);
    assert.equal((await groups.ada.get(group.id)).counts.users, 3);
  });

  test("a channel of the group is every member's", async () => {
    const made = await people.cy.channels.create({
      title: "Cellar", visibility: "private", owner: { id: group.id, type: "Group" },
    });
    assert.equal(made.owner.slug, "night-club");
    const renamed = await people.dan.channels.update(made.id, { title: "Attic" });
    assert.equal(renamed.can.destroy, true);
    attic = renamed.slug; // the slug of a private channel ends in random characters
    await people.ada.blocks.create({ value: "between us", channel_ids: [made.id] });
    await assert.rejects(people.eve.channels.get(made.id), ArenaNotFoundError);
    await assert.rejects(people.eve.channels.create({ title: "x", owner: { id: group.id, type: "Group" } }), ArenaForbiddenError);
    assert.equal((await groups.dan.get(group.id)).counts.channels, 1);
    assert.equal((await groups.eve.get(group.id)).counts.channels, 0);
  });

  test("followers", async () => {
    await world.follow("eve", `groups/${group.id}`);
    await world.follow("bea", "groups/night-club");
    await world.follow("bea", "groups/field-club");
    const { data, meta } = await world.arena().groups.followers(group.id);
    assert.deepEqual(data.map((u) => u.slug), ["bea", "eve"]);
    assert.equal(meta.total_count, 2);
    const oldest = await groups.ada.followers(group.id, { sort: "created_at_asc", per: 1 });
    assert.equal(oldest.data[0].slug, "eve");
    const following = await people.bea.users.following("bea", { type: "Group" });
    assert.deepEqual(following.data.map((g) => g.slug), ["night-club"]);
    await world.unfollow("bea", "groups/night-club");
    assert.equal((await groups.ada.followers(group.id)).meta.total_count, 1);
  });

  test("leave and remove", async () => {
    await groups.dan.leave(group.id);
    await groups.dan.leave(group.id);
    await assert.rejects(groups.ada.leave(group.id), ArenaForbiddenError);
    await assert.rejects(groups.cy.removeMember(group.id, id.cy), ArenaForbiddenError);
    await assert.rejects(groups.ada.removeMember(group.id, id.ada), ArenaForbiddenError);
    await groups.ada.removeMember(group.id, id.cy);
    assert.deepEqual(await members(), ["ada owner"]);
    await assert.rejects(people.cy.channels.get(attic), ArenaNotFoundError);
  });

  test("delete hands the channels to the owner", async () => {
    await groups.ada.delete(group.id);
    await assert.rejects(groups.ada.get(group.id), ArenaNotFoundError);
    const channel = await people.ada.channels.get(attic);
    assert.equal(channel.owner.slug, "ada");
    assert.equal(channel.counts.blocks, 1);
    assert.equal((await people.eve.users.following("eve")).meta.total_count, 0);
  });
});
