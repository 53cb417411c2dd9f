import assert from "node:assert/strict";
import test from "node:test";
import { inspect } from "node:util";
import { ConnectionError, PartlyRejectedError, PayrollClient, RejectedError, ResponseError, TimedOutError } from "../dist/index.js";
import { delay, parseRetryAfter } from "../dist/retry.js";
import { busy, serve } from "./server.mjs";

const added = [201, { "x-vendor-txid": "42", "idempotent-replayed": "true", etag: '"7"' }, { content: [], links: [] }];
const empty = [200, {}, {}];
const expired = [401, {}, { errors: [{ code: "API-102", description: "expired" }] }];
const checks = "/companies/{companyId}/checks";
const path = { companyId: "C1" };

test("a POST is repeated with the same key and body", async (t) => {
  const server = await serve(t, [busy, "close", added]);
  const payroll = new PayrollClient(server.options);
  const body = [{ workerId: "W1", payPeriodId: "P1", checkCorrelationId: "a", earnings: [{ componentId: "C1", payAmount: "1234567890.10" }] }];
  const response = await payroll.request("post", checks, { path, body, idempotencyKey: "batch-1" });
  assert.deepEqual([response.status, response.replayed, response.requestId, response.etag], [201, true, "42", '"7"']);
  assert.equal(server.received.length, 3);
  for (const { line, headers, body: sent } of server.received) {
    assert.equal(line, "POST /companies/C1/checks");
    assert.equal(headers["idempotency-key"], "batch-1");
    assert.equal(headers.authorization, "Bearer t1");
    assert.equal(headers["content-type"], "application/vnd.vendor.payroll.checks.v1+json");
    assert.equal(sent, JSON.stringify(body));
  }
});

test("a POST without a key gets a random one for all its attempts", async (t) => {
  const server = await serve(t, [busy, added, [201, { etag: 'W/"7"' }, {}]]);
  const payroll = new PayrollClient({ ...server.options, vendor: "acme" });
  await payroll.post(checks, { path, body: [] });
  assert.equal((await payroll.request("post", checks, { path, body: [] })).etag, undefined);
  const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys[0].length, 36);
  assert.equal(keys[0], keys[1]);
  assert.notEqual(keys[0], keys[2]);
  assert.equal(server.received[0].headers["content-type"], "application/vnd.acme.payroll.checks.v1+json");
});

test("a PATCH is not repeated after a lost response", async (t) => {
  for (const reply of [busy, "close"]) {
    const server = await serve(t, [reply, empty]);
    const patch = new PayrollClient(server.options).patch("/workers/{workerId}", { path: { workerId: "W1" }, body: {} });
    await assert.rejects(patch, (error) => error instanceof RejectedError || (error instanceof ConnectionError && error.sent));
    assert.equal(server.received.length, 1);
  }
  const server = await serve(t, [[429, { "retry-after": "0" }, ""], empty]);
  await new PayrollClient(server.options).patch("/workers/{workerId}", { path: { workerId: "W1" }, body: {}, ifMatch: '"7"' });
  assert.equal(server.received[1].headers["if-match"], '"7"');
});

test("a rejection has its codes and pointers and is not repeated", async (t) => {
  const errors = [
    { code: "API-55", description: "no such worker", resolution: "Use another.", pointer: "/0/workerId", correlationId: "one" },
    { code: "API-48", description: "too many", pointer: "/1/earnings/0/payHours" },
  ];
  const server = await serve(t, [[400, { "x-vendor-txid": "43" }, { errors }]]);
  const error = await new PayrollClient(server.options).post(checks, { path, body: [] }).catch((it) => it);
  assert.ok(error instanceof RejectedError);
  assert.deepEqual([error.status, error.requestId, error.errors], [400, "43", errors]);
  assert.ok(error.hasCode("API-55") && !error.hasCode("API-1"));
  assert.equal(error.message, "status 400: API-55 no such worker (/0/workerId), API-48 too many (/1/earnings/0/payHours)");
});

test("a list that is stored in part is an error with the stored objects", async (t) => {
  const errors = [{ code: "API-46", description: "name.givenName is missing", pointer: "/1/name/givenName" }];
  const partly = [207, { "x-vendor-txid": "42" }, { content: [{ workerId: "W1" }], errors }];
  const server = await serve(t, [partly, partly]);
  const payroll = new PayrollClient(server.options);
  const workers = "/companies/{companyId}/workers";
  for (const add of [payroll.post(workers, { path, body: [] }), payroll.request("post", workers, { path, body: [] })]) {
    const error = await add.then(() => "accepted", (it) => it);
    assert.ok(error instanceof PartlyRejectedError && error instanceof RejectedError, error);
    assert.deepEqual([error.stored, error.errors], [[{ workerId: "W1" }], errors]);
    assert.deepEqual([error.status, error.requestId, error.name], [207, "42", "PartlyRejectedError"]);
    assert.equal(error.message, "status 207: API-46 name.givenName is missing (/1/name/givenName)");
  }
  assert.equal(server.received.length, 2, "not repeated");
});

