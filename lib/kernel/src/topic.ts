import { type Codec, jsonCodec } from './codec.ts';
import { StatusError } from './status-error.ts';

/** What is true now: retained, the latest value wins, one value per key. */
export interface StateTopic<T> {
  readonly kind: 'state';
  readonly name: string;
  readonly codec: Codec<T>;
}

/** What happened: each event reaches each group at least once, and is kept until it has. */
export interface EventTopic<T> {
  readonly kind: 'event';
  readonly name: string;
  readonly codec: Codec<T>;
  /** Who must get every event. An event waits for each of them, whether or not it has ever subscribed. */
  readonly groups: readonly string[];
}

export type Topic<T> = StateTopic<T> | EventTopic<T>;

const maxNameLength = 100;
const maxGroupLength = 60;
const namePattern = /^[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z][A-Za-z0-9-]*)*$/;
const groupPattern = /^[a-z][a-z0-9-]*$/;

/** Topics are compared by name, so that each process may make its own from the shared contract. */
export function stateTopic<T>(name: string, codec: Codec<T> = jsonCodec<T>()): StateTopic<T> {
  return { kind: 'state', name: checkName(name), codec };
}

/** The groups belong to the contract: an event that was published before its consumer first started is there when it does. */
export function eventTopic<T>(
  name: string,
  options: { readonly groups: readonly string[]; readonly codec?: Codec<T> | undefined },
): EventTopic<T> {
  const { groups, codec = jsonCodec<T>() } = options;
  checkName(name);
  if (groups.length === 0) throw refuse(`topic ${name}: groups is empty, so that nobody would get its events; name at least one group`);
  for (const group of groups) checkGroupName(name, group);
  if (new Set(groups).size < groups.length) throw refuse(`topic ${name}: groups names a group twice: ${groups.join(', ')}`);
  return { kind: 'event', name, groups: [...groups], codec };
}

function checkName(name: string): string {
  if (name.length <= maxNameLength && namePattern.test(name)) return name;
  throw refuse(
    `topic name "${name}" must be words of letters, digits and "-", joined by dots, each beginning with a letter, at most ${maxNameLength} characters`,
  );
}

function checkGroupName(topic: string, group: string): void {
  if (group.length <= maxGroupLength && groupPattern.test(group)) return;
  throw refuse(
    `topic ${topic}: group "${group}" must be lower-case letters, digits and "-", beginning with a letter, at most ${maxGroupLength} characters`,
  );
}

function refuse(message: string): StatusError {
  return new StatusError('invalid_argument', message);
}
