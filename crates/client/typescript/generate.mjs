// Generates src/generated from the OpenAPI description: the types of all operations, and the media types of the
// bodies that are not plain JSON. The description is docs/openapi.json of the repository, or the file in DESCRIPTION.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const here = new URL(".", import.meta.url);
const description = process.env.DESCRIPTION ?? fileURLToPath(new URL("../../../docs/openapi.json", here));
const out = new URL("src/generated/", here);
const METHODS = ["get", "post", "patch", "delete"];

const document = JSON.parse(readFileSync(description, "utf8"));
const mediaTypes = {};
for (const [path, item] of Object.entries(document.paths)) {
  for (const method of METHODS) {
    const operation = item[method];
    if (!operation) continue;
    // The headers are options of the client, and errors are exceptions. Without both, the types have a third of
    // the size.
    operation.parameters = operation.parameters?.filter((it) => !isHeader(it));
    for (const [status, response] of Object.entries(operation.responses)) {
      if (!status.startsWith("2")) delete operation.responses[status];
      else delete response.headers;
    }
    withoutExamples(operation);
    const types = Object.keys(operation.requestBody?.content ?? {});
    if (types.length > 0 && !types.includes("application/json")) {
      mediaTypes[`${method.toUpperCase()} ${path}`] = types[0];
    }
  }
}
delete document.components.headers;
delete document.components.responses;

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const types = astToString(await openapiTS(document, { rootTypes: true, rootTypesNoSchemaPrefix: true }));
writeFileSync(new URL("api.ts", out), types);
writeFileSync(
  new URL("media-types.ts", out),
  `export const mediaTypes: Readonly<Record<string, string>> = ${JSON.stringify(mediaTypes, null, 2)};\n`,
);
for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(new URL(`../${name}`, here), new URL(name, here));

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
