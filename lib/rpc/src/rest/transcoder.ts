import { create, type DescField, type DescMessage, type JsonObject, type JsonValue, type Message, type Registry } from '@bufbuild/protobuf';
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import { StatusError } from '@quartermaster/kernel';
import type { ServedMethod, ServedService } from '../service-handlers.ts';
import { answerJson, fieldOfAnswer } from './answer-json.ts';
import { anyRegistry } from './any-registry.ts';
import { type RestBinding, restBindings } from './http-rules.ts';
import { type PathTemplate, pathTemplate } from './path-template.ts';
import { messageFromJson, putParameter } from './request-json.ts';
import { maskOfJson, maskOfText } from './update-mask.ts';

interface Binding extends RestBinding {
  readonly template: PathTemplate;
  readonly method: ServedMethod;
  /** The message that the body is when it is one field of the request. */
  readonly bodyMessage: DescMessage | undefined;
  /** The masks of the request, which take the names of the contract and whose JSON does not. */
  readonly masks: readonly DescField[];
}

export interface TranscodedCall {
  readonly method: ServedMethod;
  readonly request: Message;
  /** What a client is sent: JSON, or what an HttpBody holds, as it is. */
  answer(message: Message): RestAnswer;
}

export type RestAnswer =
  | { readonly kind: 'json'; readonly json: JsonValue }
  | { readonly kind: 'raw'; readonly contentType: string; readonly bytes: Uint8Array };

/** An HTTP request as far as transcoding needs it. */
export interface RestRequest {
  readonly verb: string;
  /** Without the query, as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined without a body. */
  readonly body: JsonValue | undefined;
}

export interface TranscoderOptions {
  /** Answer with the names of the contract (`node_sets`) instead of camelCase. Requests may have either. */
  readonly useProtoNames?: boolean | undefined;
}

/** Parameters that are for the server and not for the method. */
const reserved = new Set(['pretty']);

/** Calls of google.api.http rules as REST. */
export class Transcoder {
  readonly #bindings: readonly Binding[];
  readonly #byVerb: ReadonlyMap<string, readonly Binding[]>;
  readonly #registry: Registry;
  readonly #useProtoNames: boolean;

  constructor(services: readonly ServedService[], options: TranscoderOptions = {}) {
    this.#bindings = services.flatMap((service) => service.methods.flatMap(bindingsOf));
    this.#byVerb = Map.groupBy(this.#bindings, (binding) => binding.verb);
    this.#registry = anyRegistry(services);
    this.#useProtoNames = options.useProtoNames ?? false;
  }

