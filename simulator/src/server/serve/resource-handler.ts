import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from '../../patch/index.ts';
import { badRequest, methodNotAllowed, versionTooLarge } from '../../schema/api-status.ts';
import { answerJson, answerText } from '../answer/answers.ts';
import { answerList } from '../answer/list-answer.ts';
import { booleanOf, parseListOptions, parseWatchOptions } from '../answer/list-options.ts';
import { answerForm, type PatchFormat, patchFormat } from '../answer/media-types.ts';
import { type WatchEventType, watchLine } from '../answer/object-encoder.ts';
import { type IncludeObject, tableOf } from '../answer/tables.ts';
import { WatchStream } from '../answer/watch-stream.ts';
import { apiVersionOf, keyOf } from '../kinds/served-kind.ts';
import { isObject, type JsonObject, metaOf } from '../object/api-object.ts';
import type { ApiContext, ResourceRequest } from '../request/api-context.ts';
import { parseBody, parseObject, readObject, readText } from '../request/request-body.ts';
import { refOf } from '../request/request-info.ts';
import { admitOf, deleteOptions, writeOptions } from '../request/write-query.ts';
import { getObject, shown } from '../store/object-reader.ts';
import type { UpdateOptions } from '../write/object-writer.ts';

/** What a request does to a resource: the verb of discovery, of faults and of RBAC. */
export function verbOf({ request, name, query, subresource }: ResourceRequest): string {
  switch (request.method) {
    case 'GET':
      if (isWatch(query)) return 'watch';
      return name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined && subresource === undefined ? 'deletecollection' : 'delete';
    default:
      throw methodNotAllowed();
  }
}

const isWatch = (query: URLSearchParams): boolean => booleanOf(query, 'watch') ?? false;

/** Serves a request for objects themselves, or for their status. */
export async function serveResource(api: ApiContext, call: ResourceRequest): Promise<void> {
  const verb = verbOf(call);
  const { kind, name } = call;
  if (!kind.verbs.includes(verb)) throw methodNotAllowed();
  const needsName = verb === 'get' || verb === 'update' || verb === 'patch' || verb === 'delete';
  if (needsName !== (name !== undefined) && verb !== 'watch') throw methodNotAllowed();
  switch (verb) {
    case 'get':
      answerObject(api, call, 200, getObject(api.store, kind, refOf(call)));
      return;
    case 'list':
      await serveList(api, call);
      return;
    case 'watch':
      serveWatch(api, call);
      return;
    case 'create':
      await serveCreate(api, call);
      return;
    case 'update':
      await serveUpdate(api, call);
      return;
    case 'patch':
      await servePatch(api, call);
      return;
    case 'delete':
      await serveDelete(api, call);
      return;
    default:
      await serveDeleteCollection(api, call);
  }
}

const prefixOf = ({ kind, namespace }: ResourceRequest): string => (kind.namespaced && namespace !== undefined ? `${namespace}/` : '');

function includeOf(query: URLSearchParams): IncludeObject {
  const include = query.get('includeObject') ?? 'Metadata';
  if (include === 'None' || include === 'Metadata' || include === 'Object') return include;
  throw badRequest(`includeObject: Unsupported value: ${JSON.stringify(include)}: supported values: "Metadata", "None", "Object"`);
}

/** Answers an object in the form that was asked for. */
function answerObject(
  api: ApiContext,
  { kind, request, response, query }: ResourceRequest,
  code: number,
  object: JsonObject,
  warnings: readonly string[] = [],
): void {
  const { form } = answerForm(request.headers.accept);
  if (form === 'table') {
    const table = tableOf(kind, object, { include: includeOf(query), now: api.clock.now(), withColumns: true, encoder: api.encoder });
    answerText(response, code, 'application/json', table, warnings);
  } else answerJson(response, code, object, warnings);
}

async function serveList(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, query, request, response } = call;
  const options = parseListOptions(query, kind.storageKey, kind.custom?.selectableFields ?? [], undefined);
  const stale = options.continue === undefined && options.match === undefined ? api.faults.staleRevision(kind.plural) : undefined;
  await answerList(response, {
    kind,
    collection: api.store.collection(kind.storageKey),
    prefix: prefixOf(call),
    options: stale === undefined ? options : { ...options, resourceVersion: stale, match: 'Exact' },
    revision: api.store.revision,
    form: answerForm(request.headers.accept),
    encoder: api.encoder,
    include: includeOf(query),
    now: api.clock.now(),
  });
}

function serveWatch(api: ApiContext, call: ResourceRequest): void {
  const { kind, query, request, response } = call;
  const options = parseWatchOptions(query, kind.storageKey, kind.custom?.selectableFields ?? [], call.name);
  const { revision } = api.store;
  if (options.sendInitialEvents && (options.resourceVersion ?? 0) > revision) throw versionTooLarge(options.resourceVersion ?? 0, revision);
  const stream = new WatchStream({
    collection: api.store.collection(kind.storageKey),
    prefix: call.name === undefined ? prefixOf(call) : keyOf(call.namespace, call.name),
    options,
    revision: () => api.store.revision,
    response,
    line: lines(api, call, answerForm(request.headers.accept).form),
    bookmark: { kind: kind.kind, apiVersion: apiVersionOf(kind) },
    bookmarkMs: api.bookmarkMs,
    clock: api.clock,
    frozen: () => api.faults.isFrozen(kind.plural),
  });
  api.watches.set(stream, kind.plural);
  response.on('close', () => api.watches.delete(stream));
  stream.start();
}