test("a document is read as bytes, whatever its type", async (t) => {
  // The server rejects any other Accept with status 406.
  const document = (type, content) => [200, { "content-type": type }, content];
  const missing = [404, {}, { errors: [{ code: "API-7", description: "no such document" }] }];
  const server = await serve(t, [document("text/csv", "name,day"), document("application/json", "{}"), document("text/plain", ""), missing]);
  const payroll = new PayrollClient(server.options);
  const file = "/workers/{workerId}/documents/{documentId}";
  const options = { path: { workerId: "W1", documentId: "D1" } };
  for (const content of ["name,day", "{}", ""]) {
    assert.deepEqual(await payroll.get(file, options), new TextEncoder().encode(content));
  }
  await assert.rejects(payroll.get(file, { ...options, accept: "*/*" }), (error) => error.hasCode("API-7"));
  const accepted = server.received.map(({ headers }) => headers.accept);
  assert.deepEqual(accepted, [...Array(3).fill("application/octet-stream"), "*/*"]);
});

test("a profile image is read as JSON, and accept selects another media type", async (t) => {
  const type = "application/vnd.vendor.worker.profileimage.v1+json";
  const image = { content: [{ content: "iVBORw==" }], links: [] };
  const server = await serve(t, [[200, {}, image], [200, { "content-type": type }, image]]);
  const payroll = new PayrollClient(server.options);
  for (const options of [{}, { accept: type }]) {
    assert.deepEqual(await payroll.get("/workers/{workerId}/profileimage", { path: { workerId: "W1" }, ...options }), image);
  }
  assert.deepEqual(server.received.map(({ headers }) => headers.accept), ["application/json", type]);
});

test("attempts end at their maximum", async (t) => {
  const server = await serve(t, Array(9).fill(busy));
  await assert.rejects(new PayrollClient(server.options).get("/companies"), RejectedError);
  assert.equal(server.received.length, 4);
  assert.throws(() => new PayrollClient({ ...server.options, attempts: 11 }), TypeError);
});

test("an attempt without a response ends after its timeout", async (t) => {
  // On a busy machine, further attempts can be too slow.
  const server = await serve(t, ["hang", empty, empty, empty]);
  await new PayrollClient({ ...server.options, timeoutMs: 1_000 }).get("/companies");
  assert.ok(server.received.length >= 2);
  const other = await serve(t, ["hang"]);
  const patch = new PayrollClient({ ...other.options, timeoutMs: 1_000 }).patch("/workers/{workerId}", { path: { workerId: "W1" }, body: {} });
  await assert.rejects(patch, TimedOutError);
});

test("a server that is not there is not reached", async () => {
  // No server can listen on port 0.
  const payroll = new PayrollClient({ baseUrl: "http://127.0.0.1:0", clientId: "id", clientSecret: "secret", attempts: 1 });
  await assert.rejects(payroll.get("/companies"), ConnectionError);
});

test("a signal ends a request", async (t) => {
  const server = await serve(t, ["hang"]);
  const abort = new AbortController();
  const request = new PayrollClient(server.options).get("/companies", { signal: abort.signal });
  setTimeout(() => abort.abort(), 50);
  await assert.rejects(request, { name: "AbortError" });
});

test("concurrent requests share one token request", async (t) => {
  const server = await serve(t, Array(8).fill(empty));
  const payroll = new PayrollClient(server.options);
  await Promise.all(Array.from({ length: 8 }, () => payroll.get("/companies")));
  assert.deepEqual([server.tokens, server.received.length], [1, 8]);
});

test("a rejected token is renewed once", async (t) => {
  const server = await serve(t, [expired, empty, expired, expired]);
  const payroll = new PayrollClient(server.options);
  await payroll.get("/companies");
  const error = await payroll.get("/companies").catch((it) => it);
  assert.ok(error.hasCode("API-102"));
  assert.deepEqual(server.received.map(({ headers }) => headers.authorization), ["t1", "t2", "t2", "t3"].map((it) => `Bearer ${it}`));
});

test("a token is renewed before it expires, and a failed token request has its code", async (t) => {
  const short = [200, {}, { access_token: "short", expires_in: 0 }];
  const wrong = [401, {}, { error: "invalid_client", errors: [{ code: "API-102", description: "wrong secret" }] }];
  const server = await serve(t, [empty], [short, wrong]);
  const payroll = new PayrollClient(server.options);
  await payroll.get("/companies");
  await assert.rejects(payroll.get("/companies"), (error) => error.hasCode("API-102"));
  assert.deepEqual([server.tokens, server.received.length], [2, 1]);
});

test("lists are read page by page, with the query of the link only", async (t) => {
  const link = (rel, query) => ({ rel, href: `https://other.example/x?${query}` });
  const server = await serve(t, [
    [200, {}, { content: [1, 2], links: [link("next", "status=A&offset=2&limit=2")] }],
    [200, {}, { content: [], links: [link("next", "status=A&offset=4&limit=2")] }],
    [200, {}, { content: [3], links: [link("previous", "offset=2")] }],
    ...Array(2).fill([200, {}, { content: [], links: [link("next", "offset=2")] }]),
  ]);
  const payroll = new PayrollClient(server.options);
  const rows = [];
  for await (const row of payroll.list("/companies/{companyId}/workers", { path, query: { status: ["A"], limit: 2 } })) rows.push(row);
  assert.deepEqual(rows, [1, 2, 3]);
  const queries = server.received.map(({ line }) => line.split("?")[1]);
  assert.deepEqual(queries, ["limit=2&status=A", "status=A&offset=2&limit=2", "status=A&offset=4&limit=2"]);
  await assert.rejects(payroll.list("/companies").next(), ResponseError);
});

