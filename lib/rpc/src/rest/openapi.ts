import type { DescField, DescMessage, DescMethod, DescService, JsonObject, JsonValue } from '@bufbuild/protobuf';
import { present } from '@quartermaster/kernel';
import { type RestBinding, restBindings } from './http-rules.ts';
import { errorSchema, OpenApiSchemas, reference } from './openapi-schemas.ts';
import { isTextMessage } from './request-json.ts';

export interface OpenApiOptions {
  readonly title: string;
  /** Of the contracts, not of OpenAPI. */
  readonly version: string;
  readonly description?: string | undefined;
  /** The comment of the contract on a message, field, enum, value, service or method, by its full name. Default: none. */
  readonly describe?: (fullName: string) => string | undefined;
  /** Properties are named as in the contract, not in camelCase. Default false. */
  readonly useProtoNames?: boolean | undefined;
}

/** The OpenAPI 3.1 description of what services answer over REST. Pure: the same for the same contracts. */
export function openApiDocument(services: readonly DescService[], options: OpenApiOptions): JsonObject {
  const { title, version, description, describe = () => undefined, useProtoNames = false } = options;
  const schemas = new OpenApiSchemas({ useProtoNames, describe });
  const paths = new Paths(schemas);
  const served = services.filter((service) => service.methods.some((method) => restBindings(method).length > 0));
  for (const service of served)
    for (const method of service.methods) restBindings(method).forEach((each, index) => paths.add(method, each, index));
  return {
    openapi: '3.1.0',
    info: present({ title, version, description }),
    tags: served.map(({ typeName }) => ({ name: typeName, ...schemas.describe(typeName) })),
    paths: paths.all(),
    components: {
      schemas: { ...schemas.all(), Error: errorSchema },
      responses: { Error: { description: 'Refused or failed.', content: { 'application/json': { schema: reference('Error') } } } },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' }, certificate: { type: 'mutualTLS' } },
    },
    security: [{ token: [] }, { certificate: [] }],
  };
}

class Paths {
  readonly #schemas: OpenApiSchemas;
  readonly #paths = new Map<string, { readonly text: string; readonly operations: JsonObject }>(); // path without names -> the path

  constructor(schemas: OpenApiSchemas) {
    this.#schemas = schemas;
  }

  all(): JsonObject {
    return Object.fromEntries([...this.#paths.values()].map(({ text, operations }) => [text, operations]));
  }

  /** Paths that differ only in the names of their variables are one path in OpenAPI: the first that comes names them. */
  add(method: DescMethod, binding: RestBinding, index: number): void {
    const key = binding.path.replace(variable, '{}');
    const entry = this.#paths.get(key) ?? {
      text: binding.path.replace(variable, (_all, name: string) => `{${lastOf(name)}}`),
      operations: {},
    };
    this.#paths.set(key, entry);
    const names = [...entry.text.matchAll(variable)].map(([, name = '']) => name);
    entry.operations[binding.verb.toLowerCase()] = this.#operation(method, binding, index, names);
  }

  #operation(method: DescMethod, binding: RestBinding, index: number, names: readonly string[]): JsonObject {
    const bound = [...binding.path.matchAll(variable)].map(([, name = '']) => name);
    const parameters = [
      ...bound.map((path, at) => this.#pathParameter(method.input, path, names[at] ?? path)),
      ...(binding.body === '*' ? [] : this.#queryParameters(method.input, new Set([...bound, binding.body]), '', [])),
    ];
    return {
      operationId: `${method.parent.typeName}.${method.name}${index === 0 ? '' : `.${index + 1}`}`,
      tags: [method.parent.typeName],
      ...this.#schemas.describe(`${method.parent.typeName}.${method.name}`),
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(binding.body === '' ? {} : { requestBody: this.#requestBody(method.input, binding.body) }),
      responses: { 200: this.#answer(method, binding.responseBody), default: { $ref: '#/components/responses/Error' } },
    };
  }

  #pathParameter(input: DescMessage, path: string, name: string): JsonObject {
    let [message, field]: [DescMessage | undefined, DescField | undefined] = [input, undefined];
    for (const part of path.split('.')) {
      field = message?.fields.find((each) => each.name === part);
      message = field?.message;
    }
    return { name, in: 'path', required: true, schema: field === undefined ? { type: 'string' } : this.#schemas.ofField(field) };
  }

  #queryParameters(message: DescMessage, taken: ReadonlySet<string>, prefix: string, above: readonly string[]): JsonObject[] {
    return message.fields.flatMap((field): JsonObject[] => {
      const path = `${prefix}${field.name}`;
      if (taken.has(path) || field.fieldKind === 'map') return [];
      if (field.message !== undefined && !isTextMessage(field.message)) {
        const isPlain = field.fieldKind === 'message' && !above.includes(field.message.typeName);
        return isPlain ? this.#queryParameters(field.message, taken, `${path}.`, [...above, message.typeName]) : [];
      }
      const { description, ...schema } = this.#schemas.ofField(field);
      return [present({ name: path, in: 'query', description, schema })];
    });
  }

  #requestBody(input: DescMessage, body: string): JsonObject {
    const field = input.fields.find((each) => each.name === body);
    const schema = field === undefined ? this.#schemas.ofMessage(input) : this.#schemas.ofField(field);
    return { required: true, content: { 'application/json': { schema } } };
  }

  #answer({ output, methodKind }: DescMethod, responseBody: string): JsonValue {
    if (output.typeName === 'google.api.HttpBody') return { description: 'The raw content.', content: { '*/*': {} } };
    const field = output.fields.find((each) => each.name === responseBody);
    const schema = field === undefined ? this.#schemas.ofMessage(output) : this.#schemas.ofField(field);
    if (methodKind !== 'server_streaming') return { description: 'Done.', content: { 'application/json': { schema } } };
    return {
      description: 'A stream of messages: one JSON object per line, or server-sent events if the request accepts them.',
      content: { 'application/x-ndjson': { schema }, 'text/event-stream': { schema } },
    };
  }
}

const variable = /\{([^=}]+)[^}]*\}/g;
const lastOf = (path: string): string => path.split('.').at(-1) ?? path;
