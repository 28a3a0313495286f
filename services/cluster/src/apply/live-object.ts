import { createHash, createHmac } from 'node:crypto';
import type { KubeObject, ResourceType } from '@quartermaster/kube';
import type { DesiredObject } from '../objects/desired.ts';

/** An object of a lease as the API server has it: enough to see whether it is what it should be. */
export interface LiveObject {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Of what we last applied to it; empty where we never did. */
  readonly applied: string;
  /** What can be compared of it, as JSON: there are thousands of them, and they are looked at rarely. */
  readonly text: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** On each object that we apply: a hash of all that was applied, by which it is seen that a field was taken out. */
export const appliedAnnotation = 'quartermaster.dev/applied';

export function liveObject<T extends KubeObject>(type: ResourceType<T>, object: T): LiveObject {
  const { namespace = '', name = '', uid = '', resourceVersion = '', annotations = {}, labels = {} } = object.metadata ?? {};
  return {
    type,
    ...{ namespace, name, uid, resourceVersion, labels },
    applied: annotations[appliedAnnotation] ?? '',
    text: JSON.stringify(comparable(object)),
  };
}

/** With the salt of the lease: a Secret could otherwise be guessed by it. */
export function appliedHash({ type, object }: DesiredObject, salt: string): string {
  const text = JSON.stringify([type.group, type.kind, object], (_key, value: unknown) => sortedKeys(value));
  return createHmac('sha256', salt).update(text).digest('hex').slice(0, 32);
}

/** Whether the API server has all of it, and nothing that we applied before and do not any more. */
export function isUpToDate(desired: DesiredObject, live: LiveObject, salt: string): boolean {
  return live.applied === appliedHash(desired, salt) && isPartOf(comparable(desired.object), JSON.parse(live.text));
}

/** A hash is as long. */
const maxKeptLength = 64;

type Json = Readonly<Record<string, unknown>>;

/** Everything but what the server alone writes. What is long is compared by its hash, so that it is not kept here. Secrets are none of these objects: they are not read. */
function comparable(object: KubeObject): Json {
  const { apiVersion: _version, kind: _kind, metadata, status: _status, ...rest } = object as Json & KubeObject;
  const { [appliedAnnotation]: _applied, ...annotations } = metadata?.annotations ?? {};
  const data = rest['data'];
  const hasData = typeof data === 'object' && data !== null;
  return { labels: metadata?.labels ?? {}, annotations, ...rest, ...(hasData ? { data: hashes(data as Json) } : {}) };
}

/** Value by value: what others have added to it is not ours. */
const hashes = (data: Json): Json =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      const text = String(value);
      return [key, text.length < maxKeptLength ? text : createHash('sha256').update(text).digest('hex')];
    }),
  );

/** Lists have the same length: the server fills fields in, and adds no elements to what we write. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (part === undefined) return true;
  if (Array.isArray(part)) {
    if (part.length === 0) return whole === undefined || (Array.isArray(whole) && whole.length === 0);
    return Array.isArray(whole) && part.length === whole.length && part.every((each, at) => isPartOf(each, whole[at]));
  }
  if (typeof part !== 'object' || part === null) return part === whole;
  if (whole === undefined || whole === null) return Object.values(part).every((each) => each === undefined);
  if (typeof whole !== 'object' || Array.isArray(whole)) return false;
  return Object.entries(part).every(([key, value]) => isPartOf(value, (whole as Json)[key]));
}

function sortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
