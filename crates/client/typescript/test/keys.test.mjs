import assert from "node:assert/strict";
import { createHmac, createPrivateKey, createPublicKey, createSecretKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";
import { inspect } from "node:util";
import { PayrollClient, PrivateKey, VerificationError, Verifier } from "../dist/index.js";
import { busy, serve } from "./server.mjs";

// The packages in all three languages are tested with these vectors.
const vectors = JSON.parse(readFileSync(new URL("../../src/tests/vectors.json", import.meta.url), "utf8"));
const { keys, webhook, assertion: known } = vectors;
const now = Number(webhook.timestamp) * 1_000;
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const empty = [200, {}, {}];

const decoded = (part) => JSON.parse(Buffer.from(part, "base64url"));
const lines = (pem) => pem.split("\n").filter((it) => it !== "");

function isSignedBy(jwk, assertion) {
  const end = assertion.lastIndexOf(".");
  const key = createPublicKey({ key: JSON.parse(jwk), format: "jwk" });
  const [hash, options] = jwk.includes("OKP") ? [null, key] : ["sha256", { key, dsaEncoding: "ieee-p1363" }];
  return verify(hash, Buffer.from(assertion.slice(0, end)), options, Buffer.from(assertion.slice(end + 1), "base64url"));
}

/** Returns the fields of a token request, and the header and the claims of its assertion. */
function tokenRequest(form) {
  const fields = Object.fromEntries(new URLSearchParams(form));
  const [header, claims] = fields.client_assertion.split(".");
  return { fields, header: decoded(header), claims: decoded(claims) };
}

test("an assertion has the known header, claims and signature", async () => {
  assert.equal(keys.length, 3);
  for (const key of keys) {
    for (const from of [key.pem, createPrivateKey(key.pem)]) {
      const privateKey = await PrivateKey.from(from);
      assert.deepEqual([privateKey.keyId, privateKey.publicJwk], [key.keyId, key.publicJwk]);
      const assertion = privateKey.assertion(known.clientId, known.audience, known.now, known.jti);
      const end = assertion.lastIndexOf(".");
      assert.equal(assertion.slice(0, end), key.signed, key.algorithm);
      // ES256 signatures are random. Their expected value is null.
      if (key.signature !== null) assert.equal(assertion.slice(end + 1), key.signature, key.algorithm);
      for (const other of keys) assert.equal(isSignedBy(other.publicJwk, assertion), other === key, other.algorithm);
    }
  }
});

test("an invalid key is a clear error without the key", async () => {
  for (const { pem, error: expected } of vectors.rejected) {
    const error = await PrivateKey.from(pem).catch((it) => it);
    assert.ok(error instanceof TypeError && error.cause === undefined);
    assert.ok(error.message.startsWith("expected a private key ") && error.message.includes(expected), error.message);
    assert.ok(!lines(pem).some((it) => error.message.includes(it)), error.message);
  }
  // Without its line breaks, the label ends where the key ends.
  await assert.rejects(PrivateKey.from(keys[0].pem.replaceAll("-----\n", "-")), { message: /got a text without BEGIN$/ });
  for (const wrong of [createPublicKey(keys[0].pem), createSecretKey(Buffer.from("pks_hidden")), {}, undefined]) {
    await assert.rejects(PrivateKey.from(wrong), { name: "TypeError", message: /^expected a private key of type/ });
  }
});

test("each token request has a new assertion", async (t) => {
  const server = await serve(t, [[401, {}, {}], empty], [busy, [429, { "retry-after": "0" }, ""]]);
  const privateKey = await PrivateKey.from(keys[0].pem);
  const begin = Math.floor(Date.now() / 1_000);
  const payroll = new PayrollClient({ baseUrl: `${server.address}/`, clientId: "pkc_id", privateKey, firstDelayMs: 4 });
  await payroll.get("/companies");
  const requests = server.tokenForms.map(tokenRequest);
  assert.equal(requests.length, 4, "two failed attempts, and a token that was rejected");
  for (const { fields, header, claims } of requests) {
    const { client_assertion: assertion, ...others } = fields;
    assert.deepEqual(others, {
      grant_type: "client_credentials",
      client_id: "pkc_id",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    assert.deepEqual(header, { alg: "EdDSA", kid: keys[0].keyId, typ: "JWT" });
    assert.deepEqual([claims.iss, claims.sub, claims.aud], ["pkc_id", "pkc_id", server.address]);
    assert.ok(claims.exp >= begin + 60 && claims.exp <= Date.now() / 1_000 + 60, JSON.stringify(claims));
    assert.ok(isSignedBy(keys[0].publicJwk, assertion));
  }
  assert.equal(new Set(requests.map(({ claims }) => claims.jti)).size, 4, "each id is new");
});

test("the audience can be the public address", async (t) => {
  const server = await serve(t, [empty]);
  const privateKey = await PrivateKey.from(keys[1].pem);
  const audience = "https://payroll.example.com";
  await new PayrollClient({ baseUrl: server.address, clientId: "pkc_id", privateKey, audience }).get("/companies");
  const { header, claims } = tokenRequest(server.tokenForms[0]);
  assert.deepEqual([header.alg, claims.aud], ["ES256", audience]);
});

test("a client has one credential", async () => {
  const settings = { baseUrl: "https://payroll.example.com", clientId: "id" };
  const privateKey = await PrivateKey.from(keys[0].pem);
  for (const both of [{}, { clientSecret: "pks_hidden", privateKey }]) {
    assert.throws(() => new PayrollClient({ ...settings, ...both }), { message: "expected either clientSecret or privateKey" });
  }
  for (const wrong of [keys[0].pem, createPrivateKey(keys[0].pem), PrivateKey.from(keys[0].pem)]) {
    assert.throws(() => new PayrollClient({ ...settings, privateKey: wrong }), { message: "expected privateKey: await PrivateKey.from(…)" });
  }
});

test("no output shows a private key", async () => {
  for (const { pem, keyId } of keys) {
    const privateKey = await PrivateKey.from(pem);
    const payroll = new PayrollClient({ baseUrl: "https://payroll.example.com", clientId: "id", privateKey });
    const text = inspect([privateKey, payroll], { depth: 9, showHidden: true }) + JSON.stringify([privateKey, payroll]) + privateKey;
    assert.ok(text.includes(keyId) && !lines(pem).some((it) => text.includes(it)), text);
  }
});

const headers = (signature) => ({ "webhook-id": webhook.id, "webhook-timestamp": webhook.timestamp, "webhook-signature": signature });

/** Returns the signature of the notification with the secret in this file. */
function signatureOfSecret() {
  const hmac = createHmac("sha256", Buffer.from(secret.slice(6), "base64"));
  return `v1,${hmac.update(`${webhook.id}.${webhook.timestamp}.${webhook.body}`).digest("base64")}`;
}

test("a signature of the server is accepted with its public key", async () => {
  const mixed = `v1,AAAA v1a,AAAA v1a,? ${webhook.signature}`;
  for (const [given, signature] of [[[webhook.publicKey], webhook.signature], [[secret, webhook.otherKey, webhook.publicKey], mixed]]) {
    assert.equal((await new Verifier(...given).verify(headers(signature), webhook.body, now + 300_000)).workerId, "W-1");
  }
  // A verifier with both kinds of keys also accepts a signature with the secret only.
  const both = new Verifier(webhook.publicKey, secret);
  assert.equal((await both.verify(headers(signatureOfSecret()), webhook.body, now)).workerId, "W-1");
});

test("a wrong signature of the server is rejected", async () => {
  const { publicKey, otherKey, signature, body } = webhook;
  const given = ["", "v1a,", "v1a,?", "v1a,\u00e9", signature.slice(4), signature.slice(0, -4), `v1,${signature.slice(4)}`, signatureOfSecret()];
  const cases = [...given, "v1a,AAAA ".repeat(8) + signature].map((it) => [publicKey, it, body]);
  cases.push([otherKey, signature, body], [secret, signature, body], [publicKey, signature, `${body} `]);
  for (const [key, signature, sent] of cases) {
    const verified = new Verifier(key).verify(headers(signature), sent, now);
    await assert.rejects(verified, (error) => error instanceof VerificationError && /^no signature/.test(error.message), signature);
  }
  for (const late of [now + 301_000, now - 301_000]) {
    const verified = new Verifier(publicKey).verify(headers(signature), body, late);
    await assert.rejects(verified, (error) => error instanceof VerificationError && /^webhook-timestamp/.test(error.message));
  }
});

test("a verifier needs a valid public key", () => {
  for (const bad of ["whpk_", "whpk_AAAA", "whpk_not base64!", "whpk_\u00e9", `${webhook.publicKey}AAAA`]) {
    assert.throws(() => new Verifier(secret, bad), { name: "TypeError", message: /^expected a public key: whpk_/ }, bad);
  }
});
