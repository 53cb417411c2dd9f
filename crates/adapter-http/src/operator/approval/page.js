"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  // The token at the end of the link. A proxy can add a prefix to the path of the page.
  const [before, token] = location.pathname.split(/\/approve\/(?=[^/]*$)/);
  const api = before + "/operator/v1/accessrequests/" + encodeURIComponent(token || "-");
  // The description of each scope, for the operator who decides on the request.
  const meanings = /* meanings */ {};
  let key = "";

  const say = (text) => { at("message").textContent = text; };

  // Shows a time in the reader's locale. The time in the element's attribute does not change.
  const when = (id, instant) => {
    at(id).dateTime = instant;
    at(id).textContent = new Date(instant).toLocaleString(undefined, { dateStyle: "long", timeStyle: "long" });
  };

  // Shows a name and an id. The name cannot change the direction of the id.
  const named = (id, name, value) => {
    const isolated = document.createElement("bdi");
    isolated.textContent = name;
    at(id).replaceChildren(isolated, " (" + value + ")");
  };

  const ask = async (method, path, body) => {
    // A header permits no other characters, and operator keys contain only these.
    if (!/^[!-~]+$/.test(key)) throw new Error("This is no operator key: it has characters that no key has.");
    const headers = { "Accept": "application/json", "Authorization": "Bearer " + key };
    if (body) headers["Content-Type"] = "application/json";
    const answer = await fetch(api + path, {
      method, headers, body: body && JSON.stringify(body), credentials: "omit", cache: "no-store",
    }).catch(() => { throw new Error("The server cannot be reached. Try again in a moment."); });
    const answered = await answer.json().catch(() => ({}));
    if (answer.ok) return answered.content[0];
    if (answer.status === 401) throw new Error("The server does not know this key.");
    if (answer.status === 404) {
      at("decide").hidden = true; // the request is already decided
      throw new Error("This request is no longer there: it was decided, replaced, or has ended.");
    }
    const faults = (answered.errors || []).map((fault) => fault.code + " " + fault.description);
    if (answer.status === 403) {
      throw new Error("Only an administrator's key that is not restricted to companies can decide on this request: "
        + faults.join("; "));
    }
    throw new Error(faults.join("; ") || "The server answered " + answer.status + ".");
  };

  const show = (request) => {
    named("application", request.applicationName, request.applicationId);
    named("company", request.legalName, request.companyId);
    at("display").textContent = request.displayId;
    when("created", request.createdDate);
    when("expires", request.expiresDate);
    at("scopes").replaceChildren(...request.scopes.map((scope) => {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.name = "scope";
      box.value = scope;
      box.checked = true;
      label.append(box, " " + scope + (scope in meanings ? ": " + meanings[scope] : ""));
      return label;
    }));
    at("look").hidden = true;
    at("decide").hidden = false;
    say("");
    at("who").focus(); // the focused element is hidden
  };

  const act = async (work) => {
    const buttons = [...document.querySelectorAll("button")];
    buttons.forEach((button) => { button.disabled = true; });
    try {
      await work();
    } catch (fault) {
      say(fault.message);
    } finally {
      buttons.forEach((button) => { button.disabled = false; });
    }
    if (at("message").textContent) at(at("look").hidden ? "message" : "key").focus();
  };

  const decided = (text) => {
    at("decide").hidden = true;
    key = "";
    say(text);
  };

  at("look").addEventListener("submit", (event) => {
    event.preventDefault();
    key = at("key").value.trim();
    act(async () => {
      show(await ask("GET", ""));
      at("key").value = "";
    });
  });

  at("decide").addEventListener("submit", (event) => {
    event.preventDefault();
    const scopes = [...document.querySelectorAll("input[name=scope]:checked")].map((box) => box.value);
    act(async () => {
      if (!scopes.length) throw new Error("Choose at least one scope, or reject the request.");
      const granted = await ask("POST", "/approve", { scopes });
      decided("Approved: " + granted.scopes.join(" "));
    });
  });

  at("refuse").addEventListener("click", () => act(async () => {
    await ask("POST", "/refuse", null);
    decided("Rejected.");
  }));
})();
