// Runs the first steps with the installed TypeScript package against a demo, and prints each step. RECEIVED
// is the notification that the Python program received, as JSON.
import { type CheckInput, PayrollClient, RejectedError, Verifier, type Worker } from "payroll-client";

const { BASE, KEY, SECRET, RECEIVED } = process.env as { BASE: string; KEY: string; SECRET: string; RECEIVED: string };

function assert(condition: boolean, what: unknown): asserts condition {
  if (!condition) throw new Error(`not as expected: ${JSON.stringify(what)}`);
}

const payroll = new PayrollClient({ baseUrl: BASE, clientId: KEY, clientSecret: SECRET });
const { value: company } = await payroll.list("/companies").next();
assert(company !== undefined, "a company");
const path = { companyId: company.companyId };
const [period] = (await payroll.get("/companies/{companyId}/payperiods", { path, query: { status: ["INITIAL", "ENTRY"] } })).content;
const [component] = (await payroll.get("/companies/{companyId}/paycomponents", { path, query: { name: "Bonus" } })).content;
assert(period !== undefined && component !== undefined, "a pay period and a pay component");
const workers: Worker[] = [];
for await (const worker of payroll.list("/companies/{companyId}/workers", { path, query: { status: ["ACTIVE"], limit: 2 } })) {
  // The responses have the full type, because the client accepts application/json.
  workers.push(worker as Worker);
}
assert(workers.length > 2, "the workers are on several pages");
console.log(`${company.legalName}: pays ${component.name} to ${workers.length} workers in ${period.payPeriodId}`);

const check = (workerId: string, payAmount: string): CheckInput => ({
  workerId,
  payPeriodId: period.payPeriodId,
  checkCorrelationId: `typescript-${workerId}`,
  earnings: [{ componentId: component.componentId, payAmount }],
  // The work of some workers is distributed over several jobs. This option prevents a split of the line.
  blockAutoDistribution: true,
});
const body = workers.map(({ workerId }, at) => check(workerId, at === 0 ? "1234.50" : "0.10"));
const options = { path, body, idempotencyKey: `first-typescript-${period.payPeriodId}` };
const added = (await payroll.post("/companies/{companyId}/checks", options)).content;
const again = await payroll.request("post", "/companies/{companyId}/checks", options);
const ids = added.map((it) => it.paycheckId);
assert(again.replayed && again.data.content.every((it, at) => it.paycheckId === ids[at]), "nothing is paid twice");
const amounts = new Map<string | undefined, string | undefined>();
const query = { payperiodid: period.payPeriodId, filterbyuserid: true, limit: 2 };
for await (const stored of payroll.list("/companies/{companyId}/checks", { path, query })) {
  amounts.set(stored.paycheckId, stored.earnings?.[0]?.payAmount);
}
const read = ids.map((id) => amounts.get(id));
assert(read.join() === body.map((it) => it.earnings?.[0]?.payAmount).join(), read);
console.log(`added ${added.length} checks and read them back: ${read.slice(0, 3).join(", ")}, …`);

try {
  const wrong = [check("NOBODY", "1.00"), check(workers[0]!.workerId, "10000.00")];
  await payroll.post("/companies/{companyId}/checks", { path, body: wrong });
  assert(false, "the server has accepted a wrong batch");
} catch (error) {
  if (!(error instanceof RejectedError)) throw error;
  const found = error.errors.map((it) => `${it.code} ${it.pointer}`).join(", ");
  assert(found === "API-55 /0/workerId, API-28 /1/earnings/0/payAmount", found);
  console.log(`rejected with status ${error.status}: ${found}`);
}

const received = JSON.parse(RECEIVED) as { headers: Record<string, string>; body: string; secret: string };
const verifier = new Verifier(received.secret);
const notification = await verifier.verify(received.headers, received.body);
const changed = await verifier.verify(received.headers, `${received.body} `).then(() => "accepted", () => "rejected");
assert(changed === "rejected", changed);
console.log(`verified the notification ${notification.notificationId}`);
