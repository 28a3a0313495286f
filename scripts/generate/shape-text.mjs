/**
 * TypeScript for schemas as OpenAPI v3 has them: an interface for each object with fields, all of it read-only.
 *
 * @typedef {object} Schema
 * @property {string | undefined} [$ref] The name of another interface.
 * @property {string | undefined} [type]
 * @property {string | undefined} [title] Of an object: the name of its interface, in place of one made of the path to it.
 * @property {string | undefined} [description] Becomes the comment.
 * @property {Record<string, Schema> | undefined} [properties]
 * @property {readonly string[] | undefined} [required]
 * @property {Schema | undefined} [items]
 * @property {Schema | boolean | undefined} [additionalProperties]
 * @property {readonly unknown[] | undefined} [enum]
 * @property {boolean | undefined} [nullable]
 * @property {boolean | undefined} [x-kubernetes-int-or-string]
 */

/** @type {Record<string, string>} */
const plainTypes = { string: 'string', boolean: 'boolean', integer: 'number', number: 'number' };

/**
 * The interface of an object and of the objects in it, from the outside in.
 *
 * @param {string} name
 * @param {Schema} schema
 * @returns {string}
 */
export function interfaceText(name, schema) {
  /** @type {Map<string, string>} name -> text */
  const texts = new Map();
  /** @type {[name: string, schema: Schema][]} */
  const waiting = [[name, schema]];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [own, object] = next;
    const text = `${comment(object.description, '')}export interface ${own} {\n${fieldTexts(own, object, waiting).join('')}}\n`;
    if ((texts.get(own) ?? text) !== text)
      throw new Error(`${name}: two different objects in it are called ${own}; give one of them another title`);
    texts.set(own, text);
  }
  return [...texts.values()].join('\n');
}

/** @param {string} owner @param {Schema} object @param {[string, Schema][]} waiting Gets the objects that are fields. @returns {string[]} */
function fieldTexts(owner, { properties = {}, required = [] }, waiting) {
  return Object.entries(properties).map(([name, field]) => {
    const type = typeText(field, `${owner}${capitalized(name)}`, waiting);
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
    const text = required.includes(name) ? `${key}: ${type}` : `${key}?: ${type === 'unknown' ? type : `${type} | undefined`}`;
    // What is said of an object with an interface of its own stands there.
    return `${comment(field.properties === undefined ? field.description : undefined, '  ')}  readonly ${text};\n`;
  });
}

/** @param {Schema} schema @param {string} path The name, should it need one. @param {[string, Schema][]} waiting @returns {string} */
function typeText(schema, path, waiting) {
  const text = valueText(schema, path, waiting);
  return schema.nullable === true ? `${text} | null` : text;
}

/** @type {typeof typeText} */
function valueText(schema, path, waiting) {
  const { $ref, type = '', title = path, properties, items, additionalProperties } = schema;
  if ($ref !== undefined) return $ref;
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  if (schema.enum !== undefined) return schema.enum.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ');
  if (properties !== undefined) {
    waiting.push([title, schema]);
    return title;
  }
  if (type === 'array') return `readonly ${bracketed(typeText(items ?? {}, `${path}Item`, waiting))}[]`;
  if (type === 'object') {
    const value = typeof additionalProperties === 'object' ? typeText(additionalProperties, `${path}Value`, waiting) : 'unknown';
    return `Readonly<Record<string, ${value}>>`;
  }
  return plainTypes[type] ?? 'unknown';
}

/** @param {string} type @returns {string} */
const bracketed = (type) => (/ \||^readonly /.test(type) ? `(${type})` : type);

/** @param {string} text @returns {string} */
const capitalized = (text) => text.replace(/(?:^|[^A-Za-z0-9]+)[A-Za-z0-9]/g, (start) => start.slice(-1).toUpperCase());

/** @param {string | undefined} text @param {string} indent @returns {string} */
function comment(text, indent) {
  if (text === undefined) return '';
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
