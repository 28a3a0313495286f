import type { JsonObject } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import * as internal from '@quartermaster/api/private';
import {
  codeOf,
  Follower,
  type FollowStatus,
  type FollowVerdict,
  messageOf,
  StatusError,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import type { ServerFlags } from '../../server/server-flags.ts';
import { serverNamed } from '../../server/servers.ts';
import { reconnectBackoff, watchConnections } from '../../server/watch-connections.ts';
import { formatEvent } from '../../text/format-document.ts';
import type { Output } from '../../text/output.ts';
import { type Paint, paintFor } from '../../text/paint.ts';
import { clockText } from '../../text/time-text.ts';
import type { Kind, KindPlural } from '../kinds/kind.ts';
import { kindForms } from '../kinds/kind-forms.ts';
import { everyKind, kindNamed } from '../kinds/kinds.ts';
import { type AnyEvent, type ApiConnection, connectApi } from '../objects/api-connection.ts';
import type { AnyObject } from '../objects/object-client.ts';
import { objectDocument } from '../objects/object-json.ts';
import { nameOf } from '../objects/read-objects.ts';

export interface WatchFlags extends ServerFlags {
  readonly output: 'table' | 'json' | 'yaml';
  /** CEL over `event`. */
  readonly filter?: string | undefined;
  /** Go on after this token. */
  readonly from?: string | undefined;
}

/** One change, as either API tells of it. */
interface SeenEvent {
  readonly token: string;
  readonly type: string;
  readonly at: number | undefined;
  readonly kind: Kind;
  readonly object: AnyObject;
  readonly document: JsonObject;
}

/** Prints what changes, one event after the other, until the signal aborts. A connection that breaks is opened again where it ended. */
export async function watchEvents(kinds: readonly KindPlural[], flags: WatchFlags, output: Output, signal: AbortSignal): Promise<void> {
  const paint = paintFor(output.out);
  const [server = 'fulfillment', other] = new Set(kinds.map((plural) => kindNamed(plural).server ?? 'fulfillment'));
  if (other !== undefined)
    throw new StatusError(
      'invalid_argument',
      `kinds of ${serverNamed(server).noun} and of ${serverNamed(other).noun} are watched by a command each`,
    );
  const filter = filterOf(kinds, flags.filter);
  const follower = new Follower<Answer, string>({
    watch: watchConnections(
      () => connectApi(flags, server),
      (connection, token, ended) => answersOf(connection, filter, token ?? '', ended),
    ),
    take: (answers) => {
      for (const { event } of answers) if (event !== undefined) output.out.write(textOf(event, flags, paint));
    },
    tokenOf: ({ token }) => token,
    from: flags.from,
    judge,
    backoff: reconnectBackoff,
    clock: systemClock,
    random: systemRandom,
    changed: () => {
      const { state } = follower.status();
      if (state.kind !== 'reconnecting') return;
      const reason = state.error === undefined ? 'the service ended the watch' : messageOf(state.error);
      output.err.write(`quartermaster: ${reason}; trying again\n`);
    },
  });
  await follower.run(signal);
}

function judge(error: unknown, { heardAt, state }: FollowStatus): FollowVerdict {
  const code = codeOf(error);
  // A watch ends with the token that opened it, and the next one is opened with a newer.
  const isPassing = (code === 'unavailable' && heardAt !== undefined) || (code === 'unauthenticated' && state.kind === 'following');
  return isPassing ? 'resume' : 'fail';
}

export function filterOf(kinds: readonly KindPlural[], own: string | undefined): string {
  const fields = everyKind.filter(({ plural }) => kinds.includes(plural)).map(({ field }) => `has(event.${field})`);
  return [...(fields.length === 0 ? [] : [fields.join(' || ')]), ...(own === undefined ? [] : [own])]
    .map((each) => `(${each})`)
    .join(' && ');
}

interface Answer {
  readonly token: string;
  readonly event: SeenEvent | undefined;
}

async function* answersOf(connection: ApiConnection, filter: string, token: string, signal: AbortSignal): AsyncGenerator<Answer> {
  const isPrivate = await connection.mayUsePrivate(`/${internal.Events.typeName}/Watch`);
  for await (const answer of connection.events(isPrivate, { filter, token }, signal)) {
    yield { token: answer.token, event: seen(isPrivate ? 'private' : 'public', answer) };
  }
}

// The same numbers in both contracts.
const eventTypes: Readonly<Record<number, string>> = {
  [internal.EventType.OBJECT_CREATED]: 'created',
  [internal.EventType.OBJECT_UPDATED]: 'updated',
  [internal.EventType.OBJECT_DELETED]: 'deleted',
  [internal.EventType.OBJECT_SIGNALED]: 'signaled',
};

function seen(api: 'private' | 'public', { token, event }: AnyEvent): SeenEvent | undefined {
  const payload = event?.payload;
  const object = payload?.value;
  if (event === undefined || payload?.case === undefined || object === undefined) return undefined;
  const kind = everyKind.find(({ message }) => message.toLowerCase() === payload.case?.toLowerCase());
  const form = kind === undefined ? undefined : kindForms[kind.plural][api];
  if (kind === undefined || form === undefined) return undefined;
  const type = eventTypes[event.type] ?? 'changed';
  const at = event.at === undefined ? undefined : timestampMs(event.at);
  return { token, type, at, kind, object, document: objectDocument(kind, form.schema, object) };
}

function textOf({ token, type, at, kind, object, document }: SeenEvent, { output }: WatchFlags, paint: Paint): string {
  const time = at === undefined ? '-' : clockText(at);
  if (output !== 'table')
    return formatEvent({ type, at: at === undefined ? null : new Date(at).toISOString(), token, object: document }, output);
  const version = object.metadata?.version ?? 0n;
  return `${time}  ${paintedType(type, paint)}  ${kind.singular}/${nameOf(object)}  ${paint.dim(`version ${version}`)}\n`;
}

function paintedType(type: string, paint: Paint): string {
  const text = type.padEnd(8);
  switch (type) {
    case 'created':
      return paint.good(text);
    case 'updated':
      return paint.warn(text);
    case 'deleted':
      return paint.bad(text);
    default:
      return paint.dim(text);
  }
}
