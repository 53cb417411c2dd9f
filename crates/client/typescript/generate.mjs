// Generates src/generated from the OpenAPI description: the types of all operations, and the media types of
// the request and response bodies that are not plain JSON. The description is docs/openapi.json of the
// repository, or the file in DESCRIPTION.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const here = new URL(".", import.meta.url);
const description = process.env.DESCRIPTION ?? fileURLToPath(new URL("../../../docs/openapi.json", here));
const out = new URL("src/generated/", here);
const METHODS = ["get", "post", "patch", "delete"];

const document = JSON.parse(readFileSync(description, "utf8"));
const requestTypes = {};
const responseTypes = {};
for (const [path, item] of Object.entries(document.paths)) {
  for (const method of METHODS) {
    const operation = item[method];
    if (!operation) continue;
    const key = `${method.toUpperCase()} ${path}`;
    // The client has options for headers, and throws errors. Omitting both reduces the types to a third of
    // their size.
    operation.parameters = operation.parameters?.filter((it) => !isHeader(it));
    for (const [status, response] of Object.entries(operation.responses)) {
      // The client also throws an error for status 207, which means that only a part of a list was stored.
      if (!status.startsWith("2") || status === "207") {
        delete operation.responses[status];
      } else {
        delete response.headers;
        addMediaType(responseTypes, key, response.content);
      }
    }
    withoutExamples(operation);
    addMediaType(requestTypes, key, operation.requestBody?.content);
  }
}
delete document.components.headers;
delete document.components.responses;

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const types = astToString(await openapiTS(document, { rootTypes: true, rootTypesNoSchemaPrefix: true }));
writeFileSync(new URL("api.ts", out), types);
const tables = Object.entries({ requestTypes, responseTypes }).map(
  ([name, table]) => `export const ${name}: Readonly<Record<string, string>> = ${JSON.stringify(table, null, 2)};\n`,
);
writeFileSync(new URL("media-types.ts", out), tables.join(""));
for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(new URL(`../${name}`, here), new URL(name, here));

function addMediaType(table, key, content) {
  const types = Object.keys(content ?? {});
  if (types.length > 0 && !types.includes("application/json")) table[key] = types[0];
}

function isHeader(parameter) {
  const name = parameter.$ref?.split("/").at(-1);
  return (name ? document.components.parameters[name] : parameter).in === "header";
}

function withoutExamples(value) {
  if (Array.isArray(value)) value.forEach(withoutExamples);
  else if (value && typeof value === "object") {
    delete value.examples;
    delete value.example;
    Object.values(value).forEach(withoutExamples);
  }
}