  /** The call that a request stands for. Throws `not_found` or `invalid_argument`. */
  read({ verb, path, query, body }: RestRequest): TranscodedCall {
    for (const binding of this.#byVerb.get(verb) ?? []) {
      const variables = binding.template.match(path);
      if (variables === undefined) continue;
      const request = requestOf(binding, variables, query, body, this.#registry);
      return { method: binding.method, request, answer: (message) => this.#answer(binding, message) };
    }
    throw this.#nothingAt(verb, path);
  }

  #answer({ method, responseBody }: Binding, message: Message): RestAnswer {
    const { output } = method.descriptor;
    if (output.typeName === 'google.api.HttpBody') {
      const { contentType, data } = message as Message & { readonly contentType: string; readonly data: Uint8Array };
      return { kind: 'raw', contentType: contentType === '' ? 'application/octet-stream' : contentType, bytes: data };
    }
    const useProtoNames = this.#useProtoNames;
    const json = answerJson(output, message, { registry: this.#registry, useProtoNames });
    return { kind: 'json', json: fieldOfAnswer(output, json, responseBody, useProtoNames) };
  }

  #nothingAt(verb: string, path: string): StatusError {
    const verbs = this.#bindings.filter((binding) => binding.template.match(path) !== undefined).map((binding) => binding.verb);
    if (verbs.length > 0) return new StatusError('not_found', `${path} does not support ${verb}: use ${[...new Set(verbs)].join(' or ')}`);
    return new StatusError('not_found', `nothing is served at ${path}: see the contracts in api/proto`);
  }
}

function requestOf(
  binding: Binding,
  variables: ReadonlyMap<string, string>,
  query: URLSearchParams,
  body: JsonValue | undefined,
  registry: Registry,
): Message {
  const { input } = binding.method.descriptor;
  const json = bodyJson(binding, body);
  const masks = masksOf(binding, variables, query, body);
  const names = [...new Set(query.keys())].filter((name) => !reserved.has(name) && maskNamed(binding, name) === undefined);
  if (binding.body === '*' && names.length > 0) {
    throw new StatusError('invalid_argument', `unknown parameter "${names[0]}": the body is the whole request`);
  }
  for (const name of names) putParameter(json, input, name, query.getAll(name));
  for (const [name, text] of variables) putParameter(json, input, name, [text]);
  const request = messageFromJson(input, json, registry, binding.bodyMessage === undefined ? '' : `${binding.body}.`);
  return Object.assign(request, Object.fromEntries(masks));
}

function bodyJson(binding: Binding, body: JsonValue | undefined): JsonObject {
  if (binding.body === '') return {};
  if (body === undefined && binding.verb !== 'PATCH') return {};
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (!isObject && (binding.body === '*' || binding.bodyMessage !== undefined)) {
    throw new StatusError('invalid_argument', 'body must be a JSON object');
  }
  if (binding.body === '*') return { ...(body as JsonObject) };
  return { [binding.body]: isObject ? { ...body } : (body ?? null) };
}

/**
 * local name of a mask in the request -> mask. A PATCH of one field of its request says by its body what it changes, unless a parameter does: else
 * it would replace what it does not name.
 */
function masksOf(
  binding: Binding,
  variables: ReadonlyMap<string, string>,
  query: URLSearchParams,
  body: JsonValue | undefined,
): Map<string, Message> {
  const masks = new Map<string, Message>();
  for (const field of binding.masks) {
    const texts = [...query.keys()].some((name) => maskNamed(binding, name) === field) ? textsOf(field, query) : undefined;
    if (texts !== undefined) {
      masks.set(field.localName, create(FieldMaskSchema, { paths: texts.flatMap((text) => maskOfText(binding.bodyMessage, text)) }));
    } else if (field.name === 'update_mask' && binding.verb === 'PATCH' && binding.bodyMessage !== undefined) {
      const given = new Set([...variables.keys()].map((name) => name.slice(binding.body.length + 1)));
      const paths = maskOfJson(binding.bodyMessage, body as JsonObject).filter((path) => !given.has(path));
      if (paths.length === 0) throw new StatusError('invalid_argument', 'body has no fields: set what to change, or update_mask');
      masks.set(field.localName, create(FieldMaskSchema, { paths }));
    }
  }
  return masks;
}

const textsOf = (field: DescField, query: URLSearchParams): string[] => [
  ...new Set([...query.getAll(field.name), ...query.getAll(field.jsonName)]),
];

function maskNamed(binding: Binding, name: string): DescField | undefined {
  return binding.masks.find((field) => field.name === name || field.jsonName === name);
}

function bindingsOf(method: ServedMethod): Binding[] {
  const { fields } = method.descriptor.input;
  const masks = fields.filter((field) => field.fieldKind === 'message' && field.message.typeName === FieldMaskSchema.typeName);
  return restBindings(method.descriptor).map((binding) => ({
    ...binding,
    template: pathTemplate(binding.path),
    method,
    bodyMessage: bodyMessageOf(fields.find((field) => field.name === binding.body)),
    masks: binding.body === '*' ? [] : masks,
  }));
}

function bodyMessageOf(field: DescField | undefined): DescMessage | undefined {
  return field?.fieldKind === 'message' ? field.message : undefined;
}