/** What writes out the events of a watch, in the form that the watcher wants. */
function lines(api: ApiContext, { kind, query }: ResourceRequest, form: string): (type: WatchEventType, object: JsonObject) => Buffer {
  if (form === 'table') {
    const include = includeOf(query);
    let withColumns = true;
    return (type, object) => {
      const table = tableOf(kind, shown(kind, object), { include, now: api.clock.now(), withColumns, encoder: api.encoder });
      withColumns = false;
      return watchLine(type, table);
    };
  }
  return (type, object) => api.encoder.line(kind, type, object);
}

async function serveCreate(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, namespace, request } = call;
  const warnings: string[] = [];
  const options = writeOptions(api, call, warnings);
  if (kind.namespaced && namespace === undefined) throw methodNotAllowed();
  const body = await readObject(request, api.protobuf);
  answerObject(api, call, 201, api.writer.create(kind, namespace, body, options), warnings);
}

async function serveUpdate(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, request, subresource } = call;
  const warnings: string[] = [];
  const options: UpdateOptions = { ...writeOptions(api, call, warnings), subresource, isReplace: true };
  const body = await readObject(request, api.protobuf);
  answerObject(
    api,
    call,
    200,
    api.writer.update(kind, refOf(call), () => body, options),
    warnings,
  );
}

async function servePatch(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, request, query, subresource } = call;
  const warnings: string[] = [];
  const options: UpdateOptions = { ...writeOptions(api, call, warnings), subresource, isReplace: false };
  const format = patchFormat(
    request.headers['content-type'],
    kind.custom === undefined ? ['json', 'merge', 'strategic', 'apply'] : ['json', 'merge', 'apply'],
  );
  const text = await readText(request);
  const force = booleanOf(query, 'force');
  if (format === 'apply') {
    if ((query.get('fieldManager') ?? '') === '')
      throw badRequest('PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch');
    const applied = api.writer.apply(kind, refOf(call), parseObject(text, 'yaml'), { ...options, force: force ?? false });
    answerObject(api, call, applied.created ? 201 : 200, applied.object, warnings);
    return;
  }
  if (force !== undefined)
    throw badRequest('PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch');
  const change = patchOf(format, text);
  answerObject(
    api,
    call,
    200,
    api.writer.update(kind, refOf(call), (live) => change(live, kind.schema), options),
    warnings,
  );
}

/** The change that a patch describes. */
export function patchOf(
  format: Exclude<PatchFormat, 'apply'>,
  text: string,
): (live: JsonObject, schema: ResourceRequest['kind']['schema']) => JsonObject {
  const patch = parseBody(text, 'json');
  if (format === 'json') return (live) => applyJsonPatch(live, patch);
  if (!isObject(patch)) throw badRequest('the patch is not an object');
  return format === 'merge' ? (live) => applyMergePatch(live, patch) : (live, schema) => applyStrategicMergePatch(live, patch, schema);
}

/** Options of a delete are optional, as is their content type. */
async function deleteBody(api: ApiContext, { request }: ResourceRequest): Promise<JsonObject> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding === undefined && (length ?? '0') === '0' ? {} : await readObject(request, api.protobuf);
}

async function serveDelete(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, response, query } = call;
  const warnings: string[] = [];
  const options = { ...deleteOptions(query, await deleteBody(api, call)), admit: admitOf(api, call, warnings) };
  const { object, gone } = api.deleter.delete(kind, refOf(call), options);
  if (!gone || kind.storageKey === '/pods') {
    answerObject(api, call, 200, object, warnings);
    return;
  }
  const { name = '', uid = '' } = metaOf(object);
  const details = { name, group: kind.group || undefined, kind: kind.plural, uid };
  answerJson(response, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }, warnings);
}

async function serveDeleteCollection(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, response, query } = call;
  const selected = parseListOptions(query, kind.storageKey, kind.custom?.selectableFields ?? [], undefined);
  const warnings: string[] = [];
  const options = { ...deleteOptions(query, await deleteBody(api, call)), admit: admitOf(api, call, warnings) };
  const objects = [...api.store.collection(kind.storageKey).range(prefixOf(call))].map(([, object]) => object).filter(selected.filter);
  const items = objects.map((object) => {
    const { namespace, name = '' } = metaOf(object);
    return api.deleter.delete(kind, { namespace, name }, options).object;
  });
  const metadata = { resourceVersion: String(api.store.revision) };
  answerJson(response, 200, { kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata, items }, warnings);
}
