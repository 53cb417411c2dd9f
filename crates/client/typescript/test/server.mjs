// A test server that records requests and sends predefined replies.
import { createServer } from "node:http";

/** Starts a server. A reply is [status, headers, body], "close" or "hang". The tokens are t1, t2, … */
export async function serve(context, replies, tokenReplies = []) {
  const state = { received: [], tokens: 0, tokenForms: [] };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const isToken = request.url === "/auth/oauth/v2/token";
    let reply;
    if (isToken) {
      state.tokens += 1;
      state.tokenForms.push(body);
      reply = tokenReplies.shift() ?? [200, {}, { access_token: `t${state.tokens}`, token_type: "Bearer", expires_in: 3600 }];
    } else {
      state.received.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      reply = replies.shift() ?? [500, {}, "the script has ended"];
    }
    if (reply === "close") return request.socket.destroy();
    if (reply === "hang") return;
    const [status, headers, content] = reply;
    response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers });
    response.end(typeof content === "string" ? content : JSON.stringify(content));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  state.address = `http://127.0.0.1:${server.address().port}`;
  state.options = { baseUrl: state.address, clientId: "pkc_id", clientSecret: "pks_hidden", firstDelayMs: 4 };
  return state;
}

export const busy = [503, {}, { errors: [{ code: "API-503", description: "busy" }] }];
