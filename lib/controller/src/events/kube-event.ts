import { present, type Random, StatusError } from '@quartermaster/kernel';
import { apiVersionOf, type KubeObject, type kinds, type ResourceType, refOf } from '@quartermaster/kube';

/** What to tell people about an object. */
export interface Notice {
  /** Why, in one CamelCase word that programs may match: `LeaseExpired`. */
  readonly reason: string;
  /** What was done or tried, in one CamelCase word: `Reconcile`. */
  readonly action: string;
  /** A sentence. Beyond 1024 bytes it is cut. Never a secret. */
  readonly note: string;
}

export type NoticeType = 'Normal' | 'Warning';

export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export type KubeEvent = NonNullable<(typeof kinds.events)['shape']>;

const wordPattern = /^[A-Z][A-Za-z0-9]*$/;
const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const maxWordLength = 128;
const maxNoteBytes = 1024;

interface EventParts {
  readonly regarding: ObjectReference;
  readonly type: NoticeType;
  readonly notice: Notice;
  readonly controller: string;
  readonly instance: string;
  readonly wallMs: number;
}

/** A new Event with a name of its own, in the namespace where the server admits it: that of its object, or `default`. */
export function eventOf(parts: EventParts, random: Random): KubeEvent {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: eventName(parts.regarding.name, random), namespace: parts.regarding.namespace ?? 'default' },
    eventTime: microTime(parts.wallMs),
    type: parts.type,
    reason: parts.notice.reason,
    action: parts.notice.action,
    note: cutNote(parts.notice.note),
    regarding: parts.regarding,
    reportingController: parts.controller,
    reportingInstance: parts.instance,
  };
}

export function referenceTo<T extends KubeObject>(type: ResourceType<T>, object: T): ObjectReference {
  const { uid, resourceVersion } = object.metadata ?? {};
  const { name, namespace } = refOf(object);
  return present({ apiVersion: apiVersionOf(type), kind: type.kind, name, namespace, uid, resourceVersion });
}

/** Throws `invalid_argument` for what the server would refuse. */
export function checkNotice(notice: Notice): void {
  for (const field of ['reason', 'action'] as const) {
    const word = notice[field];
    if (word.length > maxWordLength || !wordPattern.test(word)) {
      const rule = `must be one CamelCase word of at most ${maxWordLength} characters`;
      throw new StatusError('invalid_argument', `event ${field} ${JSON.stringify(word.slice(0, 80))} ${rule}`);
    }
  }
}

/** At most 1024 bytes of UTF-8, cut between characters and marked with an ellipsis. */
export function cutNote(note: string): string {
  const bytes = new TextEncoder().encode(note);
  if (bytes.length <= maxNoteBytes) return note;
  const ellipsis = '…';
  let end = maxNoteBytes - new TextEncoder().encode(ellipsis).length;
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return new TextDecoder().decode(bytes.subarray(0, end)) + ellipsis;
}

/** RFC 3339 with exactly six digits after the second, which is all that MicroTime admits. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}

/** Begins with the object's name, for people; names that no Event may have (`system:node`) are left out. */
function eventName(objectName: string, random: Random): string {
  const suffix = Buffer.from(random.fill(new Uint8Array(8))).toString('hex');
  const stem = objectName.slice(0, 253 - suffix.length - 1).replace(/[^a-z0-9]+$/, '');
  return subdomainPattern.test(stem) ? `${stem}.${suffix}` : `event.${suffix}`;
}
