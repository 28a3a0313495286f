import { badRequest, conflict, invalid, methodNotAllowed, problems } from '../../schema/api-status.ts';
import { administrators, tokenIssuer, tokenSeconds } from '../access/identity.ts';
import { answerJson } from '../answer/answers.ts';
import { answerForm, patchFormat } from '../answer/media-types.ts';
import { at, type JsonObject, listAt, metaOf, numberAt, objectAt, rfc3339, setAt, textAt } from '../object/api-object.ts';
import type { ApiContext, ResourceRequest } from '../request/api-context.ts';
import { readObject, readText } from '../request/request-body.ts';
import { refOf } from '../request/request-info.ts';
import { deleteOptions, writeOptions } from '../request/write-query.ts';
import { getObject } from '../store/object-reader.ts';
import type { UpdateOptions } from '../write/object-writer.ts';
import { patchOf } from './resource-handler.ts';

/** Serves the subresources that are written by rules of their own. */
export async function serveSubresource(api: ApiContext, call: ResourceRequest): Promise<void> {
  answerForm(call.request.headers.accept);
  switch (call.subresource) {
    case 'scale':
      await serveScale(api, call);
      return;
    case 'binding':
      await serveBinding(api, call);
      return;
    case 'eviction':
      await serveEviction(api, call);
      return;
    case 'token':
      await serveToken(api, call);
      return;
    default:
      throw methodNotAllowed();
  }
}

async function posted(api: ApiContext, { request }: ResourceRequest, kind: string): Promise<JsonObject> {
  if (request.method !== 'POST') throw methodNotAllowed();
  const body = await readObject(request, api.protobuf);
  if (body['kind'] !== undefined && body['kind'] !== kind)
    throw badRequest(`the kind in the data (${JSON.stringify(body['kind'])}) is not ${kind}`);
  return body;
}

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly selector: readonly string[];
}

const builtInPaths: ScalePaths = { specReplicas: ['spec', 'replicas'], statusReplicas: ['status', 'replicas'], selector: [] };

function scaleOf(object: JsonObject, paths: ScalePaths): JsonObject {
  const { name = '', namespace = '', uid = '', resourceVersion = '', creationTimestamp = '' } = metaOf(object);
  const selector =
    paths.selector.length > 0
      ? textAt(object, ...paths.selector)
      : Object.entries(objectAt(object, 'spec', 'selector', 'matchLabels'))
          .map(([key, value]) => `${key}=${String(value)}`)
          .join(',');
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: numberAt(object, ...paths.specReplicas) ?? 0 },
    status: { replicas: numberAt(object, ...paths.statusReplicas) ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}

async function serveScale(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, request, response } = call;
  const paths = kind.custom?.scale ?? builtInPaths;
  const ref = refOf(call);
  if (request.method === 'GET') {
    answerJson(response, 200, scaleOf(getObject(api.store, kind, ref), paths));
    return;
  }
  const warnings: string[] = [];
  const options: UpdateOptions = { ...writeOptions(api, call, warnings), admit: undefined, isReplace: false };
  const change = await scaleChange(api, call);
  const after = api.writer.update(
    kind,
    ref,
    (live) => {
      const scale = change(scaleOf(live, paths));
      const replicas = numberAt(scale, 'spec', 'replicas') ?? 0;
      const subject = { group: 'autoscaling', plural: 'scales', kind: 'Scale' };
      if (!Number.isInteger(replicas)) throw badRequest('spec.replicas: must be a whole number');
      if (replicas < 0)
        throw invalid(subject, ref.name, [problems.invalid('spec.replicas', replicas, 'must be greater than or equal to 0')]);
      const version = metaOf(scale).resourceVersion ?? '';
      const scaled = setAt(live, paths.specReplicas, replicas);
      return version === '' ? scaled : { ...scaled, metadata: { ...objectAt(scaled, 'metadata'), resourceVersion: version } };
    },
    options,
  );
  answerJson(response, 200, scaleOf(after, paths), warnings);
}

async function scaleChange(api: ApiContext, { request }: ResourceRequest): Promise<(scale: JsonObject) => JsonObject> {
  if (request.method === 'PUT') {
    const body = await readObject(request, api.protobuf);
    return () => body;
  }
  if (request.method !== 'PATCH') throw methodNotAllowed();
  const format = patchFormat(request.headers['content-type'], ['json', 'merge']);
  const change = patchOf(format === 'json' ? 'json' : 'merge', await readText(request));
  return (scale) => change(scale, { type: 'object' });
}

async function serveBinding(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, response } = call;
  const body = await posted(api, call, 'Binding');
  bindPod(api, { ...call, kind }, body, { ...writeOptions(api, call, []), admit: undefined, isReplace: false });
  answerJson(response, 201, success);
}

