import type { TraceState } from '@opentelemetry/api';

/** At most so many members are passed on, as the W3C recommendation says. */
const maxMembers = 32;

/** What the vendors of tracing systems pass along with a trace: `vendor=value,…`, the newest first. Immutable. */
export class PassedTraceState implements TraceState {
  readonly #members: ReadonlyMap<string, string>; // vendor -> value

  constructor(members: Iterable<readonly [string, string]>) {
    this.#members = new Map([...members].slice(0, maxMembers));
  }

  /** What is malformed is left out. */
  static parse(header: string): PassedTraceState {
    const members = header
      .split(',')
      .map((member) => /^\s*([a-z0-9][\w*/@-]{0,255})=([\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}?)\s*$/.exec(member));
    return new PassedTraceState(members.flatMap((found) => (found === null ? [] : [[found[1] ?? '', found[2] ?? ''] as const])));
  }

  get(key: string): string | undefined {
    return this.#members.get(key);
  }

  set(key: string, value: string): TraceState {
    return new PassedTraceState([[key, value], ...this.#without(key)]);
  }

  unset(key: string): TraceState {
    return new PassedTraceState(this.#without(key));
  }

  serialize(): string {
    return [...this.#members].map(([key, value]) => `${key}=${value}`).join(',');
  }

  #without(key: string): [string, string][] {
    return [...this.#members].filter(([each]) => each !== key);
  }
}
