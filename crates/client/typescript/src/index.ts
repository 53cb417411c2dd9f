/** Client of the payroll integration API. */
export { PayrollClient, type ClientOptions, type PayrollResponse } from "./client.js";
export { type ApiError, ConnectionError, PartlyRejectedError, PayrollError, RejectedError, ResponseError, TimedOutError } from "./errors.js";
export { DEFAULT_PAGE_SIZE, type EventPage } from "./pages.js";
export { PrivateKey } from "./private-key.js";
export { DEFAULT_ATTEMPTS, FIRST_DELAY_MS, MAX_ATTEMPTS, MAX_DELAY_MS, MAX_RETRY_AFTER_MS } from "./retry.js";
export { type Headers as WebhookHeaders, TOLERANCE_SECONDS, VerificationError, Verifier } from "./webhook.js";
export type * from "./generated/api.js";
