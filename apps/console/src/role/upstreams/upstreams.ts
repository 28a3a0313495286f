import { type Clock, type Log, messageOf, type StatusCode, StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import type { CallerFacts } from '../../console-session.ts';
import { Upstream, type UpstreamFetch } from '../../server/upstream.ts';
import type { UpstreamView } from '../../session-view.ts';
import { type Asked, AskedCallers, type CallerWord } from './asked-callers.ts';
import { type UpstreamRow, upstreamSettings } from './upstream-table.ts';

export interface ReachedUpstream {
  readonly row: UpstreamRow;
  readonly upstream: Upstream;
}

export interface UpstreamPlace {
  readonly row: UpstreamRow;
  readonly url: () => string | undefined;
  readonly fetch: UpstreamFetch;
}

const strings = z.array(z.string()).default([]);

/** What an upstream says of a caller. Fields that only the fulfillment service has are empty elsewhere. */
const callerFacts: z.ZodType<CallerFacts> = z.object({
  name: z.string(),
  role: z.string(),
  tenants: strings,
  rights: strings,
  version: z.string().default(''),
  default_tenants: strings,
  may_read_secrets: z.boolean().default(false),
});

const probeWithinMs = 2_000;

/** How long to wait for what services say of a caller, unless one that knows it has said so by then. */
const waitingMs = {
  briefly: 2_000,
  /** For whoever would be turned away: a service that is busy, as all are in a process that has just started, is not one that hangs. */
  patiently: 10_000,
} as const;

export type Waiting = keyof typeof waitingMs;

interface Judgement {
  readonly caller?: CallerFacts | undefined;
  readonly failures: readonly StatusError[];
}

/** Why a word about a caller is not good enough. */
type Refusal = (row: UpstreamRow, caller: CallerFacts) => StatusError | undefined;

/** The upstreams that this console has. */
export class Upstreams {
  readonly all: readonly ReachedUpstream[];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #callers: AskedCallers;
  readonly #failedSince = new Map<string, number>(); // what -> since when it is not ready, or does not answer

  constructor(places: readonly UpstreamPlace[], clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.all = places.map(({ row, url, fetch }) => ({ row, upstream: new Upstream({ title: row.title, url, clock, log, fetch }) }));
    this.#callers = new AskedCallers((token) => this.all.map((reached) => this.#ask(reached, token)), clock);
  }

  /**
   * Who the holder of a token is: what the first upstream says that takes it. Throws `unauthenticated` when none does, and `unavailable` while one that
   * might cannot be asked.
   */
  async callerOf(token: string, waiting: Waiting, signal: AbortSignal): Promise<CallerFacts> {
    const caller = await this.#find(token, () => undefined, signal, waiting);
    if (caller.is_staff === true) return caller;
    const isStaff = await this.requireStaff(token, signal).then(
      () => true,
      (thrown: unknown) => {
        if (thrown instanceof StatusError) return false;
        throw thrown;
      },
    );
    return { ...caller, is_staff: isStaff };
  }

  /** Throws unless an upstream gives the holder of a token a role of those who run the installation: a tenant of one may be a reader of the other. */
  async requireStaff(token: string, signal: AbortSignal): Promise<void> {
    const refusal = ({ title, staffRoles }: UpstreamRow, { role }: CallerFacts): StatusError | undefined =>
      staffRoles.includes(role)
        ? undefined
        : new StatusError('permission_denied', `this is for those who run the installation; the ${title} calls you ${role}`);
    await this.#find(token, refusal, signal);
  }

  /** Throws unless an upstream gives the holder of a token one of the roles that, by its word, may see pods and Events. */
  async requireClusterReader(token: string, signal: AbortSignal): Promise<void> {
    await this.#find(
      token,
      unlessIn('pods and Events', ({ clusterRoles }) => clusterRoles),
      signal,
    );
  }

  /** The same for the logs of pods. */
  async requireLogReader(token: string, signal: AbortSignal): Promise<void> {
    await this.#find(
      token,
      unlessIn('logs of pods', ({ logRoles }) => logRoles),
      signal,
    );
  }

  /** How each of them is, by its own word. */
  async states(signal: AbortSignal): Promise<readonly UpstreamView[]> {
    return await Promise.all(this.all.map((reached) => this.#stateOf(reached, signal)));
  }

  /** Who asks often is asked about once in a while. What was refused or could not be asked is believed only beside a word that is good. */
  async #find(token: string, refusal: Refusal, signal: AbortSignal, waiting: Waiting = 'briefly'): Promise<CallerFacts> {
    const recent = this.#callers.recent(token);
    const remembered = recent && (await this.#judge(recent, refusal, waiting, signal));
    if (remembered?.caller !== undefined) return remembered.caller;
    if (recent?.isRunning === true) throw gravest(remembered?.failures ?? []);
    const { caller, failures } = await this.#judge(this.#callers.anew(token), refusal, waiting, signal);
    if (caller !== undefined) return caller;
    throw gravest(failures);
  }

  /** One that hangs is given up: it must not stop what the others answer. While none of those is good, it is waited for. */
  async #judge(asked: Asked, refusal: Refusal, waiting: Waiting, signal: AbortSignal): Promise<Judgement> {
    const soon = await this.#judgeWithin(waitingMs.briefly, asked, refusal, signal);
    if (waiting === 'briefly' || soon.caller !== undefined) return soon;
    return await this.#judgeWithin(waitingMs.patiently, asked, refusal, signal);
  }

  /** The first word that is good: one that comes late is waited for, since the order says whose word counts. */
  async #judgeWithin(withinMs: number, { words, at }: Asked, refusal: Refusal, signal: AbortSignal): Promise<Judgement> {
    const failures: StatusError[] = [];
    for (const [index, { row }] of this.all.entries()) {
      const asked = words[index];
      if (asked === undefined) continue;
      const word = (await saidBy(asked, at + withinMs, this.#clock)) ?? this.#unsaid(row, notWithin(withinMs));
      signal.throwIfAborted();
      const error = word.kind === 'failed' ? word.error : refusal(row, word.caller);
      if (word.kind === 'known' && error === undefined) return { caller: word.caller, failures };
      if (error !== undefined) failures.push(error);
    }
    return { failures };
  }

  async #ask({ row, upstream }: ReachedUpstream, token: string): Promise<CallerWord> {
    const late = new AbortController();
    const cancel = this.#clock.schedule(waitingMs.patiently, () => late.abort());
    try {
      const caller = await askCaller(row, upstream, token, late.signal);
      this.#failedSince.delete(`${row.name} about callers`);
      return { kind: 'known', caller };
    } catch (thrown) {
      if (thrown instanceof StatusError) return { kind: 'failed', error: thrown };
      return this.#unsaid(row, late.signal.aborted ? notWithin(waitingMs.patiently) : 'does not say who you are', thrown);
    } finally {
      cancel();
    }
  }

  #unsaid({ name, title }: UpstreamRow, what: string, cause?: unknown): CallerWord {
    if (!this.#failedSince.has(`${name} about callers`)) {
      this.#log.warn('an upstream does not say who a caller is', { upstream: title, error: cause === undefined ? what : messageOf(cause) });
    }
    const since = this.#failing(`${name} about callers`);
    return { kind: 'failed', error: new StatusError('unavailable', `the ${title} ${what}`, { cause, details: { since } }) };
  }

  async #stateOf({ row: { name }, upstream }: ReachedUpstream, signal: AbortSignal): Promise<UpstreamView> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(probeWithinMs)]);
    try {
      const answer = await upstream.send({ method: 'GET', path: '/readyz', headers: {}, token: undefined }, within);
      await answer.text();
      if (answer.ok) {
        this.#failedSince.delete(name);
        return { name, state: 'ready' };
      }
      return { name, state: 'failed', since: this.#failing(name), reason: `it answers ${answer.status} to /readyz` };
    } catch (thrown) {
      // One that is only slow has no time of its own since when it is silent.
      return { name, state: 'away', since: upstream.silentSince ?? this.#failing(name), reason: messageOf(thrown) };
    }
  }

  #failing(name: string): number {
    const since = this.#failedSince.get(name) ?? this.#clock.now();
    this.#failedSince.set(name, since);
    return since;
  }
}

