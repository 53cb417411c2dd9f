// Tests the types of operations, paths, queries, bodies and results. The file is compiled but never executed.
import { type AnsweredRequest, type Check, type CheckInput, type CreatedWorker, type Delivery, PartlyRejectedError, PayrollClient, PrivateKey, type WorkerContact } from "payroll-client";

export async function typed(payroll: PayrollClient, companyId: string): Promise<void> {
  const path = { companyId };
  const periods = await payroll.get("/companies/{companyId}/payperiods", { path, query: { status: ["INITIAL", "ENTRY"] } });
  const days: string = periods.content[0]!.startDate;
  const checks: CheckInput[] = [{ workerId: "W1", payPeriodId: "P1", checkCorrelationId: "row-1", earnings: [{ componentId: "C1", payHours: "7.25" }] }];
  const added = await payroll.post("/companies/{companyId}/checks", { path, body: checks, idempotencyKey: "batch-1" });
  const check: Check = added.content[0]!;
  const amount: string | undefined = check.earnings?.[0]?.payAmount;
  const nothing: undefined = await payroll.delete("/workers/{workerId}/checks/{paycheckId}", { path: { workerId: "W1", paycheckId: "K1" } });
  const document: Uint8Array = await payroll.get("/workers/{workerId}/documents/{documentId}", { path: { workerId: "W1", documentId: "D1" } });
  for await (const company of payroll.list("/companies")) console.log(company.legalName);
  for await (const contact of payroll.list("/workers/{workerId}/contacts", { path: { workerId: "W1" }, query: { limit: 10 } })) {
    const one: WorkerContact = contact;
  }
  for await (const answered of payroll.list("/management/requests", { query: { status: "4xx" } })) {
    const one: AnsweredRequest = answered;
  }
  for await (const sent of payroll.list("/management/hooks/{hookId}/deliveries", { path: { hookId: "H1" } })) {
    const one: Delivery = sent;
  }
  const hired = await payroll.post("/companies/{companyId}/workers", { path, body: [] }).catch((error: unknown) => {
    if (!(error instanceof PartlyRejectedError)) throw error;
    return { content: error.stored as CreatedWorker[] };
  });
  const worker: CreatedWorker = hired.content[0]!;
  const { etag } = await payroll.request("get", "/companies/{companyId}", { path });
  await payroll.patch("/workers/{workerId}", { path: { workerId: "W1" }, body: { clockId: "7" }, ...(etag ? { ifMatch: etag } : {}) });

  // @ts-expect-error a path parameter is missing
  await payroll.get("/companies/{companyId}");
  // @ts-expect-error the operation does not exist
  await payroll.delete("/companies/{companyId}", { path });
  // @ts-expect-error the value is not in the enumeration
  await payroll.get("/companies/{companyId}/payperiods", { path, query: { status: ["OPEN"] } });
  // @ts-expect-error money is a string
  const wrong: CheckInput = { workerId: "W1", payPeriodId: "P1", checkCorrelationId: "a", earnings: [{ componentId: "C1", payHours: 7.25 }] };
  // @ts-expect-error the list has no pages
  payroll.list("/management/hooks");

  const settings = { baseUrl: "https://payroll.example.com", clientId: "pkc_id" };
  const privateKey = await PrivateKey.from("-----BEGIN PRIVATE KEY-----");
  const signing = new PayrollClient({ ...settings, privateKey, audience: privateKey.keyId });
  // @ts-expect-error a text is not a private key
  new PayrollClient({ ...settings, privateKey: privateKey.publicJwk });
  // @ts-expect-error only the client signs assertions
  privateKey.assertion("pkc_id", "https://payroll.example.com", 0, "id");
}
