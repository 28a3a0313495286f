/**
 * How topics, keys and groups are named on a NATS server.
 *
 *   stream <prefix>_state              subjects <prefix>.state.<topic>.<key>
 *   stream <prefix>_event_<topic>      subjects <prefix>.event.<topic>.<lane>.<key>, consumers <group>_<lane>
 *   stream <prefix>_parked             subjects <prefix>.parked.<topic>.<group>.<key>: dead letters, under the name that existing servers hold them by
 *
 * The dots of a topic stay dots in subjects, so that `<prefix>.state.inventory.>` means what it says, and become "_" in names of
 * streams, which allow none. Topics have no "_". Every subject has the same number of parts for one topic, so no topic's subjects match
 * another's, whatever their names begin with.
 */
import { StatusError } from '@quartermaster/kernel';

const prefixPattern = /^[a-z][a-z0-9-]{0,39}$/;

export class NatsNames {
  readonly #prefix: string;

  constructor(prefix: string) {
    if (!prefixPattern.test(prefix)) {
      throw new StatusError(
        'invalid_argument',
        `prefix "${prefix}" must be lower-case letters, digits and "-", beginning with a letter, at most 40 characters`,
      );
    }
    this.#prefix = prefix;
  }

  get stateStream(): string {
    return `${this.#prefix}_state`;
  }

  get stateSubjects(): string {
    return `${this.#prefix}.state.>`;
  }

  /** Every key when none is given. */
  stateSubject(topic: string, key?: string): string {
    return `${this.#prefix}.state.${topic}.${key === undefined ? '*' : tokenOf(key)}`;
  }

  eventStream(topic: string): string {
    return `${this.#prefix}_event_${topic.replaceAll('.', '_')}`;
  }

  /** What the stream of the topic takes in: one part for the lane, one for the key. */
  eventSubjects(topic: string): string {
    return `${this.#prefix}.event.${topic}.*.*`;
  }

  laneSubjects(topic: string, lane: number): string {
    return `${this.#prefix}.event.${topic}.${lane}.*`;
  }

  eventSubject(topic: string, lane: number, key: string): string {
    return `${this.#prefix}.event.${topic}.${lane}.${tokenOf(key)}`;
  }

  laneConsumer(group: string, lane: number): string {
    return `${group}_${lane}`;
  }

  get deadLetterStream(): string {
    return `${this.#prefix}_parked`;
  }

  get deadLetterSubjects(): string {
    return `${this.#prefix}.parked.>`;
  }

  /** Every key when none is given. */
  deadLetterSubject(topic: string, group: string, key?: string): string {
    return `${this.#prefix}.parked.${topic}.${group}.${key === undefined ? '*' : tokenOf(key)}`;
  }

  /** The key at the end of a subject. */
  keyOf(subject: string): string {
    return textOf(subject.slice(subject.lastIndexOf('.') + 1));
  }
}

/** Any text as one part of a subject: letters, digits, "-" and "_" stay, every other byte becomes "=" and two hex digits. */
export function tokenOf(text: string): string {
  if (text === '') return '=';
  return Buffer.from(text, 'utf8')
    .toString('latin1')
    .replaceAll(/[^A-Za-z0-9_-]/g, (char) => `=${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

export function textOf(token: string): string {
  if (token === '=') return '';
  const bytes = token.replaceAll(/=([0-9a-f]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
