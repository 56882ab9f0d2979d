import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { messageOf, waitOf } from "../../extension/script/api.js";
import { begins, offered } from "../../extension/script/chooser.js";
import { afterUpload, overflow } from "../../extension/script/copies.js";
import { blocksOf, cut } from "../../extension/script/drafts.js";
import { escapeMarkdown } from "../../extension/script/markdown.js";
import { challengeOf, codeIn } from "../../extension/script/oauth.js";
import { after, again, entriesOf, isUnsure } from "../../extension/script/queue.js";
import { isSecure, metadataAddress, serverAddress, webPage } from "../../extension/script/urls.js";

describe("modules of the browser extension", () => {
  test("addresses of servers", () => {
    for (const [text, want] of [
      ["vitrine.example", "https://vitrine.example"], [" https://Vitrine.example/ ", "https://vitrine.example"], ["https://vitrine.example/path/?a#b", "https://vitrine.example/path"],
      ["localhost:8080", "http://localhost:8080"], ["http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"], ["http://vitrine.example", null], ["http://localhost.evil.test", null],
      ["http://127.0.0.1.evil.test", null], ["https://a@vitrine.example", null], ["ftp://vitrine.example", null], ["javascript:alert(1)", null], ["", null], ["https://", null], ["a b", null],
    ]) assert.equal(serverAddress(text), want, text);
    assert.equal(metadataAddress("https://vitrine.example"), "https://vitrine.example/.well-known/oauth-authorization-server");
    assert.equal(metadataAddress("https://vitrine.example/path"), "https://vitrine.example/.well-known/oauth-authorization-server/path");
    assert.deepEqual([undefined, "http://a.test", "x", "https://a.test"].map(isSecure), [false, false, false, true]);
    assert.deepEqual([undefined, "chrome://settings", "file:///etc/passwd", "https://a.test"].map(webPage), ["", "", "", "https://a.test/"]);
  });

  test("the answer of a sign-in is used only if it is that of this server and request", async () => {
    assert.equal(await challengeOf("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"); // RFC 7636
    const asked = { redirect: "https://id.chromiumapp.org/", state: "s", issuer: "https://vitrine.example" };
    const iss = encodeURIComponent(asked.issuer);
    assert.equal(codeIn(`https://id.chromiumapp.org/?code=c&state=s&iss=${iss}`, asked), "c");
    for (const [answer, id] of [
      [`https://id.chromiumapp.org/?code=c&state=t&iss=${iss}`, "errorAnswer"], [`https://id.chromiumapp.org/?code=c&iss=${iss}`, "errorAnswer"],
      ["https://id.chromiumapp.org/?code=c&state=s&iss=https://evil.test", "errorAnswer"], ["https://id.chromiumapp.org/?code=c&state=s", "errorAnswer"],
      [`https://evil.test/?code=c&state=s&iss=${iss}`, "errorAnswer"], [`https://id.chromiumapp.org/?state=s&iss=${iss}`, "errorAnswer"],
      [`https://id.chromiumapp.org/?error=access_denied&state=s&iss=${iss}`, "errorDenied"], [undefined, "errorAnswer"],
    ]) assert.throws(() => codeIn(answer, asked), { id }, answer);
  });

  test("plain text as Markdown", () => {
    for (const [text, want] of [
      ["Kelp *grows* [fast]", "Kelp \\*grows\\* \\[fast\\]"], ["# no heading", "\\# no heading"], ["- no list\n1. nor this", "\\- no list\n1\\. nor this"], ["a\r\n\n\n\nb ", "a\n\nb"],
      ["> a", "\\> a"], ["see https://a.test/b_c for", "see https://a.test/b_c for"], ["https://a.test/b", "https://a.test/b"], ["<b>", "\\<b\\>"], ["---", "\\---"], ["", ""],
    ]) assert.equal(escapeMarkdown(text), want, text);
  });

  test("what is saved of each kind", () => {
    const page = { url: "https://a.test/p", title: "Page" };
    const draft = { kind: "page", page, url: page.url, title: " T ", note: "N", text: "*x*", images: [{ src: "https://a.test/1.png", alt: "One" }], tabs: [{ url: "https://b.test/", title: "B" }, { url: "https://c.test/", title: "" }] };
    const source = { original_source_url: page.url, original_source_title: "Page" };
    assert.deepEqual(blocksOf(draft), [{ value: page.url, title: "T", description: "N" }]);
    assert.deepEqual(blocksOf({ ...draft, kind: "selection" }), [{ value: "\\*x\\*", title: "T", description: "N", ...source }]);
    assert.deepEqual(blocksOf({ ...draft, kind: "image" }), [{ value: "https://a.test/1.png", title: "T", description: "N", alt_text: "One", ...source }]);
    assert.deepEqual(blocksOf({ ...draft, kind: "image", images: [...draft.images, { src: "https://a.test/2.png", alt: "" }] }).map(({ title }) => title), [undefined, undefined]);
    assert.deepEqual(blocksOf({ ...draft, kind: "tabs" }), [{ value: "https://b.test/", title: "B", description: "N" }, { value: "https://c.test/", description: "N" }]);
    assert.equal(blocksOf({ ...draft, kind: "selection", page: { url: `https://a.test/${"x".repeat(3000)}`, title: "" } })[0].original_source_url, undefined);
    assert.equal(Array.from(cut("😀".repeat(300), 255)).length, 255);
  });

  test("what becomes of an entry that failed", () => {
    const account = { api: "https://a.test", user: { id: 7 } };
    const [entry] = entriesOf(account, { blocks: [{ value: "x" }], channels: [] }, 1_000);
    const fails = (status, text = "", wait = 0) => after(entry, { status, text, wait }, 5_000);
    for (const [status, text, wait, want] of [
      [0, "", 0, { state: "waiting", sent: 5_000, next: 0 }], [503, "", 9, { state: "waiting", sent: 5_000, next: 14_000 }], [500, "", 0, { state: "waiting", sent: 5_000 }],
      [401, "", 0, { state: "waiting", sent: null }], [429, "", 30, { state: "waiting", sent: null, next: 35_000 }], [403, "No", 0, { state: "refused", message: "No" }],
      [404, "", 0, { state: "refused" }], [422, "The Idempotency-Key was used", 0, { state: "unsure" }], [422, "other", 0, { state: "refused" }],
    ]) {
      const got = fails(status, text, wait);
      for (const [name, value] of Object.entries(want)) assert.equal(got[name], value, `${status} ${name}`);
      assert.equal(got.id, entry.id);
    }
    const sent = fails(0);
    assert.equal(after(sent, { status: 0, text: "", wait: 0 }, 9_000).sent, 5_000, "the first time counts");
    assert.deepEqual([isUnsure(entry, 1e12), isUnsure(sent, 6_000), isUnsure(sent, 24 * 3_600_000)], [false, false, true]);
    assert.notEqual(again(sent).id, entry.id);
  });

  test("copies that wait have limits of number and size, and the refused and oldest ones go first", () => {
    const copy = (id, at, size, reason = "") => ({ id, at, size, reason });
    const gone = (copies, limits) => overflow(copies, limits).map(({ id }) => id);
    const all = [copy("new", 9, 5), copy("old", 1, 5), copy("refused", 5, 5, "copyGone")];
    assert.deepEqual(gone(all, { count: 3, bytes: 15 }), []);
    assert.deepEqual(gone(all, { count: 2, bytes: 15 }), ["refused"]);
    assert.deepEqual(gone(all, { count: 3, bytes: 9 }), ["refused", "old"]);
    assert.deepEqual(gone([copy("large", 1, 100)], { count: 3, bytes: 9 }), ["large"]);
    assert.deepEqual(gone([]), []);
  });

  test("what becomes of a copy whose upload failed", () => {
    const copy = { id: "x", next: 0, tries: 0, reason: "", text: "" };
    const fails = (status, from = copy, text = "", wait = 0) => afterUpload(from, { status, text, wait }, 1_000);
    for (const [status, reason, next] of [[0, "", 0], [401, "", 0], [429, "", 61_000], [503, "", 61_000], [403, "copyQuota", 0], [404, "copyGone", 0], [413, "copyTooLarge", 0], [400, "errorServer", 0]]) {
      assert.deepEqual([fails(status).reason, fails(status).next], [reason, next], String(status));
    }
    assert.equal(fails(503, copy, "", 900).next, 901_000);
    assert.equal(fails(422, copy, "Not HTML").text, "Not HTML");
    let broken = copy;
    for (let n = 0; n < 40 && broken.reason === ""; n++) broken = fails(500, broken);
    assert.equal(broken.reason, "errorServer", "it is not sent forever");
  });

  test("channels for what is typed", () => {
    assert.deepEqual([begins("", "x"), begins("fie", "Field notes"), begins("notes fi", "Field notes"), begins("é", "Etude"), begins("ield", "Field")], [true, true, true, true, false]);
    assert.deepEqual(offered([[{ id: 1 }, { id: 2 }], [{ id: 2 }, { id: 3 }]], [{ id: 1 }]), [{ id: 2 }, { id: 3 }]);
  });

  test("errors of the server", () => {
    assert.equal(messageOf({ error: "Forbidden", code: 403, details: { message: "You may not add", errors: ["a", "a"] } }), "You may not add. a");
    assert.equal(messageOf(null), "");
    assert.deepEqual([waitOf(null), waitOf("7"), waitOf("1e9"), waitOf("99999"), waitOf(new Date(10_000).toUTCString(), 4_000)], [0, 7, 0, 3_600, 6]);
  });
});
