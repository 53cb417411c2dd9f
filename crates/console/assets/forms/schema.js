// The fields of forms. They come from the description of the operator API that the server itself serves.
import { base } from '../client/client.js';

/**
 * The parts of a schema in the API description that forms need.
 *
 * @typedef {{
 *   $ref?: string, type?: string | string[], anyOf?: Schema[], enum?: (string | null)[], description?: string,
 *   properties?: Record<string, Schema>, required?: string[], items?: Schema, pattern?: string,
 *   minLength?: number, maxLength?: number, minimum?: number, maximum?: number,
 * }} Schema
 */
/** @typedef {'text' | 'choice' | 'flag' | 'day' | 'decimal' | 'integer' | 'number' | 'object' | 'list' | 'choices'} Kind */
/**
 * A field of a form.
 *
 * @typedef {{
 *   kind: Kind, name: string, label: string, help: string, required: boolean, isServerId: boolean,
 *   choices: string[], members: Field[], item?: Field, maxLength?: number, minimum?: number, maximum?: number,
 * }} Field
 */

/** The beginning of the pattern for a day. */
const DAY = '^((000[1-9]|';
/** The beginning of the pattern for a decimal. */
const DECIMAL = /^\^(-\?)?\(0\|\[1-9\]/;
/** The description of an id that the server creates if the request omits it. */
const SERVER_ID = /^(Its id\.|The id in paths\.)$/;

/** @type {Promise<Record<string, Schema>> | undefined} */
let schemas;

/** Returns the schemas of the API description, which are loaded once. */
function loaded() {
  schemas ??= fetch(`${base}/openapi.json`)
    .then(async (response) => {
      if (!response.ok) throw new Error(`The description of the API could not be loaded: status ${response.status}.`);
      return /** @type {Record<string, Schema>} */ ((await response.json()).components.schemas);
    })
    .catch((error) => {
      schemas = undefined;
      throw error;
    });
  return schemas;
}

/** Returns the name of a member as words: `legalName` is "Legal name". @param {string} name */
export function labelOf(name) {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase().replace(/\bid\b/g, 'ID').replace(/\buri\b/g, 'address');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Returns the fields of a schema that the server reads.
 *
 * @param {string} name of the schema
 * @returns {Promise<Field[]>}
 */
export async function fieldsOf(name) {
  const all = await loaded();
  const schema = all[name];
  if (!schema) throw new Error(`The description of the API has no schema ${name}.`);
  return membersOf(all, schema);
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
  const { description = '', maxLength, minimum, maximum } = schema;
  const choices = (kind === 'choices' ? plainSchema(all, schema.items ?? {}).enum : schema.enum) ?? [];
  const isServerId = !required && SERVER_ID.test(description);
  return {
    kind, name, label: labelOf(name), help: description, required, isServerId, maxLength, minimum, maximum,
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
