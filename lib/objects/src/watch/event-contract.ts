import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Clock } from '@quartermaster/kernel';
import type { Change, ChangeType } from '@quartermaster/store';
import type { AnyKind, AnyKinds } from '../kinds/index.ts';
import type { Changes, WatchAnswer } from './watch-changes.ts';

/** How an API tells of changes. */
export interface EventContract<E extends Message, A extends object> {
  /** A message with `id`, `type`, `at` and a choice of payloads, one for each kind that the API serves. */
  readonly event: GenMessage<E>;
  /** The numbers of `type`. Of what has none, nobody is told. */
  readonly types: Readonly<Partial<Record<ChangeType, number>>>;
  readonly answer: (parts: WatchAnswer<E>) => A;
}

export interface WatchServiceOptions<E extends Message, A extends object> {
  readonly changes: Changes;
  readonly kinds: AnyKinds;
  readonly contract: EventContract<E, A>;
  readonly clock: Clock;
}

/** The request of any Watch. */
export interface WatchRequest {
  readonly filter?: string | undefined;
  /** Empty: from now on. */
  readonly token: string;
  readonly bookmarks: boolean;
}

/** Kind -> the field of an event that holds its objects, which have the type that `formOf` says. */
export function payloadFields(
  event: DescMessage,
  kinds: AnyKinds,
  formOf: (kind: AnyKind) => DescMessage | undefined,
): ReadonlyMap<string, DescField> {
  const byType = new Map(
    event.fields.flatMap((field) => (field.oneof === undefined || !field.message ? [] : [[field.message.typeName, field]])),
  );
  return new Map(
    Object.values(kinds).flatMap((kind) => {
      const field = byType.get(formOf(kind)?.typeName ?? '');
      return field === undefined ? [] : [[kind.name, field]];
    }),
  );
}

/** An event of the contract. Without a payload, for a kind of a later release. */
export function makeEvent<E extends Message>(
  schema: GenMessage<E>,
  { token, at }: Change,
  type: number,
  payload: { readonly field: DescField; readonly value: Message } | undefined,
): E {
  const event = create(schema);
  const choice = payload?.field.oneof?.localName;
  return Object.assign(event, {
    id: token,
    type,
    at: timestampFromDate(at),
    ...(choice === undefined ? {} : { [choice]: { case: payload?.field.localName, value: payload?.value } }),
  });
}
