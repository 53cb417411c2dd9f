// Gets a token with a private key, and verifies a notification with the public keys of the server. RECEIVED
// is the notification that the Python program received, as JSON.
import { PayrollClient, PrivateKey, Verifier } from "payroll-client";

const environment = process.env as { BASE: string; KEY: string; PRIVATE_KEY: string; RECEIVED: string };
const { BASE: baseUrl, KEY: clientId } = environment;

const privateKey = await PrivateKey.from(environment.PRIVATE_KEY);
const { value: company } = await new PayrollClient({ baseUrl, clientId, privateKey }).list("/companies").next();
if (company === undefined) throw new Error("no company");
console.log(`${company.legalName}: read with the key ${privateKey.keyId}`);

const { keys } = (await (await fetch(`${baseUrl}/.well-known/webhook-keys`)).json()) as { keys: { publicKey: string }[] };
const verifier = new Verifier(...keys.map((it) => it.publicKey));
const received = JSON.parse(environment.RECEIVED) as { headers: Record<string, string>; body: string };
const notification = await verifier.verify(received.headers, received.body);
const changed = await verifier.verify(received.headers, `${received.body} `).then(() => "accepted", () => "rejected");
if (changed !== "rejected") throw new Error("a changed notification was accepted");
console.log(`verified the notification ${notification.notificationId} with the public keys`);
