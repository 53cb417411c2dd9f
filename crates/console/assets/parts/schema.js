// The fields of forms. They come from the description of the API that the server itself serves.

/**
 * The parts of a schema in the API description that forms need.
 *
 * @typedef {{
 *   $ref?: string, type?: string | string[], anyOf?: Schema[], oneOf?: Schema[], enum?: (string | null)[], description?: string,
 *   properties?: Record<string, Schema>, required?: string[], items?: Schema, pattern?: string,
 *   minLength?: number, maxLength?: number, minimum?: number, maximum?: number, default?: unknown,
 * }} Schema
 */
/** @typedef {'text' | 'choice' | 'flag' | 'day' | 'decimal' | 'integer' | 'number' | 'object' | 'list' | 'choices'} Kind */
/**
 * A field of a form.
 *
 * @typedef {{
 *   kind: Kind, name: string, label: string, help: string, required: boolean, isServerId: boolean, isSecret: boolean,
 *   choices: string[], standard?: unknown, members: Field[], item?: Field, maxLength?: number, minimum?: number, maximum?: number,
 * }} Field
 */

/** The beginning of the pattern for a day. */
const DAY = '^((000[1-9]|';
/** The beginning of the pattern for a decimal. */
const DECIMAL = /^\^(-\?)?\(0\|\[1-9\]/;
/** The description of an id that the server creates if the request omits it. */
const SERVER_ID = /^(Its id\.|The id in paths\.)$/;
/** The name of a member whose text is hidden while it is typed. */
const SECRET = /^(password|apiKey|clientSecret)$/;
/** Matches the sentence about the alternative name of a member, which a form does not need. */
const OTHER_NAME = / ?`\w+` is accepted as another name of this member\./;

/** The example notifications of the API by their names. @typedef {Record<string, {post: any}>} Webhooks */
/** @typedef {{schemas: Record<string, Schema>, webhooks: Webhooks}} Description */

/** @type {Promise<Description> | undefined} */
let description;

/** Returns the description of the API, which is loaded once. @param {string} base the base URL of the API */
export function descriptionOf(base) {
  description ??= fetch(`${base}/openapi.json`)
    .then(async (response) => {
      if (!response.ok) throw new Error(`The fields of the form could not be loaded (status ${response.status}). Reload the page.`);
      const { components, webhooks = {} } = await response.json();
      return { schemas: components.schemas, webhooks };
    })
    .catch((error) => {
      description = undefined;
      throw error;
    });
  return description;
}

/** Returns the name of a member as words: `legalName` is "Legal name". @param {string} name */
export function labelOf(name) {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase().replace(/\b(id|api|url)\b/g, (word) => word.toUpperCase())
    .replace(/\buri\b/g, 'address');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** @param {Record<string, Schema>} all @param {string} name @returns {Schema} */
function schemaOf(all, name) {
  const schema = all[name];
  if (!schema) throw new Error(`The API description has no schema ${name}. The console and the server may have different releases: reload the page.`);
  return schema;
}

/**
 * Returns the fields of a schema that the server reads.
 *
 * @param {string} base the base URL of the API
 * @param {string} name of the schema
 * @returns {Promise<Field[]>}
 */
export async function fieldsOf(base, name) {
  const { schemas } = await descriptionOf(base);
  return membersOf(schemas, schemaOf(schemas, name));
}

/**
 * Returns the fields of each alternative of a schema.
 *
 * @param {string} base the base URL of the API
 * @param {string} name of the schema
 * @returns {Promise<{help: string, fields: Field[]}[]>}
 */
export async function alternativesOf(base, name) {
  const { schemas } = await descriptionOf(base);
  return (schemaOf(schemas, name).oneOf ?? []).map((it) => plainSchema(schemas, it))
    .map((it) => ({ help: it.description ?? '', fields: membersOf(schemas, it) }));
}

/** @param {Record<string, Schema>} all @param {Schema} schema @returns {Field[]} */
function membersOf(all, schema) {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const field = fieldOf(all, name, member, schema.required?.includes(name) ?? false);
    return field ? [field] : [];
  });
}

/**
 * Returns a schema without references and without null.
 *
 * @param {Record<string, Schema>} all
 * @param {Schema} schema
 * @returns {Schema}
 */
function plainSchema(all, schema) {
  if (schema.$ref) return plainSchema(all, all[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  const [first] = (schema.anyOf ?? []).filter((it) => it.type !== 'null');
  return first ? plainSchema(all, first) : schema;
}

/**
 * @param {Record<string, Schema>} all
 * @param {string} name
 * @param {Schema} given
 * @param {boolean} required
 * @returns {Field | undefined} undefined if the server does not read the member
 */
function fieldOf(all, name, given, required) {
  const schema = plainSchema(all, given);
  const kind = kindOf(all, schema);
  if (!kind) return undefined;
  const { description = '', maxLength, minimum, maximum, default: standard } = schema;
  const choices = (kind === 'choices' ? plainSchema(all, schema.items ?? {}).enum : schema.enum) ?? [];
  const isServerId = !required && SERVER_ID.test(description);
  return {
    kind, name, label: labelOf(name), help: description.replace(OTHER_NAME, '').replaceAll('`', ''), required, isServerId,
    isSecret: SECRET.test(name), maxLength, minimum, maximum, standard,
    choices: choices.filter((it) => it !== null),
    members: kind === 'object' ? membersOf(all, schema) : [],
    item: kind === 'list' ? fieldOf(all, name, schema.items ?? {}, true) : undefined,
  };
}

/** @param {Record<string, Schema>} all @param {Schema} schema @returns {Kind | undefined} */
function kindOf(all, { type, enum: choices, pattern = '', properties, items }) {
  const [first] = [type].flat().filter((it) => it !== 'null');
  if (choices) return 'choice';
  if (first === 'boolean') return 'flag';
  if (first === 'integer' || first === 'number') return first;
  if (first === 'object' || properties) return 'object';
  if (first === 'array') return plainSchema(all, items ?? {}).enum ? 'choices' : 'list';
  if (first !== 'string') return undefined;
  if (pattern.startsWith(DAY)) return 'day';
  return DECIMAL.test(pattern) ? 'decimal' : 'text';
}