/** Puts a pod on a node. Only the first binding wins. */
function bindPod(
  api: ApiContext,
  call: Pick<ResourceRequest, 'kind' | 'namespace' | 'name'>,
  body: JsonObject,
  options: UpdateOptions,
): void {
  const node = textAt(body, 'target', 'name');
  const ref = refOf(call);
  if (node === '') throw invalid({ group: '', plural: 'bindings', kind: 'Binding' }, ref.name, [problems.required('target.name')]);
  const pod = getObject(api.store, call.kind, ref);
  const current = textAt(pod, 'spec', 'nodeName');
  if (current !== '')
    throw conflict(
      { group: '', plural: 'pods/binding', kind: 'Pod' },
      ref.name,
      `pod ${ref.name} is already assigned to node "${current}"`,
    );
  if (metaOf(pod).deletionTimestamp !== undefined)
    throw conflict(
      { group: '', plural: 'pods/binding', kind: 'Pod' },
      ref.name,
      `pod ${ref.name} is being deleted, cannot be assigned to a host`,
    );
  if (listAt(pod, 'spec', 'schedulingGates').length > 0)
    throw conflict({ group: '', plural: 'pods/binding', kind: 'Pod' }, ref.name, `pod ${ref.name} has non-empty .spec.schedulingGates`);
  const uid = metaOf(body).uid;
  if (uid !== undefined && uid !== metaOf(pod).uid)
    throw conflict(call.kind, ref.name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaOf(pod).uid}`);
  const others = listAt(pod, 'status', 'conditions').filter(({ type }) => type !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: rfc3339(api.clock.now()) };
  const bound = {
    ...pod,
    spec: { ...objectAt(pod, 'spec'), nodeName: node },
    status: { ...objectAt(pod, 'status'), conditions: [...others, scheduled] },
  };
  api.writer.update(call.kind, ref, () => bound, { ...options, subresource: 'binding' });
}

async function serveEviction(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, response, query } = call;
  const body = await posted(api, call, 'Eviction');
  const options = deleteOptions(query, objectAt(body, 'deleteOptions'));
  api.deleter.delete(kind, refOf(call), options);
  answerJson(response, 201, success);
}

async function serveToken(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, response } = call;
  const body = await posted(api, call, 'TokenRequest');
  const account = getObject(api.store, kind, refOf(call));
  const seconds = tokenSeconds(numberAt(body, 'spec', 'expirationSeconds'));
  const audiences = (at(body, 'spec', 'audiences') ?? [tokenIssuer]) as readonly string[];
  const { namespace = '', name = '', uid = '' } = metaOf(account);
  const now = api.clock.now();
  const reference = objectAt(body, 'spec', 'boundObjectRef');
  const isBound = Object.keys(reference).length > 0;
  const subject = { namespace, name, uid, ...(isBound ? boundTo(api, namespace, name, reference) : {}) };
  answerJson(response, 201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp: rfc3339(now) },
    spec: { ...objectAt(body, 'spec'), audiences, expirationSeconds: seconds, boundObjectRef: isBound ? reference : null },
    status: {
      token: api.identity.signToken(subject, audiences.length === 0 ? [tokenIssuer] : audiences, seconds),
      expirationTimestamp: rfc3339(now + seconds * 1000),
    },
  });
}

/** The pod that a token shall end with, and its node. */
function boundTo(api: ApiContext, namespace: string, account: string, reference: JsonObject) {
  const [kind, name, uid] = [textAt(reference, 'kind'), textAt(reference, 'name'), textAt(reference, 'uid')];
  if (kind !== 'Pod') throw badRequest(`cannot bind token to object of type ${kind}: the simulator binds tokens to pods`);
  const pod = getObject(api.store, api.registry.get('', 'v1', 'pods'), { namespace, name });
  if (textAt(pod, 'spec', 'serviceAccountName') !== account)
    throw badRequest(`cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`);
  const { uid: podUid = '' } = metaOf(pod);
  const changed = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (uid !== '' && uid !== podUid) throw conflict({ group: '', plural: 'Pod', kind }, name, changed);
  const nodeName = textAt(pod, 'spec', 'nodeName');
  const node = nodeName === '' ? undefined : { name: nodeName, uid: textAt(api.store.get('/nodes', nodeName), 'metadata', 'uid') };
  return { pod: { name, uid: podUid }, node };
}

/** Kinds that answer a question and store nothing. */
export async function serveReview(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, response, user } = call;
  const body = await posted(api, call, kind.kind);
  const base = { kind: kind.kind, apiVersion: `${kind.group}/${kind.version}`, metadata: { creationTimestamp: rfc3339(api.clock.now()) } };
  if (kind.plural === 'selfsubjectreviews') {
    answerJson(response, 201, { ...base, status: { userInfo: user } });
    return;
  }
  if (kind.plural === 'subjectaccessreviews') {
    answerJson(response, 201, { ...base, spec: objectAt(body, 'spec'), status: reviewAccess(body) });
    return;
  }
  const audiences = (at(body, 'spec', 'audiences') ?? [tokenIssuer]) as readonly string[];
  const found = audiences
    .map((audience) => api.identity.userOfToken(textAt(body, 'spec', 'token'), audience))
    .find((each) => each !== undefined);
  const status =
    found === undefined ? { user: {}, error: 'the token is invalid or has expired' } : { authenticated: true, user: found, audiences };
  answerJson(response, 201, { ...base, spec: objectAt(body, 'spec'), status });
}

/** Requests are not authorized here and rules of RBAC are not evaluated; whoever asks about rights must not be told of any that a real cluster would refuse. */
function reviewAccess(body: JsonObject): JsonObject {
  const groups = (at(body, 'spec', 'groups') ?? []) as readonly string[];
  if (groups.includes(administrators)) return { allowed: true };
  return { allowed: false, reason: `the simulator does not evaluate RBAC: only members of ${administrators} have rights` };
}
