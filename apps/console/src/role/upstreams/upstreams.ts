import { type Clock, messageOf, type StatusCode, StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import type { CallerFacts } from '../../console-session.ts';
import { Upstream, type UpstreamFetch } from '../../server/upstream.ts';
import type { UpstreamView } from '../../session-view.ts';
import type { UpstreamRow } from './upstream-table.ts';

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

/** The upstreams that this console has. */
export class Upstreams {
  readonly all: readonly ReachedUpstream[];
  readonly #clock: Clock;
  readonly #failedSince = new Map<string, number>(); // name -> since when it says that it is not ready

  constructor(places: readonly UpstreamPlace[], clock: Clock) {
    this.#clock = clock;
    this.all = places.map(({ row, url, fetch }) => ({ row, upstream: new Upstream({ title: row.title, url, clock, fetch }) }));
  }

  /**
   * Who the holder of a token is: what the first upstream says that takes it. Throws `unauthenticated` when none does, and `unavailable` while one that
   * might cannot be asked.
   */
  async callerOf(token: string, signal: AbortSignal): Promise<CallerFacts> {
    const failures: StatusError[] = [];
    for (const { row, upstream } of this.all) {
      try {
        return await askCaller(row, upstream, token, signal);
      } catch (thrown) {
        if (!(thrown instanceof StatusError)) throw thrown;
        failures.push(thrown);
      }
    }
    throw gravest(failures);
  }

  /** Throws unless an upstream gives the holder of a token one of the roles that, by its word, may see pods, logs and Events. */
  async requireClusterReader(token: string, signal: AbortSignal): Promise<void> {
    const failures: StatusError[] = [];
    for (const { row, upstream } of this.all) {
      try {
        const { role } = await askCaller(row, upstream, token, signal);
        if (row.clusterRoles.includes(role)) return;
        const allowed = row.clusterRoles.join(' or ');
        failures.push(new StatusError('permission_denied', `the ${row.title} calls you ${role}; pods, logs and Events are for ${allowed}`));
      } catch (thrown) {
        if (!(thrown instanceof StatusError)) throw thrown;
        failures.push(thrown);
      }
    }
    throw gravest(failures);
  }

  /** How each of them is, by its own word. */
  async states(signal: AbortSignal): Promise<readonly UpstreamView[]> {
    return await Promise.all(this.all.map((reached) => this.#stateOf(reached, signal)));
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

/** What to tell of all that was said: what may pass, then what somebody decided. */
function gravest(failures: readonly StatusError[]): StatusError {
  const of = (code: StatusCode): readonly StatusError[] => failures.filter((failure) => failure.code === code);
  const [first] = [...of('unavailable'), ...of('permission_denied'), ...of('unauthenticated'), ...failures];
  const wayOut = 'set console-fulfillment-url or console-inventory-url';
  return first ?? new StatusError('failed_precondition', `this console has no service to sign in to: ${wayOut}`);
}

async function askCaller({ title, session }: UpstreamRow, upstream: Upstream, token: string, signal: AbortSignal): Promise<CallerFacts> {
  const answer = await upstream.send({ method: 'GET', path: session, headers: { accept: 'application/json' }, token }, signal);
  const body: unknown = await answer.json().catch(() => undefined);
  const caller = callerFacts.safeParse(body);
  if (answer.ok && caller.success) return caller.data;
  const { data: said } = z.object({ message: z.string() }).safeParse(body);
  const why = said?.message ?? `it answered ${answer.status}`;
  if (answer.status === 401 || answer.status === 403) {
    throw new StatusError('unauthenticated', `the ${title} does not take the token: ${why}`);
  }
  const code = answer.status >= 500 || answer.status === 429 ? 'unavailable' : 'failed_precondition';
  throw new StatusError(code, `the ${title} does not say who you are: ${why}`);
}
