import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";
import { VerificationError, Verifier } from "../dist/index.js";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const other = "whsec_ZXhhbXBsZS1vZi1hLXNpZ25pbmctc2VjcmV0";
const id = "31a271e5-b970-49e6-ac8f-d46f73c061af";
const timestamp = "1780827024";
const now = 1_780_827_024_000;
const body = '{"workerId":"W-1","notificationType":"WORKER_MESSAGE"}';

function sign(secret, body) {
  const key = Buffer.from(secret.slice(6), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

const headers = (signature, time = timestamp) => ({ "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature });

test("a right signature is accepted, in each form of headers and body", async () => {
  const signature = sign(secret, body);
  const given = headers(`v1,AAAA v1a,other ${signature}`);
  const bytes = new TextEncoder().encode(body);
  for (const [those, that] of [[given, body], [given, bytes], [new Headers(given), bytes]]) {
    assert.equal((await new Verifier(other, secret).verify(those, that, now + 300_000)).workerId, "W-1");
  }
});

test("a known signature is accepted", () => {
  // This signature was computed with OpenSSL.
  const known = "v1,U/VjWJDGm5YMq89fKbeXH4NCmm8I3FIAVpakzauDDRQ=";
  return new Verifier(secret).verify(headers(known), "{}", now);
});

test("a wrong signature is rejected", async () => {
  const right = sign(secret, body);
  const cases = [[other, right, body], [secret, right, body.replace("W-1", "W-2")], [secret, "", body], [secret, right.slice(3), body], [secret, "v1,?", body]];
  for (const [key, signature, sent] of [...cases, [secret, "v1,AAAA ".repeat(8) + right, body]]) {
    await assert.rejects(new Verifier(key).verify(headers(signature), sent, now), VerificationError, signature);
  }
  await assert.rejects(new Verifier(secret).verify({}, body, now), VerificationError);
});

test("an old or invalid timestamp is rejected", async () => {
  const signature = sign(secret, body);
  for (const late of [now + 301_000, now - 301_000]) {
    await assert.rejects(new Verifier(secret).verify(headers(signature), body, late), VerificationError);
  }
  for (const time of ["", "-1", "+1780827024", "1780827024.5", "0000000001780827024"]) {
    await assert.rejects(new Verifier(secret).verify(headers(signature, time), body, now), VerificationError, time);
  }
});

test("a verifier needs a valid secret", () => {
  assert.throws(() => new Verifier(), TypeError);
  for (const bad of ["", "whsec_", "whsec_not base64!"]) assert.throws(() => new Verifier(bad), TypeError, bad);
});