const notWithin = (ms: number): string => `did not say within ${ms / 1000} s who you are`;

/** Undefined when it has not come by then, on the monotonic clock. */
async function saidBy(word: Promise<CallerWord>, until: number, clock: Clock): Promise<CallerWord | undefined> {
  const leftMs = until - clock.monotonic();
  if (leftMs <= 0) return await Promise.race([word, Promise.resolve(undefined)]);
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const cancel = clock.schedule(leftMs, () => resolve(undefined));
  try {
    return await Promise.race([word, over]);
  } finally {
    cancel();
  }
}

function unlessIn(what: string, rolesOf: (row: UpstreamRow) => readonly string[]): Refusal {
  return (row, { role }) => {
    const roles = rolesOf(row);
    if (roles.includes(role)) return undefined;
    const rule = roles.length === 0 ? `its word is not enough for ${what}` : `${what} are for ${roles.join(' or ')}`;
    return new StatusError('permission_denied', `the ${row.title} calls you ${role}; ${rule}`);
  };
}

/** What to tell of all that was said: what may pass, then what somebody decided. */
function gravest(failures: readonly StatusError[]): StatusError {
  const of = (code: StatusCode): readonly StatusError[] => failures.filter((failure) => failure.code === code);
  const [first] = [...of('unavailable'), ...of('permission_denied'), ...of('unauthenticated'), ...failures];
  return first ?? new StatusError('failed_precondition', `this console has no service to sign in to: set one of ${upstreamSettings}`);
}

async function askCaller(
  { title, session, staffRoles }: UpstreamRow,
  upstream: Upstream,
  token: string,
  signal: AbortSignal,
): Promise<CallerFacts> {
  const answer = await upstream.send({ method: 'GET', path: session, headers: { accept: 'application/json' }, token }, signal);
  // What is no JSON, such as the page of a proxy in between, names no caller: then the status says what is wrong.
  const body: unknown = await answer.json().catch(() => undefined);
  const caller = callerFacts.safeParse(body);
  if (answer.ok && caller.success) return { ...caller.data, is_staff: staffRoles.includes(caller.data.role) };
  const { data: said } = z.object({ message: z.string() }).safeParse(body);
  const why = said?.message ?? `it answered ${answer.status}`;
  if (answer.status === 401 || answer.status === 403) {
    throw new StatusError('unauthenticated', `the ${title} does not take the token: ${why}`);
  }
  const code = answer.status >= 500 || answer.status === 429 ? 'unavailable' : 'failed_precondition';
  throw new StatusError(code, `the ${title} does not say who you are: ${why}`);
}