test("a list with a cursor is read page by page", async (t) => {
  const next = { rel: "next", href: "https://other.example/management/requests?status=4xx&before=c1&limit=2" };
  const server = await serve(t, [[200, {}, { content: [3, 2], links: [next] }], [200, {}, { content: [1], links: [] }]]);
  const rows = [];
  for await (const row of new PayrollClient(server.options).list("/management/requests", { query: { limit: 2 } })) rows.push(row);
  assert.deepEqual(rows, [3, 2, 1]);
  // The server rejects an offset.
  assert.deepEqual(server.received.map(({ line }) => line.split("?")[1]), ["limit=2", "status=4xx&before=c1&limit=2"]);
});

test("the event feed continues after its cursor", async (t) => {
  const next = { rel: "next", href: "https://other.example/management/events?limit=1000&after=c42" };
  const server = await serve(t, [[200, {}, { content: [{ eventId: "e1" }], links: [next] }], [200, {}, { content: [], links: [] }]]);
  const payroll = new PayrollClient(server.options);
  const { events, cursor } = await payroll.events();
  assert.deepEqual([events.length, cursor], [1, "c42"]);
  await payroll.events(cursor);
  assert.equal(server.received[1].line, "GET /management/events?limit=1000&after=c42");
});

test("money is kept as the text that the server sent", async (t) => {
  const server = await serve(t, [[200, {}, '{"content":[{"earnings":[{"payAmount":"0.10"},{"payAmount":"1234567890.12"}]}]}']]);
  const { content } = await new PayrollClient(server.options).get(checks, { path, query: { payperiodid: "P1" } });
  assert.deepEqual(content[0].earnings.map((it) => it.payAmount), ["0.10", "1234567890.12"]);
});

test("no output shows a secret or a token", async (t) => {
  const server = await serve(t, [], [[200, {}, '{"access_token":"tok-hidden","x']]);
  const payroll = new PayrollClient(server.options);
  const error = await payroll.get("/companies").catch((it) => it);
  const text = inspect([payroll, error], { depth: 9, showHidden: true }) + JSON.stringify(payroll);
  assert.ok(!/pks_|tok-/.test(text), text);
});

test("an address is encrypted or on this machine, and an id stays in its place", async (t) => {
  const settings = { clientId: "id", clientSecret: "secret" };
  for (const baseUrl of ["http://payroll.example.com", "ftp://a.example", "https://u:p@a.example", "https://a.example?a=b"]) {
    assert.throws(() => new PayrollClient({ ...settings, baseUrl }), TypeError, baseUrl);
  }
  new PayrollClient({ ...settings, baseUrl: "http://payroll.internal", allowPlainHttp: true });
  const server = await serve(t, [empty]);
  const payroll = new PayrollClient(server.options);
  for (const companyId of ["..", ".", ""]) {
    await assert.rejects(payroll.get("/companies/{companyId}", { path: { companyId } }), TypeError);
  }
  await payroll.get("/companies/{companyId}", { path: { companyId: "a/b?c" } });
  assert.equal(server.received[0].line, "GET /companies/a%2Fb%3Fc");
});

test("the wait is that of the server or doubles", () => {
  const rejection = (status, ms) => new RejectedError(status, [], undefined, ms);
  const wait = (attempt, error, repeatable = true) => delay(attempt, 4, 500, error, repeatable);
  assert.ok(wait(1, rejection(429, 7_000)) >= 7_000);
  assert.ok(wait(1, rejection(409, 2_000)) >= 2_000);
  for (const error of [rejection(503, 61_000), rejection(400), rejection(409), rejection(500), rejection(423, 1)]) {
    assert.equal(wait(1, error), undefined);
  }
  const timeout = new TimedOutError("");
  for (const [attempt, least] of [[1, 250], [2, 500], [3, 1_000]]) {
    assert.ok(wait(attempt, timeout) >= least && wait(attempt, timeout) <= 2 * least);
  }
  assert.equal(wait(4, timeout), undefined);
  assert.equal(wait(1, timeout, false), undefined);
});

test("Retry-After is a number of seconds or a date", () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 37);
  assert.equal(parseRetryAfter(" 12 ", now), 12_000);
  assert.equal(parseRetryAfter("Sun, 06 Nov 1994 08:49:47 GMT", now), 10_000);
  assert.equal(parseRetryAfter("Sun, 06 Nov 1994 08:00:00 GMT", now), 0);
  assert.equal(parseRetryAfter("soon", now), undefined);
  assert.equal(parseRetryAfter(null, now), undefined);
});
