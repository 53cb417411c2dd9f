// The server's clock. The browser's clock may be wrong, and the clock of a sandbox can be set.
import { api } from './client.js';
import { isRestricted } from './session.js';

/** Returns the server's time, or an empty text if it is unknown. */
async function serverTime() {
  // A restricted operator cannot read the health. The Date header contains the time of the machine.
  if (isRestricted()) return (await api.GET('/operator/v1/sessions/current')).response.headers.get('Date') ?? '';
  const { data, response } = await api.GET('/operator/v1/health');
  return data?.content[0]?.date ?? response.headers.get('Date') ?? '';
}

/** Returns the time in milliseconds by which the server's clock is ahead of the browser's clock. */
export async function clockOffset() {
  const time = Date.parse(await serverTime());
  return Number.isNaN(time) ? 0 : time - Date.now();
}
