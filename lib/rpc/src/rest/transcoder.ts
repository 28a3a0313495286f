import { type DescMessage, getOption, hasOption, type JsonObject, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';
import { http } from '../generated/google/api/annotations_pb.ts';
import type { HttpRule } from '../generated/google/api/http_pb.ts';
import type { ServedMethod, ServedService } from '../service-handlers.ts';
import { type PathTemplate, pathTemplate } from './path-template.ts';
import { messageFromJson, putParameter } from './request-json.ts';

/** One HTTP method and path that leads to a method of a service. */
interface Binding {
  readonly verb: string;
  readonly template: PathTemplate;
  readonly method: ServedMethod;
  /** Empty: no body. `*`: the whole request. Otherwise the field that it is. */
  readonly body: string;
  /** The field that is answered; empty for the whole message. */
  readonly responseBody: string;
}

export interface TranscodedCall {
  readonly method: ServedMethod;
  readonly request: Message;
  toJson(answer: Message): JsonValue;
}

/** An HTTP request as far as transcoding needs it. */
export interface RestRequest {
  readonly verb: string;
  /** Without the query, as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined without a body. */
  readonly body: JsonValue | undefined;
}

/** Parameters that are for the server and not for the method. */
const reserved = new Set(['pretty']);

/** Calls of google.api.http rules as REST. */
export class Transcoder {
  readonly #bindings: readonly Binding[];

  constructor(services: readonly ServedService[]) {
    this.#bindings = services.flatMap((service) => service.methods.flatMap(bindingsOf));
  }

  /** The call that a request stands for. Throws `not_found` or `invalid_argument`. */
  read({ verb, path, query, body }: RestRequest): TranscodedCall {
    for (const binding of this.#bindings) {
      const variables = binding.verb === verb ? binding.template.match(path) : undefined;
      if (variables !== undefined) return call(binding, variables, query, body);
    }
    throw this.#nothingAt(verb, path);
  }

  #nothingAt(verb: string, path: string): StatusError {
    const verbs = this.#bindings.filter((binding) => binding.template.match(path) !== undefined).map((binding) => binding.verb);
    if (verbs.length > 0) return new StatusError('not_found', `${path} does not answer ${verb}: use ${[...new Set(verbs)].join(' or ')}`);
    return new StatusError('not_found', `there is nothing at ${path}: the contracts in api/proto say what there is`);
  }
}

function call(
  binding: Binding,
  variables: ReadonlyMap<string, string>,
  query: URLSearchParams,
  body: JsonValue | undefined,
): TranscodedCall {
  const { input, output } = binding.method.descriptor;
  const json = bodyJson(binding, body);
  if (binding.body !== '*') {
    for (const name of new Set(query.keys())) if (!reserved.has(name)) putParameter(json, input, name, query.getAll(name));
  } else {
    const extra = [...query.keys()].find((name) => !reserved.has(name));
    if (extra !== undefined) throw new StatusError('invalid_argument', `parameter "${extra}" is not known: the body is the whole request`);
  }
  for (const [name, text] of variables) putParameter(json, input, name, [text]);
  return {
    method: binding.method,
    request: messageFromJson(input, json, 'request'),
    toJson: (answer) => answerJson(output, answer, binding.responseBody),
  };
}

function bodyJson(binding: Binding, body: JsonValue | undefined): JsonObject {
  if (binding.body === '' || body === undefined) return {};
  if (binding.body !== '*') return { [binding.body]: body };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new StatusError('invalid_argument', 'body: it must be a JSON object');
  }
  return { ...body };
}

function answerJson(output: DescMessage, answer: Message, field: string): JsonValue {
  const json = toJson(output, answer, { alwaysEmitImplicit: true });
  if (field === '') return json;
  const name = output.fields.find((each) => each.name === field)?.jsonName ?? field;
  return (json as JsonObject)[name] ?? null;
}

function bindingsOf(method: ServedMethod): Binding[] {
  if (!hasOption(method.descriptor, http)) return [];
  const rule = getOption(method.descriptor, http);
  return [rule, ...rule.additionalBindings].map((each) => bindingOf(method, each));
}

function bindingOf(method: ServedMethod, rule: HttpRule): Binding {
  const { case: kind, value } = rule.pattern;
  if (kind === undefined) {
    throw new StatusError('internal', `${method.descriptor.name}: its http rule has no path`);
  }
  const [verb, path] = kind === 'custom' ? [value.kind, value.path] : [kind.toUpperCase(), value];
  return { verb, template: pathTemplate(path), method, body: rule.body, responseBody: rule.responseBody };
}
